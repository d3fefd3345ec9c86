/**
 * Folds what a parser reads into stream events and the final response. One builder per attempt.
 * Nothing is ever shown complete that was not: only a finish makes an answer good.
 */
import type {
  MetonaError,
  MetonaFinishReason,
  MetonaNotice,
  MetonaResponse,
  MetonaStreamEvent,
  MetonaUsage,
} from '#contracts/metona/metona-response.ts'
import type { MetonaThinking } from '#contracts/metona/metona-thinking.ts'
import type { MetonaToolDef } from '#contracts/metona/metona-tool.ts'
import { concludeAnswer, type Conclusion, type FinishLabel } from './conclude-answer.ts'
import type { StreamEnd } from './frame.ts'
import { ToolCallAssembler, type AssembledCall, type ToolCallPiece } from './tool-call-assembler.ts'
import { noUsage } from './usage.ts'

export interface BuilderOptions {
  readonly provider: string
  readonly model: string
  readonly requestId: string
  readonly iteration: number
  /** Definitions sent with the request; needed to tell a whole call from a cut one. */
  readonly tools: readonly MetonaToolDef[]
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** A fresh `tc_…`. */
  readonly newId: () => string
  readonly onEvent: (event: MetonaStreamEvent) => void
}

export class ResponseBuilder {
  readonly #options: BuilderOptions
  readonly #startedAt: number
  readonly #calls: ToolCallAssembler
  readonly #notices: MetonaNotice[] = []
  readonly #blocks: unknown[] = []
  #text = ''
  #reasoning = ''
  /** The first half of a character whose second half is in the next piece. */
  #halfText = ''
  #halfReasoning = ''
  #thinking: 'none' | 'open' | 'closed' = 'none'
  #thinkingStartedAt = 0
  #thinkingMs = 0
  #firstTokenAt: number | undefined
  #usage: MetonaUsage | undefined
  #usageIsLast = false
  #finish: FinishLabel | undefined
  #error: MetonaError | undefined
  #over = false

