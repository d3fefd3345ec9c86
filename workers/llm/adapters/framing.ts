/** Bytes → frames. One decoder and one framer per stream. */
import { createParser } from 'eventsource-parser'
import type { Frame } from '../domain/frame.ts'

/** Characters of one frame; far above what a provider sends, below what would take the memory. */
export const MAX_FRAME_LENGTH = 64 * 1024 * 1024

export class FrameTooLarge extends Error {}

export interface Framer {
  /** Calls `onFrame` for every frame completed by these bytes. */
  push(bytes: Uint8Array): void
  /**
   * The bytes are over. What is left without its line end is given with `onTail`, whole or half:
   * only the reader can tell.
   */
  end(): void
}

export interface FramerEvents {
  onFrame(frame: Frame): void
  onTail(frame: Frame): void
}

export function createFramer(framing: 'sse' | 'ndjson', events: FramerEvents): Framer {
  // `ignoreBOM: false` removes exactly one leading BOM, also one split over reads; a later one is text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false })
  const lines = framing === 'sse' ? createEventLines(events) : createJsonLines(events)
  return {
    push: (bytes) => lines.push(decoder.decode(bytes, { stream: true })),
    // A half character at the end is part of a half frame: it is not flushed, so it never becomes U+FFFD.
    end: () => lines.end(),
  }
}

interface Lines {
  push(text: string): void
  end(): void
}

/**
 * SSE by eventsource-parser, which gets LF only: a bare CR ends a line at once (the parser would wait for
 * the next read), and lines stay linear in their length whatever the mixture of line ends.
 */
function createEventLines(events: FramerEvents): Lines {
  let tail = false
  let afterCarriageReturn = false
  let tooLarge = false
  const parser = createParser({
    maxBufferSize: MAX_FRAME_LENGTH,
    onEvent: ({ event, data }) => {
      // A heartbeat without data dispatches nothing that could be read.
      if (data.trim() === '') return
      const frame: Frame = { kind: 'event', event, data }
      if (tail) events.onTail(frame)
      else events.onFrame(frame)
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLarge = true
    },
  })
  const feed = (text: string): void => {
    if (text === '') return
    parser.feed(text)
    if (tooLarge) throw new FrameTooLarge(`one event is longer than ${MAX_FRAME_LENGTH} characters`)
  }
  return {
    push: (text) => {
      if (text === '') return
      const rest = afterCarriageReturn && text.startsWith('\n') ? text.slice(1) : text
      afterCarriageReturn = rest.endsWith('\r')
      feed(rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest)
    },
    end: () => {
      tail = true
      feed('\n\n')
    },
  }
}

function createJsonLines(events: FramerEvents): Lines {
  let parts: string[] = []
  let length = 0
  const take = (line: string, deliver: (frame: Frame) => void): void => {
    if (line.trim() !== '') deliver({ kind: 'line', data: line })
  }
  const keep = (text: string): void => {
    if (text === '') return
    parts.push(text)
    length += text.length
    if (length > MAX_FRAME_LENGTH) throw new FrameTooLarge(`one line is longer than ${MAX_FRAME_LENGTH} characters`)
  }
  return {
    push: (text) => {
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        keep(text.slice(start, end))
        const line = parts.length === 1 ? (parts[0] ?? '') : parts.join('')
        parts = []
        length = 0
        start = end + 1
        take(line, events.onFrame)
      }
      keep(text.slice(start))
    },
    end: () => take(parts.join(''), events.onTail),
  }
}
