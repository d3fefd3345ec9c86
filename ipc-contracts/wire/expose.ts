/** The serving end of a service on a port. */
import * as Comlink from 'comlink'
import type { AbortSignalLike } from '../metona/metona-adapter.ts'
import { callMeter } from './call-meter.ts'
import { comlinkEndpoint } from './comlink-endpoint.ts'
import { AppError, toErrorData, WireErrorCode, type AppErrorData } from './app-error.ts'
import type { CallContext, ServiceDefinition, ServiceHandlers } from './define-service.ts'
import type { CallRequest, CallResult, WireTarget } from './envelope.ts'
import { describeIssues } from './describe-issues.ts'
import type { Port } from './port.ts'

declare const structuredClone: (value: unknown) => unknown
declare const AbortController: new () => { readonly signal: AbortSignalLike; abort(reason?: unknown): void }

/**
 * Serves `handlers` on `port` until either side closes it. Never throws towards the port: a bad
 * input, a thrown handler and a bad output all become an error result.
 * @returns stops serving, aborts the calls in flight and closes the port.
 */
export function expose<S extends ServiceDefinition>(service: S, handlers: ServiceHandlers<S>, port: Port): () => void {
  const running = new Map<number, { abort(reason?: unknown): void }>()

  const call = async (request: CallRequest): Promise<CallResult> => {
    const meter = callMeter()
    if (meter === undefined) return answer(request)
    const takenUpAt = meter.now()
    const result = await answer(request)
    const known = Object.hasOwn(service.methods, request.method) ? request.method : 'unknown'
    meter.call(`${service.name}.${known}`, Math.max(0, takenUpAt - (request.sentAt ?? takenUpAt)), meter.now() - takenUpAt, request.input)
    meter.message(service.name, request.input)
    meter.message(service.name, result)
    return result
  }

  const answer = async (request: CallRequest): Promise<CallResult> => {
    const name = `${service.name}.${request.method}`
    const method = Object.hasOwn(service.methods, request.method) ? service.methods[request.method] : undefined
    if (method === undefined) return failure({ code: WireErrorCode.UNKNOWN_METHOD, message: `${name} does not exist` })
    const input = method.input.safeParse(request.input)
    if (!input.success) return failure({ code: WireErrorCode.BAD_INPUT, message: `${name}: ${describeIssues(input.error)}` })
    const controller = new AbortController()
    running.set(request.callId, controller)
    try {
      const handler = handlers[request.method] as (input: unknown, context: CallContext) => unknown
      const answered = await handler(input.data, { signal: controller.signal })
      if (method.answerChecked === 'on_arrival') return { ok: true, value: answered }
      const value = method.output.safeParse(answered)
      if (!value.success) return failure({ code: WireErrorCode.BAD_OUTPUT, message: `${name}: ${describeIssues(value.error)}` })
      return { ok: true, value: value.data }
    } catch (thrown) {
      return failure(toErrorData(thrown))
    } finally {
      running.delete(request.callId)
    }
  }

  const target: WireTarget = {
    call,
    cancel: (callId) =>
      running.get(callId)?.abort(new AppError({ code: WireErrorCode.CALL_CANCELLED, message: 'cancelled by the caller' })),
  }
  const abortAll = (): void => {
    for (const controller of running.values())
      controller.abort(new AppError({ code: WireErrorCode.WORKER_LOST, message: 'the caller is gone' }))
    running.clear()
  }
  port.addEventListener('close', abortAll)
  Comlink.expose(target, comlinkEndpoint(port))
  return () => {
    abortAll()
    port.close()
  }
}

/** The code must arrive whatever hangs on the error, so details that cannot cross are left out. */
function failure(error: AppErrorData): CallResult {
  if (error.details === undefined || isCloneable(error.details)) return { ok: false, error }
  const { details: _details, ...kept } = error
  return { ok: false, error: kept }
}

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value)
    return true
  } catch {
    return false
  }
}
