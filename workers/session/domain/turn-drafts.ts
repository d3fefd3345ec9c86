/** What a turn writes down of an answer, of its notices and of a stop. Pure. */
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import type { BuiltRequest, StreamOutcome, ToolStop, TraceSpan, TurnPorts, TurnSettings } from './turn-ports.ts'

export function responseDraft(
  settings: TurnSettings,
  built: BuiltRequest,
  outcome: StreamOutcome,
  messageId: string,
  iteration: number,
  durationMs: number,
  calls: MetonaResponse['toolCalls'] & object,
): SessionEventDraft {
  const { response } = outcome
  return {
    event: 'llm_response',
    iteration,
    content: response.content,
    finishReason: response.finishReason,
    usage: response.usage,
    requestId: built.request.meta.requestId,
    provider: settings.provider,
    model: settings.model,
    messageId,
    durationMs: Math.round(durationMs),
    ...(response.meta.firstTokenMs === undefined ? {} : { firstTokenMs: response.meta.firstTokenMs }),
    ...(outcome.queuedMs > 0 ? { queuedMs: Math.round(outcome.queuedMs) } : {}),
    ...(response.thinking === undefined ? {} : { thinking: response.thinking }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
    ...(response.providerState === undefined ? {} : { providerState: response.providerState }),
    ...(response.error === undefined ? {} : { error: response.error }),
    ...(outcome.cost === undefined ? {} : { cost: outcome.cost }),
    turn: settings.turn,
  }
}

/** Beside a good answer, once per session: the prompt nearly fills the window, the answer has no end, and the like. */
export function noticeDrafts(response: MetonaResponse, ports: TurnPorts, turn: number): SessionEventDraft[] {
  return (response.notices ?? [])
    .filter((notice) => !ports.noticed(notice.code))
    .map(({ code, message, params }) => ({ event: 'notice', code, message, ...(params === undefined ? {} : { params }), turn }))
}

export function stopDraft(stops: { socketClosedMs?: number; tools: ToolStop[] }, turn: number): SessionEventDraft {
  const sum = (pick: (stop: ToolStop) => number): number => stops.tools.reduce((total, stop) => total + pick(stop), 0)
  return {
    event: 'stop_report',
    ...(stops.socketClosedMs === undefined ? {} : { socketClosedMs: stops.socketClosedMs }),
    processesFound: sum((stop) => stop.processesFound),
    processesKilled: sum((stop) => stop.processesKilled),
    survivors: stops.tools.flatMap((stop) => stop.survivors),
    committed: true,
    turn,
  }
}

export function modelSpan(
  settings: TurnSettings,
  built: BuiltRequest,
  outcome: StreamOutcome,
  startedAt: number,
  endedAt: number,
): TraceSpan {
  const { response } = outcome
  return {
    name: `chat ${settings.model}`,
    kind: 'model',
    startedAt,
    endedAt,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': settings.provider,
      'gen_ai.request.model': settings.model,
      'gen_ai.response.id': built.request.meta.requestId,
      'gen_ai.response.finish_reasons': response.finishReason,
      'gen_ai.usage.input_tokens': response.usage.inputTokens,
      'gen_ai.usage.output_tokens': response.usage.outputTokens,
      ...(response.meta.firstTokenMs === undefined ? {} : { 'metona.first_token_ms': response.meta.firstTokenMs }),
    },
    ...(response.error === undefined ? {} : { error: response.error.code }),
  }
}
