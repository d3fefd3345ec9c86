/** Decides what an answer was, once its bytes are over. The calls decide before the label; no label means it was cut. */
import type { MetonaError, MetonaFinishReason, MetonaNotice } from '#contracts/metona/metona-response.ts'
import type { MetonaToolCall, MetonaToolDef } from '#contracts/metona/metona-tool.ts'
import type { StreamEnd } from './frame.ts'
import { parseArguments, type AssembledCall } from './tool-call-assembler.ts'

/** A provider's finish reason in our words. `unknown` is a word we do not know: an end, not an error. */
export type FinishLabel = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'unknown'

export interface Conclusion {
  readonly finishReason: MetonaFinishReason
  readonly error?: MetonaError
  readonly toolCalls: readonly MetonaToolCall[]
  readonly notices: readonly MetonaNotice[]
}

export interface AnswerFacts {
  readonly error: MetonaError | undefined
  readonly finish: FinishLabel | undefined
  readonly endMark: boolean
  readonly usageTrailer: boolean
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly AssembledCall[]
  readonly tools: readonly MetonaToolDef[]
  readonly iteration: number
  readonly timestamp: number
  readonly provider: string
  readonly end: StreamEnd
}

export function concludeAnswer(facts: AnswerFacts): Conclusion {
  if (facts.error !== undefined) return failed(facts.error)
  const label = facts.finish ?? impliedFinish(facts)
  if (label === undefined) return failed(cutOff(facts))
  if (label === 'content_filter') return { ...failed(filtered(facts)), finishReason: 'content_filter' }
  if (facts.calls.length > 0) return concludeCalls(facts, label)
  if (label === 'length')
    return facts.text.trim() === '' ? failed(tooLong(facts, 'the answer ran out of its length limit before any text came')) : done('length')
  const notices: MetonaNotice[] = []
  if (facts.finish === undefined && !facts.endMark)
    notices.push({ code: 'end_unknown', message: 'the provider never said why the answer ended' })
  if (facts.text.trim() === '')
    notices.push({
      code: 'empty_answer',
      message: facts.reasoning === '' ? 'the model answered nothing' : 'the model thought but answered nothing',
    })
  return { finishReason: 'stop', toolCalls: [], notices }
}

/** An end mark without a reason is a stop; so is a usage report alone after the text. Neither vouches for an unfinished call. */
function impliedFinish(facts: AnswerFacts): FinishLabel | undefined {
  if (facts.endMark)
    return facts.calls.every((call) => call.argumentsText.trim() !== '' && parseArguments(call.argumentsText).ok) ? 'stop' : undefined
  return facts.usageTrailer && facts.end.how === 'closed' && facts.calls.length === 0 && facts.text !== '' ? 'stop' : undefined
}

function concludeCalls(facts: AnswerFacts, label: FinishLabel): Conclusion {
  const named = facts.calls.filter((call) => call.name !== '')
  const whole = label === 'length' ? named.filter((call, index) => index < named.length - 1 || isWhole(call, facts.tools)) : named
  const toolCalls = whole.map((call) => toToolCall(call, facts))
  if (toolCalls.length === 0) {
    if (label === 'length') return failed(tooLong(facts, 'a tool call was cut off by the length limit and was not run'))
    return failed({
      code: 'invalid_response',
      message: 'the provider sent a tool call without a name',
      provider: facts.provider,
      retryable: true,
    })
  }
  const cut = whole.length < named.length
  return {
    finishReason: 'tool_calls',
    toolCalls,
    notices: cut ? [{ code: 'tool_call_cut', message: 'the last tool call was cut off by the length limit and was not run' }] : [],
  }
}

/** With a length finish the text must be there, parse, and hold every required argument. */
function isWhole(call: AssembledCall, tools: readonly MetonaToolDef[]): boolean {
  if (call.argumentsText.trim() === '') return false
  const parsed = parseArguments(call.argumentsText)
  if (!parsed.ok) return false
  const required = tools.find((tool) => tool.name === call.name)?.parameters['required']
  return !Array.isArray(required) || required.every((name) => typeof name !== 'string' || Object.hasOwn(parsed.args, name))
}

function toToolCall(call: AssembledCall, facts: AnswerFacts): MetonaToolCall {
  const parsed = parseArguments(call.argumentsText)
  return {
    id: call.id,
    name: call.name,
    args: parsed.ok ? parsed.args : {},
    iteration: facts.iteration,
    timestamp: facts.timestamp,
    ...(call.providerCallId === undefined ? {} : { providerCallId: call.providerCallId }),
    ...(parsed.ok ? {} : { invalidArguments: { raw: call.argumentsText, reason: parsed.reason } }),
  }
}

function done(finishReason: MetonaFinishReason): Conclusion {
  return { finishReason, toolCalls: [], notices: [] }
}

export function failed(error: MetonaError): Conclusion {
  return { finishReason: error.code === 'user_aborted' ? 'aborted' : 'error', error, toolCalls: [], notices: [] }
}

function cutOff(facts: AnswerFacts): MetonaError {
  const reason = facts.end.reason === undefined ? '' : ` (${facts.end.reason})`
  return {
    code: 'network_error',
    message: `the connection ended before the answer was complete${reason}`,
    provider: facts.provider,
    providerCode: 'STREAM_CUT',
    retryable: true,
  }
}

function tooLong(facts: AnswerFacts, message: string): MetonaError {
  return { code: 'output_length_exceeded', message, provider: facts.provider, retryable: false }
}

function filtered(facts: AnswerFacts): MetonaError {
  return {
    code: 'content_filtered',
    message: 'the provider withheld the answer (content filter)',
    provider: facts.provider,
    retryable: false,
  }
}
