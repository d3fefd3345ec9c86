/** The start and the end of every long-lived worker: what it is given, what it may ask for, how it stops. */
import { parentPort, threadId, workerData } from 'node:worker_threads'
import { AppError, type AppErrorData } from '#contracts/wire/app-error.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { FromWorker, ToWorker, WorkerData, WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { startMetering } from './metering/thread-meter.ts'
import { createRedactor, secretsOfEnvironment, type Redactor } from './redact.ts'

export interface WorkerContext {
  readonly data: WorkerData
  /** A fresh port to that worker, which is started when needed. Ask again after the port closed. */
  peer(name: WorkerName): Promise<Port>
  /** Starts the command host when needed. Ask again when the socket refuses or closes. */
  commandHost(): Promise<{ socketPath: string; token: string }>
  /** A service only the shell has; rejects with `NOT_AVAILABLE` where it has none. */
  native(method: string, params: unknown): Promise<unknown>
  log(level: 'info' | 'warn' | 'error', message: string): void
}

export interface WorkerParts {
  /** Another worker connected: serve it on `port`. */
  onPeer?(peer: WorkerName, port: Port): void
  onClient?(client: { clientId: string; port: Port; remote: boolean }): void
  onPower?(state: 'suspend' | 'resume'): void
  /** Close what is open. The supervisor terminates the thread 2 s after asking. */
  stop(): Promise<void>
}

interface Waiter<T> {
  resolve(value: T): void
  reject(error: AppError): void
}

/** Runs `setup` and reports readiness. Called once, by a worker's entry file. */
export function startWorker(setup: (context: WorkerContext) => WorkerParts): void {
  const port = parentPort
  if (port === null) throw new Error('a worker entry must run in a worker thread')
  startMetering((workerData as WorkerData).name)
  const peers = new Map<WorkerName, Waiter<Port>[]>()
  const commandHosts: Waiter<{ socketPath: string; token: string }>[] = []
  const natives = new Map<number, Waiter<unknown>>()
  let nextNativeId = 1
  let redactor: Redactor | undefined
  const post = (message: FromWorker): void => port.postMessage(message)

  const context: WorkerContext = {
    data: workerData as WorkerData,
    peer: (name) =>
      new Promise((resolve, reject) => {
        const waiting = peers.get(name) ?? []
        peers.set(name, [...waiting, { resolve, reject }])
        post({ type: 'need', peer: name })
      }),
    commandHost: () =>
      new Promise((resolve, reject) => {
        commandHosts.push({ resolve, reject })
        post({ type: 'need', peer: 'command_host' })
      }),
    native: (method, params) =>
      new Promise((resolve, reject) => {
        const id = nextNativeId++
        natives.set(id, { resolve, reject })
        post({ type: 'native', id, method, params })
      }),
    log: (level, message) =>
      post({ type: 'log', level, message: (redactor ??= createRedactor(secretsOfEnvironment(process.env))).text(message) }),
  }
  const parts = setup(context)

  const settleNative = (id: number, value: unknown, error: AppErrorData | undefined): void => {
    const waiter = natives.get(id)
    natives.delete(id)
    if (error === undefined) waiter?.resolve(value)
    else waiter?.reject(new AppError(error))
  }
  port.on('message', (message: ToWorker) => {
    switch (message.type) {
      case 'peer': {
        // A port that was asked for answers the oldest request; one that comes unasked is a caller to serve.
        const waiter = peers.get(message.peer)?.shift()
        if (waiter !== undefined) waiter.resolve(message.port)
        else parts.onPeer?.(message.peer, message.port)
        return
      }
      case 'client':
        return parts.onClient?.(message)
      case 'command_host':
        return void commandHosts.shift()?.resolve({ socketPath: message.socketPath, token: message.token })
      case 'need_failed': {
        const waiter = message.peer === 'command_host' ? commandHosts.shift() : peers.get(message.peer)?.shift()
        return waiter?.reject(new AppError(message.error))
      }
      case 'native_result':
        return settleNative(message.id, message.value, message.error)
      case 'ping':
        return post({ type: 'pong', id: message.id })
      case 'power':
        return parts.onPower?.(message.state)
      case 'stop':
        void parts
          .stop()
          .catch((error: unknown) => context.log('error', `stop failed: ${String(error)}`))
          .then(() => {
            post({ type: 'stopped' })
            port.close()
          })
    }
  })
  post({ type: 'ready', threadId })
}