  constructor(options: BuilderOptions) {
    this.#options = options
    this.#startedAt = options.now()
    this.#calls = new ToolCallAssembler(
      {
        start: (call) => this.#emit({ type: 'tool_call_start', toolCallId: call.id, name: call.name }),
        delta: (call, delta) => this.#emit({ type: 'tool_call_delta', toolCallId: call.id, delta }),
      },
      options.newId,
    )
  }

  /** Something was emitted that a person may have seen: no transparent retry any more. */
  get visible(): boolean {
    return this.#firstTokenAt !== undefined
  }

  /** A finish, an error or the end mark was read. */
  get finished(): boolean {
    return this.#finish !== undefined || this.#error !== undefined || this.#over
  }

  /** Nothing more is expected: reading may stop. */
  get over(): boolean {
    return this.#over || this.#error !== undefined
  }

  get failure(): MetonaError | undefined {
    return this.#error
  }

  /** Visible reasoning. Empty pieces are nothing. A second stretch of it is joined with a blank line. */
  reasoning(piece: string): void {
    const [whole, half] = holdHalf(this.#halfReasoning + piece)
    this.#halfReasoning = half
    let delta = whole
    if (delta === '') return
    this.#mark()
    if (this.#thinking === 'none') {
      this.#emit({ type: 'thinking_start' })
      this.#thinkingStartedAt = this.#options.now()
    } else if (this.#thinking === 'closed') {
      this.#thinkingStartedAt = this.#options.now()
      delta = `\n\n${delta}`
    }
    this.#thinking = 'open'
    this.#reasoning += delta
    this.#emit({ type: 'reasoning_delta', delta })
  }

  text(piece: string): void {
    const [delta, half] = holdHalf(this.#halfText + piece)
    this.#halfText = half
    if (delta === '') return
    this.#mark()
    this.#closeThinking()
    this.#text += delta
    this.#emit({ type: 'text_delta', delta })
  }

  /** A piece of a tool call, see `ToolCallAssembler`. */
  toolCall(piece: ToolCallPiece): AssembledCall {
    this.#mark()
    this.#closeThinking()
    return this.#calls.add(piece)
  }

  /** The latest report wins. `trailer`: it came alone, after the content, as the last thing a good stream says. */
  usage(usage: MetonaUsage, trailer = false): void {
    this.#usage = usage
    this.#usageIsLast = trailer
  }

  /** The provider's word on why it stopped; the first one counts. */
  finish(label: FinishLabel): void {
    this.#finish ??= label
  }

  /** The wire's end mark (`[DONE]`, `message_stop`, `done:true`, `response.completed`). */
  end(): void {
    this.#over = true
  }

  /** An error the provider sent, or one of ours. The first counts; one after a finish changes nothing. */
  fail(error: MetonaError): void {
    if (this.#finish === undefined) this.#error ??= error
  }

  /** Something to give back to the same provider and model in later turns. */
  state(block: unknown): void {
    this.#blocks.push(block)
  }

  notice(notice: MetonaNotice): void {
    if (!this.#notices.some((known) => known.code === notice.code)) this.#notices.push(notice)
  }

  /** The end of the attempt. Emits nothing: `settle` does, when it is known that there is no other attempt. */
  conclude(end: StreamEnd): Conclusion {
    return concludeAnswer({
      error: this.#error,
      finish: this.#finish,
      endMark: this.#over,
      usageTrailer: this.#usageIsLast,
      text: this.#text,
      reasoning: this.#reasoning,
      calls: this.#calls.calls,
      tools: this.#options.tools,
      iteration: this.#options.iteration,
      timestamp: this.#options.now(),
      provider: this.#options.provider,
      end,
    })
  }

  /** Emits what is left (thinking_end, tool_call_complete, usage, error, done) and returns the response. */
  settle(conclusion: Conclusion): MetonaResponse {
    const { onEvent, now, provider, model, requestId } = this.#options
    this.#closeThinking()
    for (const toolCall of conclusion.toolCalls) onEvent({ type: 'tool_call_complete', toolCall })
    if (this.#usage !== undefined) onEvent({ type: 'usage', usage: this.#usage })
    if (conclusion.error !== undefined) onEvent({ type: 'error', error: conclusion.error })
    onEvent({ type: 'done', finishReason: conclusion.finishReason })
    const at = now()
    const notices = [...this.#notices, ...conclusion.notices]
    return {
      meta: {
        requestId,
        provider,
        model,
        latencyMs: Math.max(0, at - this.#startedAt),
        timestamp: at,
        ...(this.#firstTokenAt === undefined ? {} : { firstTokenMs: Math.max(0, this.#firstTokenAt - this.#startedAt) }),
      },
      content: this.#text,
      ...(this.#thinking === 'none' ? {} : { thinking: this.#thinkingSoFar(conclusion.finishReason) }),
      ...(conclusion.toolCalls.length > 0 ? { toolCalls: [...conclusion.toolCalls] } : {}),
      usage: this.#usage ?? noUsage,
      finishReason: conclusion.finishReason,
      ...(conclusion.error === undefined ? {} : { error: conclusion.error }),
      ...(this.#blocks.length > 0 ? { providerState: { provider, model, blocks: this.#blocks } } : {}),
      ...(notices.length > 0 ? { notices } : {}),
    }
  }

  #thinkingSoFar(reason: MetonaFinishReason): MetonaThinking {
    const cut = (reason === 'error' || reason === 'aborted') && this.#text === '' && this.#calls.calls.length === 0
    return {
      content: this.#reasoning,
      status: cut ? 'thinking' : 'complete',
      durationMs: this.#thinkingMs,
      tokensUsed: this.#usage?.reasoningTokens ?? 0,
    }
  }

  #closeThinking(): void {
    if (this.#thinking !== 'open') return
    this.#thinking = 'closed'
    this.#thinkingMs += Math.max(0, this.#options.now() - this.#thinkingStartedAt)
    this.#emit({
      type: 'thinking_end',
      thinking: {
        content: this.#reasoning,
        status: 'complete',
        durationMs: this.#thinkingMs,
        tokensUsed: this.#usage?.reasoningTokens ?? 0,
      },
    })
  }

  #mark(): void {
    this.#usageIsLast = false
    this.#firstTokenAt ??= this.#options.now()
  }

  #emit(event: MetonaStreamEvent): void {
    this.#options.onEvent(event)
  }
}

/** Some servers split a character outside the basic plane between two deltas; half of one is never shown. */
function holdHalf(text: string): readonly [whole: string, half: string] {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? [text.slice(0, -1), text.slice(-1)] : [text, '']
}
