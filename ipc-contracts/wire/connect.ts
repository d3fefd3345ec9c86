/** The calling end of a service on a port: deadlines, cancel and death on top of Comlink, which has none of them. */
import * as Comlink from 'comlink'
import { comlinkEndpoint } from './comlink-endpoint.ts'
import { AppError, WireErrorCode, type AppErrorData } from './app-error.ts'
import { awakeTimeout } from './awake-timeout.ts'
import { callMeter } from './call-meter.ts'
import type { CallOptions, ServiceClient, ServiceDefinition } from './define-service.ts'
import type { CallRequest, CallResult, WireTarget } from './envelope.ts'
import { describeIssues } from './describe-issues.ts'
import type { Port } from './port.ts'

export interface Connection<S extends ServiceDefinition> {
  readonly client: ServiceClient<S>
  /** Methods whose answer is still out. */
  pendingCalls(): string[]
  /** Called once, when the other side is gone or `close` was called. */
  onClose(listener: () => void): void
  close(): void
}

interface Pending {
  readonly method: string
  readonly fail: (error: AppErrorData) => void
}

/**
 * Connects to a service served on the other end of `port`.
 *
 * Comlink drops a call when its proxy is collected and never settles one whose other side died, so
 * the proxy lives as long as the connection and every call is also settled by deadline, cancel or close.
 */
export function connect<S extends ServiceDefinition>(service: S, port: Port): Connection<S> {
  const pending = new Map<number, Pending>()
  const closeListeners: (() => void)[] = []
  const remote = Comlink.wrap<WireTarget>(comlinkEndpoint(port))
  const calls: Calls = { call: remote.call, cancel: remote.cancel }
  let nextCallId = 1
  let closed = false

  const lose = (): void => {
    if (closed) return
    closed = true
    const names = [...pending.values()].map((call) => call.method)
    for (const call of [...pending.values()]) {
      call.fail({
        code: WireErrorCode.WORKER_LOST,
        message: `${service.name} is gone; calls in flight: ${names.join(', ')}`,
        retryable: true,
        params: { service: service.name, method: call.method },
      })
    }
    for (const listener of closeListeners) listener()
  }
  port.addEventListener('close', lose)
  // A port whose other end is gone says so only once it runs, and one that said so before anybody listened says it never again.
  port.start()
  if (isClosedNodePort(port)) lose()

  const invoke = (method: string, input: unknown, options: CallOptions): Promise<unknown> => {
    const definition = service.methods[method]
    const name = `${service.name}.${method}`
    if (definition === undefined)
      return Promise.reject(new AppError({ code: WireErrorCode.UNKNOWN_METHOD, message: `${name} does not exist` }))
    if (closed)
      return Promise.reject(
        new AppError({
          code: WireErrorCode.WORKER_LOST,
          message: `${service.name} is gone`,
          retryable: true,
          params: { service: service.name, method },
        }),
      )
    if (options.signal?.aborted) return Promise.reject(cancelled(name))
    const callId = nextCallId++
    return new Promise((resolve, reject) => {
      let stopWaiting = (): void => undefined
      const onAbort = (): void => {
        if (options.graceMs === undefined) return abandon(cancelled(name).toData())
        if (!closed) calls.cancel(callId).catch(ignoreLateFailure)
        stopWaiting()
        stopWaiting = awakeTimeout(() => fail(cancelled(name).toData()), options.graceMs)
      }
      const settle = (run: () => void): void => {
        if (!pending.delete(callId)) return
        stopWaiting()
        options.signal?.removeEventListener('abort', onAbort)
        run()
      }
      const fail = (error: AppErrorData): void => settle(() => reject(new AppError(error)))
      const abandon = (error: AppErrorData): void => {
        fail(error)
        if (!closed) calls.cancel(callId).catch(ignoreLateFailure)
      }
      pending.set(callId, { method, fail })
      const deadlineMs = options.deadlineMs ?? definition.deadlineMs
      if (deadlineMs !== Infinity) {
        stopWaiting = awakeTimeout(
          () =>
            abandon({
              code: WireErrorCode.CALL_TIMEOUT,
              message: `${name} gave no answer within ${deadlineMs} ms`,
              retryable: true,
              params: { method: name, deadlineMs },
            }),
          deadlineMs,
        )
      }
      options.signal?.addEventListener('abort', onAbort, { once: true })
      post(calls, definition.transfer, stamped({ callId, method, input })).then(
        (result) => {
          if (!result.ok) return fail(result.error)
          const value = definition.output.safeParse(result.value)
          if (!value.success) return fail({ code: WireErrorCode.BAD_OUTPUT, message: `${name}: ${describeIssues(value.error)}` })
          settle(() => resolve(value.data))
        },
        (thrown: unknown) => fail(notCloneable(name, thrown)),
      )
    })
  }

  const client: Record<string, (input: unknown, options?: CallOptions) => Promise<unknown>> = {}
  for (const method of Object.keys(service.methods)) client[method] = (input, options = {}) => invoke(method, input, options)
  return {
    client: client as ServiceClient<S>,
    pendingCalls: () => [...pending.values()].map((call) => call.method),
    onClose: (listener) => void (closed ? listener() : closeListeners.push(listener)),
    close: () => {
      lose()
      port.close()
    },
  }
}

/** The two remote functions, taken once: asking the proxy each time makes and registers a new proxy each time. */
type Calls = Pick<Comlink.Remote<WireTarget>, 'call' | 'cancel'>

function stamped(request: CallRequest): CallRequest {
  const meter = callMeter()
  return meter === undefined ? request : { ...request, sentAt: meter.now() }
}

async function post(calls: Calls, transfer: readonly string[] | undefined, request: CallRequest): Promise<CallResult> {
  if (transfer === undefined) return calls.call(request)
  const fields = request.input as Record<string, unknown>
  const ports = transfer.map((field) => fields[field]).filter((value) => value !== undefined)
  return calls.call(Comlink.transfer(request, ports as Comlink.TransferHandler<unknown, unknown>[] as never))
}

function cancelled(name: string): AppError {
  return new AppError({ code: WireErrorCode.CALL_CANCELLED, message: `${name} was cancelled` })
}

/** Node keeps its event loop up for an open port with a listener, which this one has by now; for a closed port it does not. */
function isClosedNodePort(port: Port & { hasRef?(): boolean | undefined }): boolean {
  return port.hasRef !== undefined && port.hasRef() !== true
}

/** What Comlink sends in place of an answer that cannot be cloned. */
const ANSWER_NOT_CLONEABLE = 'Unserializable return value'

/** Structured clone refuses proxies (a Vue reactive object), functions and class instances with private state. */
function notCloneable(name: string, thrown: unknown): AppErrorData {
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  const part = message === ANSWER_NOT_CLONEABLE ? 'output' : 'input'
  return {
    code: WireErrorCode.NOT_CLONEABLE,
    message: `${name}: the ${part} cannot cross a thread (${message}); pass plain data, not a reactive object`,
    params: { method: name, part },
  }
}

/** A cancel that meets a dying worker has nobody left to tell; the call itself is already settled. */
function ignoreLateFailure(): void {}
