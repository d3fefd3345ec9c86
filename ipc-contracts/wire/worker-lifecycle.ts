/** What the supervisor and a worker say to each other on the worker's parent port. Plain envelopes, no Comlink. */
import type { AppErrorData } from './app-error.ts'
import type { Port } from './port.ts'

/** The four long-lived workers. The fifth concern, context, is a Piscina pool owned by the session worker. */
export type WorkerName = 'session' | 'llm' | 'tools' | 'storage'

export interface WorkerData {
  readonly name: WorkerName
  /** Profile folder (`METONA_HOME`). */
  readonly profile: string
  /** Folder of the built bundles; in tests the source entry points are used instead. */
  readonly bundles: string
  readonly agentVersion: string
}

export type ToWorker =
  | { readonly type: 'peer'; readonly peer: WorkerName; readonly port: Port }
  /** Session worker only: a client (window, page, terminal). `remote` clients get posts already encoded as JSON text. */
  | { readonly type: 'client'; readonly clientId: string; readonly port: Port; readonly remote: boolean }
  /** Tools worker only: where the command host listens, and the one-time token to say first. */
  | { readonly type: 'command_host'; readonly socketPath: string; readonly token: string }
  /** What was asked for with `need` could not be started. */
  | { readonly type: 'need_failed'; readonly peer: WorkerName | 'command_host'; readonly error: AppErrorData }
  | { readonly type: 'native_result'; readonly id: number; readonly value?: unknown; readonly error?: AppErrorData }
  | { readonly type: 'ping'; readonly id: number }
  /** The machine slept or woke: freeze deadlines, drop pooled sockets. */
  | { readonly type: 'power'; readonly state: 'suspend' | 'resume' }
  | { readonly type: 'stop' }

export type FromWorker =
  | { readonly type: 'ready'; readonly threadId: number }
  /** Start that worker if needed and send a port to it. */
  | { readonly type: 'need'; readonly peer: WorkerName | 'command_host' }
  | { readonly type: 'native'; readonly id: number; readonly method: string; readonly params: unknown }
  | { readonly type: 'pong'; readonly id: number }
  | { readonly type: 'stopped' }
  | { readonly type: 'log'; readonly level: 'info' | 'warn' | 'error'; readonly message: string }
