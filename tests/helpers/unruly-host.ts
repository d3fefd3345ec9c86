/** A supervisor whose workers are all `unruly-worker.ts`, with everything it reports written down. */
import path from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { AppError } from '#contracts/wire/app-error.ts'
import { supervise, type Supervisor, type SupervisorOptions } from '#main/host/supervisor.ts'
import type { WorkerExit } from '#main/host/worker-exit.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import type { UnrulyReply, UnrulyRequest } from './unruly-worker.ts'

export const UNRULY_ENTRY = path.resolve(import.meta.dirname, 'unruly-worker.ts')

export interface UnrulyHost {
  readonly supervisor: Supervisor
  readonly exits: WorkerExit[]
  readonly logs: { name: WorkerName; level: string; message: string }[]
  /** A conversation with one worker; starts it. */
  talk(name: WorkerName): Promise<Talk>
}

export interface Talk {
  /** The next reply to it; rejects when the port closes first. */
  ask(request: UnrulyRequest): Promise<UnrulyReply>
  /** Says it without expecting an answer. */
  tell(request: UnrulyRequest): void
  readonly closed: Promise<void>
  /** Every reply so far. */
  readonly received: readonly UnrulyReply[]
}

export function unrulyHost(options: Partial<SupervisorOptions> = {}): UnrulyHost {
  const exits: WorkerExit[] = []
  const logs: UnrulyHost['logs'] = []
  const supervisor = supervise({
    data: { profile: '/nowhere', bundles: '/nowhere', agentVersion: '0' },
    entryFor: () => UNRULY_ENTRY,
    commandHost: () => Promise.reject(new AppError({ code: 'NOT_AVAILABLE', message: 'no command host here' })),
    native: () => Promise.reject(new AppError({ code: 'NOT_AVAILABLE', message: 'no native services here' })),
    onLog: (name, level, message) => logs.push({ name, level, message }),
    onExit: (exit) => exits.push(exit),
    ...options,
  })
  const talk = async (name: WorkerName): Promise<Talk> => {
    const { port1, port2 } = new MessageChannel()
    const received: UnrulyReply[] = []
    port1.on('message', (reply: UnrulyReply) => received.push(reply))
    const closed = new Promise<void>((resolve) => port1.once('close', () => resolve()))
    await supervisor.send(name, { type: 'client', clientId: 'test', port: port2 as unknown as Port, remote: false }, [port2])
    return {
      closed,
      received,
      tell: (request) => port1.postMessage(request),
      ask: (request) => {
        const reply = new Promise<UnrulyReply>((resolve) => port1.once('message', resolve))
        port1.postMessage(request)
        return Promise.race([reply, closed.then(() => Promise.reject(new Error('port closed')))])
      },
    }
  }
  return { supervisor, exits, logs, talk }
}
