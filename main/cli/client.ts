/** A client of the session worker on a port, in plain envelopes: no schema library, no RPC library. */
import type { Banner, ClientMessage, HostMessage, PostPart } from '#contracts/session/client-protocol.ts'
import type { commands } from '#contracts/session/commands.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'
import { AppError, type AppErrorData } from '#contracts/wire/app-error.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'

type Calls = ServiceClient<typeof commands>
export type MethodName = keyof Calls
export type Input<M extends MethodName> = Parameters<Calls[M]>[0]
export type Output<M extends MethodName> = Awaited<ReturnType<Calls[M]>>

export interface Client {
  /** Rejects with a AppError: what the session worker said, `CALL_TIMEOUT`, or `WORKER_LOST` when it died or the port closed. */
  call<M extends MethodName>(method: M, params: Input<M>, deadlineMs?: number): Promise<Output<M>>
  /** One session's parts of the posts. @returns ends it. */
  watch(sessionId: string, listener: (part: PostPart) => void): () => void
  onBanners(listener: (banners: readonly Banner[]) => void): void
  /** The session worker was replaced: subscribe again. @returns takes the listener back. */
  onReset(listener: () => void): () => void
  close(): void
}

export interface ClientOptions {
  /** Posts are acknowledged only while this is true; without acknowledgements deltas stop and a snapshot follows. */
  ready?(): boolean
  /** Why the port was closed for good, where somebody knows. */
  whyGone?(): AppErrorData | undefined
}

/** Acknowledgements are at least this far apart. */
const ACK_INTERVAL_MS = 100
/** Longer than any call's own deadline on the other side; a backstop, not a budget. */
const DEADLINE_MS = 130_000

export function createClient(port: Port, options: ClientOptions = {}): Client {
  const pending = new Map<number, { method: string; settle(message: Extract<HostMessage, { id: number }>): void }>()
  const watchers = new Map<string, (part: PostPart) => void>()
  const bannerListeners: ((banners: readonly Banner[]) => void)[] = []
  const resetListeners = new Set<() => void>()
  let nextId = 1
  let received = 0
  let acknowledged = 0
  let ackTimer: NodeJS.Timeout | undefined
  let closed = false

  const send = (message: ClientMessage): void => port.postMessage(message)

  const acknowledge = (): void => {
    if (ackTimer !== undefined || received === acknowledged) return
    ackTimer = setTimeout(() => {
      ackTimer = undefined
      if (closed) return
      if (options.ready?.() ?? true) {
        acknowledged = received
        send({ type: 'ack', post: received })
      } else acknowledge()
    }, ACK_INTERVAL_MS)
  }

  const gone = (detail: string): AppErrorData =>
    (closed ? options.whyGone?.() : undefined) ?? { code: 'WORKER_LOST', message: `the session worker is gone${detail}`, retryable: true }
  const lose = (): void => {
    const names = [...pending.values()].map((call) => call.method)
    for (const [id] of pending) fail(id, gone(`; calls in flight: ${names.join(', ')}`))
  }
  const fail = (id: number, error: AppErrorData): void => pending.get(id)?.settle({ type: 'failure', id, error })

  listen(port, (data) => {
    const message = data as HostMessage
    switch (message.type) {
      case 'result':
      case 'failure':
        return pending.get(message.id)?.settle(message)
      case 'post':
        received = message.post
        acknowledge()
        for (const part of message.parts) watchers.get(part.sessionId)?.(part)
        return
      case 'banners':
        for (const listener of bannerListeners) listener(message.banners)
        return
      case 'reset':
        received = 0
        acknowledged = 0
        lose()
        for (const listener of [...resetListeners]) listener()
        return
      case 'list':
        return
    }
  })
  port.addEventListener('close', () => {
    closed = true
    clearTimeout(ackTimer)
    lose()
  })
  port.start()

  return {
    call: (method, params, deadlineMs = DEADLINE_MS) =>
      new Promise((resolve, reject) => {
        const id = nextId++
        const answered = awakeTimeout(
          () =>
            fail(id, {
              code: 'CALL_TIMEOUT',
              message: `${method} gave no answer within ${deadlineMs} ms`,
              retryable: true,
              params: { method, deadlineMs },
            }),
          deadlineMs,
        )
        pending.set(id, {
          method,
          settle: (message) => {
            pending.delete(id)
            answered()
            if (message.type === 'result') resolve(message.value as never)
            else reject(new AppError(message.error))
          },
        })
        if (closed) return fail(id, gone(''))
        send({ type: 'call', id, method, params })
      }),
    watch: (sessionId, listener) => {
      watchers.set(sessionId, listener)
      return () => {
        if (watchers.get(sessionId) === listener) watchers.delete(sessionId)
      }
    },
    onBanners: (listener) => bannerListeners.push(listener),
    onReset: (listener) => {
      resetListeners.add(listener)
      return () => void resetListeners.delete(listener)
    },
    close: () => port.close(),
  }
}
