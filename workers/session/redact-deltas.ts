/**
 * Redacts what streams. A secret may come in pieces, so text that could be the beginning of one is held back until
 * more of it came, or until something else than text does.
 */
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import type { ToolShown } from '#contracts/tools/tool-live.ts'
import { redactStream, type RedactStream } from '#workers/shared/redact-stream.ts'
import type { Redactor } from '#workers/shared/redact.ts'

type DeltaEvent = Extract<MetonaStreamEvent, { delta: string }>

export class StreamRedaction {
  readonly #redactor: Redactor
  /** The part that is being streamed, with the latest of its events as the form for the next one. */
  #open: { key: string; stream: RedactStream; form: DeltaEvent } | undefined

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  take(events: readonly MetonaStreamEvent[]): MetonaStreamEvent[] {
    return events.flatMap((event) => ('delta' in event ? this.#delta(event) : [...this.end(), this.#redactor.value(event)]))
  }

  /** What is still held back. */
  end(): MetonaStreamEvent[] {
    const open = this.#open
    this.#open = undefined
    return open === undefined ? [] : withText(open.form, open.stream.flush())
  }

  #delta(event: DeltaEvent): MetonaStreamEvent[] {
    const key = event.type === 'tool_call_delta' ? event.toolCallId : event.type
    const before = this.#open?.key === key ? [] : this.end()
    this.#open ??= { key, stream: redactStream(this.#redactor), form: event }
    return [...before, ...withText(event, this.#open.stream.push(event.delta))]
  }
}

function withText(form: DeltaEvent, delta: string): MetonaStreamEvent[] {
  return delta === '' ? [] : [{ ...form, delta }]
}

/** The same for a tool's live output; progress passes. */
export class OutputRedaction {
  readonly #stream: RedactStream

  constructor(redactor: Redactor) {
    this.#stream = redactStream(redactor)
  }

  take(live: ToolShown): ToolShown | undefined {
    if (!('output' in live)) return live
    const output = this.#stream.push(live.output)
    return output === '' && live.dropped === undefined ? undefined : { ...live, output }
  }

  end(): ToolShown | undefined {
    const output = this.#stream.flush()
    return output === '' ? undefined : { output }
  }
}
