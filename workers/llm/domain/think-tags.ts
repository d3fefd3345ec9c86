/**
 * Parts `<think>…</think>` at the beginning of an answer from the text, for models that are declared to write
 * their thoughts so. A tag after visible text is text: somebody writes about tags.
 */

const OPEN = '<think>'
const CLOSE = '</think>'

export interface ThinkTagSink {
  reasoning(delta: string): void
  text(delta: string): void
}

export interface ThinkTags {
  push(delta: string): void
  /** The content is over: what was held back, because it might have become a tag, is given out. */
  end(): void
}

export interface ThinkTagOptions {
  /** The model's template has already written the opening tag: the answer begins inside. */
  readonly opened?: boolean
}

export function createThinkTags(sink: ThinkTagSink, options: ThinkTagOptions = {}): ThinkTags {
  let state: 'before' | 'inside' | 'after' = options.opened === true ? 'inside' : 'before'
  let pending = ''
  let thought = false
  let anyThought = false

  const before = (): boolean => {
    const start = pending.trimStart()
    if (start.startsWith(OPEN)) {
      pending = start.slice(OPEN.length)
      state = 'inside'
      thought = false
      return true
    }
    if (OPEN.startsWith(start)) return false
    state = 'after'
    // White space between the thoughts and the answer belongs to neither.
    sink.text(anyThought ? start : pending)
    pending = ''
    return false
  }

  const inside = (): boolean => {
    const close = pending.indexOf(CLOSE)
    const upTo = close === -1 ? pending.length - heldTail(pending) : close
    let piece = pending.slice(0, upTo)
    if (close !== -1) piece = piece.trimEnd()
    if (!thought) piece = piece.trimStart()
    if (piece !== '') {
      thought = true
      anyThought = true
      sink.reasoning(piece)
    }
    pending = pending.slice(close === -1 ? upTo : close + CLOSE.length)
    if (close === -1) return false
    state = 'before'
    anyThought = true
    return true
  }

  return {
    push: (delta) => {
      if (state === 'after') return sink.text(delta)
      pending += delta
      while (state === 'inside' ? inside() : state === 'before' && before());
    },
    end: () => {
      if (pending === '' || state === 'after') return
      const rest = pending
      pending = ''
      if (state === 'inside') sink.reasoning(thought ? rest : rest.trimStart())
      else if (!anyThought) sink.text(rest)
      else if (rest.trim() !== '') sink.text(rest.trimStart())
    },
  }
}

/** Length of the end that may still become white space and a closing tag. */
function heldTail(text: string): number {
  const lastOpen = text.lastIndexOf('<')
  const partial = lastOpen !== -1 && CLOSE.startsWith(text.slice(lastOpen)) ? text.length - lastOpen : 0
  const solid = text.slice(0, text.length - partial).trimEnd().length
  return text.length - solid
}
