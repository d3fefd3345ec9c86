/** A turn for a person at a terminal: the answer to stdout, everything else to stderr. */
import type { SessionEvent, SessionEventOf } from '#contracts/session/session-event.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import { domainFor } from '#contracts/tools/allowed-domains.ts'
import { NetworkRefusalSchema } from '#contracts/tools/command-host-protocol.ts'
import { SandboxReasonSchema, sandboxText } from '#contracts/tools/sandbox-state.ts'
import { elapsed } from '#contracts/export/elapsed.ts'
import type { Speech } from './explain-error.ts'
import { fill } from './fill.ts'
import type { Output } from './output.ts'
import { firstLine, plainText } from './plain-text.ts'

export interface TurnPrinterOptions extends Speech {
  readonly out: Output
  readonly err: Output
  /** Escape sequences are understood and wanted. */
  readonly colour: boolean
}

/** Longest piece of an argument or summary in a tool line, in characters. */
const DETAIL_LIMIT = 160

/**
 * On a terminal text appears as it streams. Into a pipe or file goes the answer alone, that is the text of
 * the request that asked for no more tools, once it is complete: what comes before it is progress.
 */
export class TurnPrinter {
  readonly #out: Output
  readonly #err: Output
  readonly #speech: Speech
  readonly #colour: boolean
  /** Characters of each message already shown, thinking and text. */
  readonly #shown = new Map<string, { thinking: number; text: number }>()
  /** Domains that were offered already. */
  readonly #offered = new Set<string>()
  #inThinking = false
  /** The cursor stands at the start of a line of the terminal both outputs share. */
  #lineStart = true
  #waiting = ''

  constructor(options: TurnPrinterOptions) {
    this.#out = options.out
    this.#err = options.err
    this.#speech = options
    this.#colour = options.colour
  }

  event(event: SessionEvent): void {
    switch (event.event) {
      case 'llm_response':
        return this.#response(event)
      case 'tool_call':
        this.#waiting = ''
        if (this.#err.isTerminal)
          this.#line(`▸ ${fill(this.#speech.text.toolStarted, { tool: event.tool, detail: describeArguments(event.args) })}`)
        return
      case 'tool_result':
        return this.#toolResult(event)
      case 'notice':
        return this.#line(fill(this.#speech.text.notice, { message: firstLine(this.#noticeText(event), 400) }))
      default:
        return
    }
  }

  delta(delta: StreamDelta): void {
    const { text } = this.#speech
    switch (delta.delta) {
      case 'stream': {
        const shown = this.#shownOf(delta.messageId)
        if (delta.event.type === 'reasoning_delta') {
          shown.thinking += delta.event.delta.length
          this.#thinking(delta.event.delta)
        } else if (delta.event.type === 'text_delta' && this.#out.isTerminal) {
          shown.text += delta.event.delta.length
          this.#answer(delta.event.delta)
        }
        return
      }
      case 'retry':
        return this.#line(
          fill(text.retrying, { attempt: delta.attempt, reason: firstLine(delta.reason, 120), seconds: (delta.delayMs / 1000).toFixed(1) }),
        )
      case 'quota': {
        if (delta.ended) return
        const line =
          delta.untilMs === undefined
            ? fill(text.waitingForQuota, { provider: delta.provider })
            : fill(text.waitingForQuotaUntil, {
                provider: delta.provider,
                seconds: Math.max(0, Math.round((delta.untilMs - Date.now()) / 1000)),
              })
        if (line !== this.#waiting) this.#line(line)
        this.#waiting = line
        return
      }
      default:
        return
    }
  }

  /** Deltas were left out: what they held is taken from the snapshot. */
  snapshot(snapshot: SessionSnapshot): void {
    for (const item of snapshot.items) {
      if (item.kind !== 'assistant' || item.status !== 'streaming') continue
      const shown = this.#shownOf(item.id)
      const thinking = item.thinking?.content ?? ''
      this.#thinking(thinking.slice(shown.thinking))
      shown.thinking = Math.max(shown.thinking, thinking.length)
      if (!this.#out.isTerminal) continue
      this.#answer(item.text.slice(shown.text))
      shown.text = Math.max(shown.text, item.text.length)
    }
  }

  /** A line of our own on stderr. */
  note(line: string): void {
    this.#line(line)
  }

  #response(event: SessionEventOf<'llm_response'>): void {
    const shown = this.#shownOf(event.messageId)
    this.#endThinking()
    const rest = event.content.slice(shown.text)
    const isAnswer = (event.toolCalls ?? []).length === 0
    if (this.#out.isTerminal) {
      this.#answer(rest)
      if (event.content !== '') this.#freshLine()
    } else if (isAnswer) this.#out.write(event.content === '' || event.content.endsWith('\n') ? event.content : `${event.content}\n`)
    else if (event.content.trim() !== '') this.#line(plainText(event.content.trimEnd()))
  }

  #toolResult(event: SessionEventOf<'tool_result'>): void {
    const { text, language } = this.#speech
    const summary = firstLine(event.error ?? event.summary ?? (typeof event.result === 'string' ? event.result : ''), DETAIL_LIMIT)
    const params = { tool: event.tool, summary, reason: summary, elapsed: elapsed(event.durationMs, language) }
    const sentence = {
      ok: `✓ ${fill(text.toolDone, params)}`,
      error: `✗ ${fill(text.toolFailed, params)}`,
      denied: `✗ ${fill(text.toolDenied, params)}`,
      aborted: `✗ ${fill(text.toolAborted, params)}`,
      unknown: `✗ ${fill(text.toolUnknown, params)}`,
    }
    this.#line(sentence[event.outcome])
    this.#refusedHosts(event)
  }

