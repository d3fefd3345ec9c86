/**
 * One ReAct iteration as an OTLP/JSON trace with the OpenTelemetry GenAI names, so that any OTLP viewer reads it.
 * Source of the shape: the OTLP/JSON mapping of opentelemetry-proto `trace.proto`.
 */
import type { IterationTrace, TraceSpan } from './turn-ports.ts'

export interface TraceIdentity {
  readonly sessionId: string
  readonly turn: number
  readonly agentVersion: string
  /** 32 hex digits, the same for all iterations of a turn. */
  readonly traceId: string
  /** 16 hex digits for each span, the iteration's own first. */
  newSpanId(): string
}

type OtlpValue = { stringValue: string } | { intValue: string } | { doubleValue: number } | { boolValue: boolean }

const SPAN_KIND_INTERNAL = 1
const SPAN_KIND_CLIENT = 3
const STATUS_ERROR = 2

/** @returns the file's text. Times in it are nanoseconds since the epoch, made from the monotonic clock. */
export function traceJson(trace: IterationTrace, identity: TraceIdentity): string {
  const rootId = identity.newSpanId()
  const nanoseconds = (monotonic: number): string => `${BigInt(Math.round((monotonic + trace.epochOffset) * 1000)) * 1000n}`
  const root = {
    traceId: identity.traceId,
    spanId: rootId,
    name: `iteration ${trace.iteration}`,
    kind: SPAN_KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(trace.startedAt),
    endTimeUnixNano: nanoseconds(trace.endedAt),
    attributes: attributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': identity.sessionId,
      'metona.turn': identity.turn,
      'metona.iteration': trace.iteration,
      'metona.request_id': trace.requestId,
      'gen_ai.provider.name': trace.provider,
      'gen_ai.request.model': trace.model,
    }),
  }
  const child = (span: TraceSpan): object => ({
    traceId: identity.traceId,
    spanId: identity.newSpanId(),
    parentSpanId: rootId,
    name: span.name,
    kind: span.kind === 'model' ? SPAN_KIND_CLIENT : SPAN_KIND_INTERNAL,
    startTimeUnixNano: nanoseconds(span.startedAt),
    endTimeUnixNano: nanoseconds(span.endedAt),
    attributes: attributes({ 'metona.span.kind': span.kind, ...span.attributes }),
    ...(span.error === undefined ? {} : { status: { code: STATUS_ERROR, message: span.error } }),
  })
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: attributes({ 'service.name': 'metona-desktop', 'service.version': identity.agentVersion }) },
        scopeSpans: [{ scope: { name: 'metona', version: identity.agentVersion }, spans: [root, ...trace.spans.map(child)] }],
      },
    ],
  })
}

function attributes(values: Record<string, string | number | boolean>): { key: string; value: OtlpValue }[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: otlpValue(value) }))
}

function otlpValue(value: string | number | boolean): OtlpValue {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}
