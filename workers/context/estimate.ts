/** The estimate of a session's next request, from the last report where there is one. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaUsage } from '#contracts/metona/metona-response.ts'
import { estimateSince, estimateWhole, UNCALIBRATED, type Calibration } from './domain/calibrate.ts'
import type { StableTools } from './domain/stable-tools.ts'
import type { FrozenPrompt } from './domain/system-prompt.ts'
import type { TokenMeter } from './token-meter.ts'

/** One request as it was sent, to be met by its report. */
export interface SentRequest {
  readonly requestId: string
  readonly provider: string
  readonly model: string
  readonly frozen: FrozenPrompt
  readonly tools: StableTools
  readonly messages: readonly MetonaMessage[]
  /** Counted tokens of the whole request, uncalibrated. */
  readonly counted: number
  readonly estimated: number
  /** How `estimated` was made: on an earlier report or without one. */
  readonly anchored: boolean
}

export interface Anchor {
  readonly sent: SentRequest
  readonly usage: MetonaUsage
}

export interface Estimate {
  readonly tokens: number
  readonly counted: number
  readonly anchored: boolean
  /** Messages whose counts the estimate rests on; the rest is as reported. */
  readonly news: readonly MetonaMessage[]
}

/** An anchor holds while model, system prompt, tools and the messages it covers are the same. */
export function isAnchored(
  anchor: Anchor | undefined,
  provider: string,
  model: string,
  frozen: FrozenPrompt,
  tools: StableTools,
  messages: readonly MetonaMessage[],
): anchor is Anchor {
  if (anchor === undefined) return false
  const { sent } = anchor
  const length = sent.messages.length
  return (
    sent.provider === provider &&
    sent.model === model &&
    sent.frozen.systemPrompt === frozen.systemPrompt &&
    sent.tools === tools &&
    length > 0 &&
    length <= messages.length &&
    sent.messages[0] === messages[0] &&
    sent.messages[length - 1] === messages[length - 1]
  )
}

export function estimateRequest(
  meter: TokenMeter,
  anchor: Anchor | undefined,
  calibration: Calibration | undefined,
  fixed: number,
  messages: readonly MetonaMessage[],
): Estimate {
  let counted = fixed
  for (const message of messages) counted += meter.message(message)
  if (anchor === undefined) return { tokens: estimateWhole(counted, calibration ?? UNCALIBRATED), counted, anchored: false, news: messages }
  const length = anchor.sent.messages.length
  const reply = messages[length]
  const hasReply = reply?.role === 'assistant'
  const news = messages.slice(hasReply ? length + 1 : length)
  const answer = hasReply && reply !== undefined ? answerTokens(meter, reply, anchor.usage) : 0
  const tokens = estimateSince(
    anchor.usage.inputTokens,
    answer,
    news.reduce((sum, message) => sum + meter.message(message), 0),
    calibration ?? UNCALIBRATED,
  )
  return { tokens, counted, anchored: true, news }
}

/** What the answer to the anchored request adds to the next prompt: as generated, less the reasoning that is not sent back. */
export function answerTokens(meter: TokenMeter, reply: MetonaMessage, usage: MetonaUsage): number {
  if (usage.outputTokens <= 0) return meter.message(reply)
  const keepsThinking = meter.overhead.thinking === 'tool_turns' && (reply.toolCalls?.length ?? 0) > 0
  if (keepsThinking || reply.thinking === undefined)
    return Math.max(0, usage.outputTokens - (keepsThinking ? 0 : (usage.reasoningTokens ?? 0)))
  return Math.max(0, usage.outputTokens - (usage.reasoningTokens ?? meter.text(reply.thinking.content)))
}