  /** Each name once: what the sandbox refused, and how the person allows it. */
  #refusedHosts({ display }: SessionEventOf<'tool_result'>): void {
    const refused = NetworkRefusalSchema.array().safeParse(display?.['refused'])
    if (!refused.success) return
    for (const refusal of refused.data.filter(({ reason }) => reason === 'domain' || reason === 'port' || reason === 'unresolved')) {
      const domain = domainFor(refusal)
      if (this.#offered.has(domain)) continue
      this.#offered.add(domain)
      const { hostRefused, hostUnresolved } = this.#speech.text
      this.#line(fill(refusal.reason === 'unresolved' ? hostUnresolved : hostRefused, { domain: firstLine(domain, 300) }))
    }
  }

  #noticeText({ code, message, params }: SessionEventOf<'notice'>): string {
    const reason = SandboxReasonSchema.safeParse(params?.['reason'])
    return code === 'NO_SANDBOX' && reason.success ? sandboxText({ kind: 'none', reason: reason.data }, this.#speech.language) : message
  }

  #shownOf(messageId: string): { thinking: number; text: number } {
    const shown = this.#shown.get(messageId) ?? { thinking: 0, text: 0 }
    this.#shown.set(messageId, shown)
    return shown
  }

  #thinking(piece: string): void {
    if (piece === '') return
    if (!this.#inThinking) {
      this.#freshLine()
      this.#inThinking = true
      this.#err.write(this.#colour ? '\u001b[2m' : `[${this.#speech.text.thinking}] `)
    }
    const plain = plainText(piece)
    this.#err.write(plain)
    this.#lineStart = plain.endsWith('\n')
  }

  #endThinking(): void {
    if (!this.#inThinking) return
    this.#inThinking = false
    if (this.#colour) this.#err.write('\u001b[22m')
    this.#freshLine()
  }

  #answer(piece: string): void {
    if (piece === '') return
    this.#endThinking()
    const plain = plainText(piece)
    this.#out.write(plain)
    this.#lineStart = plain.endsWith('\n')
  }

  #freshLine(): void {
    if (this.#lineStart) return
    this.#lineStart = true
    // Both outputs are one screen when both are terminals; the break goes where the text went.
    if (this.#out.isTerminal) this.#out.write('\n')
    else this.#err.write('\n')
  }

  #line(text: string): void {
    this.#endThinking()
    this.#freshLine()
    this.#err.line(text)
  }
}

/** The argument that tells most: a path, a command, a pattern, an address. */
function describeArguments(args: Readonly<Record<string, unknown>>): string {
  for (const name of ['file_path', 'path', 'command', 'pattern', 'url', 'query'])
    if (typeof args[name] === 'string') return firstLine(args[name], DETAIL_LIMIT)
  return ''
}
