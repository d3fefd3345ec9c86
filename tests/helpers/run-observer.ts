/** An observer outside the app: reads what it prints through a pipe and keeps all of it, with the time of each piece. */
import type { ChildProcess } from 'node:child_process'

export interface StreamedText {
  readonly sessionId: string
  readonly messageId: string
  text: string
  /** Length of the text after each piece, and when the piece was read (`performance.now()`). */
  readonly arrivals: { readonly length: number; readonly at: number }[]
}

export interface RunObserver {
  /** Whole lines that are durable events, in the order in which they came. */
  readonly events: string[]
  /** Text of each streamed message, by message id. */
  readonly texts: ReadonlyMap<string, StreamedText>
  /** All complete lines so far. */
  readonly lines: number
  /** Resolves when the pipe was read to its end. */
  readonly ended: Promise<void>
  /** Calls back for every whole line from now on. */
  onLine(listener: (line: string) => void): void
}

/** Reads standard output of `child`, each line a JSON object (`run --json --deltas`). What is no whole line was not seen. */
export function observe(child: ChildProcess): RunObserver {
  const events: string[] = []
  const texts = new Map<string, StreamedText>()
  const listeners: ((line: string) => void)[] = []
  let lines = 0
  let rest = ''
  const { stdout } = child
  if (stdout === null) throw new Error('standard output is not piped')
  const take = (line: string): void => {
    lines += 1
    const value = JSON.parse(line) as { seq?: number; sessionId?: string; delta?: string; messageId?: string; event?: unknown }
    if (value.seq !== undefined) events.push(line)
    else if (value.delta === 'stream')
      takeText(value.sessionId ?? '', value.messageId ?? '', value.event as { type: string; delta?: string })
    for (const listener of listeners) listener(line)
  }
  const takeText = (sessionId: string, messageId: string, event: { type: string; delta?: string }): void => {
    if (event.type !== 'text_delta') return
    let streamed = texts.get(messageId)
    if (streamed === undefined) texts.set(messageId, (streamed = { sessionId, messageId, text: '', arrivals: [] }))
    streamed.text += event.delta ?? ''
    streamed.arrivals.push({ length: streamed.text.length, at: performance.now() })
  }
  stdout.setEncoding('utf8')
  stdout.on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) if (line !== '') take(line)
  })
  return {
    events,
    texts,
    get lines() {
      return lines
    },
    ended: new Promise((resolve) => stdout.once('close', resolve)),
    onLine: (listener) => void listeners.push(listener),
  }
}

/**
 * How much of a streamed text a kill lost: milliseconds between the kill and the arrival of the first piece that is
 * not in what was kept. 0 when all that was seen was kept.
 */
export function lostMilliseconds(seen: StreamedText, kept: string, killedAt: number): number {
  if (!seen.text.startsWith(kept) && !kept.startsWith(seen.text))
    throw new Error(`kept text is not the beginning of what was seen: …${kept.slice(-80)} / …${seen.text.slice(-80)}`)
  const lost = seen.arrivals.find((arrival) => arrival.length > kept.length)
  return lost === undefined ? 0 : Math.max(0, killedAt - lost.at)
}
