/**
 * The pipeline host: workers, the relay to them and the command host, put together the same way for every
 * shell. Loads neither zod nor Comlink; the first request travels as a plain envelope.
 */
import path from 'node:path'
import { MessageChannel, type MessagePort, type ResourceLimits } from 'node:worker_threads'
import type { LoopDelay } from '#contracts/health/thread-health.ts'
import type { NativeServices } from '#contracts/native/native-services.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { AGENT_VERSION } from './agent-version.ts'
import { keepCommandHost, type RunningCommandHost } from './command-host-keeper.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { resetMessage } from './host-messages.ts'
import { localPorts } from './local-port.ts'
import { loopDelayMeter } from './loop-delay-meter.ts'
import type { WorkerTiming } from './managed-worker.ts'
import { nativeAnswers } from './native-answers.ts'
import type { RestartPolicy } from './restart-budget.ts'
import { relay, type Relay } from './router.ts'
import { supervise, type Supervisor, type WorkerHealth } from './supervisor.ts'
import type { WorkerExit } from './worker-exit.ts'

export interface HostOptions {
  /** Profile folder (`METONA_HOME`). */
  readonly profile: string
  /** Folder of the built bundles. */
  readonly bundles: string
  /** Default: `<bundles>/<name>/entry.js`. */
  entryFor?(name: WorkerName): string | URL
  /** Default: `<bundles>/command-host/entry.js`. */
  readonly commandHostEntry?: string
  /** Default: `commandHostEntry` as a child process of this one. */
  launchCommandHost?(): Promise<RunningCommandHost>
  readonly native?: Partial<NativeServices>
  onLog?(name: WorkerName, level: 'info' | 'warn' | 'error', message: string): void
  /** A worker ended without being asked to. */
  onWorkerExit?(exit: WorkerExit): void
  /** The session worker is gone for good: every client port is closed right after this, the shell should end or start a new host. */
  onFailed?(exit: WorkerExit): void
  readonly timing?: Partial<Record<WorkerName, Partial<WorkerTiming>>>
  readonly limits?: Partial<Record<WorkerName, ResourceLimits>>
  readonly restart?: RestartPolicy
}

export interface HostHealth {
  readonly workers: WorkerHealth[]
  readonly clients: number
  readonly commandHost: boolean
  /** Delay of the host's own event loop since the last reading, milliseconds. The first reading starts the meter. */
  readonly loopDelay: LoopDelay
}

export interface Host {
  /** A client end for something that lives in this thread. Starts the session worker. */
  connect(): Port
  /** Serves a client behind `port`. `remote`: it takes each message as JSON text. Starts the session worker. */
  attach(port: Port, options: { remote: boolean }): void
  /** Starts workers ahead of their first use. */
  warm(...names: WorkerName[]): void
  power(state: 'suspend' | 'resume'): void
  /** Ends all workers and the command host. Resolves after `deadlineMs` at the latest. */
  stop(deadlineMs: number): Promise<void>
  health(): HostHealth
  readonly supervisor: Supervisor
}

interface Client {
  readonly id: string
  readonly remote: boolean
  readonly relay: Relay
}

/** Milliseconds after the start. */
const REAP_AFTER_MS = 2_000

/** Records of running command hosts. */
const recordsOf = (profile: string): string => path.join(profile, 'command-hosts')

export function composeHost(options: HostOptions): Host {
  const clients = new Set<Client>()
  let clientCount = 0
  const commandHost = keepCommandHost(
    options.launchCommandHost ??
      (() => launchChild(options.commandHostEntry ?? path.join(options.bundles, 'command-host', 'entry.js'), recordsOf(options.profile))),
  )
  const native = nativeAnswers(options.native ?? {})
  const loopDelay = loopDelayMeter()
  const log = options.onLog ?? (() => undefined)
  const reaping = setTimeout(() => {
    reapLater(options.profile).catch((thrown: unknown) =>
      log('tools', 'warn', `leftovers of an earlier run: ${toErrorData(thrown).message}`),
    )
  }, REAP_AFTER_MS)
  reaping.unref()

  const supervisor = supervise({
    data: { profile: options.profile, bundles: options.bundles, agentVersion: AGENT_VERSION },
    entryFor: (name) => options.entryFor?.(name) ?? path.join(options.bundles, name, 'entry.js'),
    ...(options.timing === undefined ? {} : { timing: options.timing }),
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.restart === undefined ? {} : { restart: options.restart }),
    commandHost: commandHost.address,
    native: (method, params) => (method === 'hostHealth' ? Promise.resolve(health()) : native(method, params)),
    onLog: log,
    onExit: (exit) => {
      log(exit.name, 'error', `${exit.reason}: ${exit.message}`)
      options.onWorkerExit?.(exit)
      if (exit.name === 'session') replaceSession(exit)
    },
  })

  /** What the client says before the worker exists waits in the channel. */
  function joinToSession(client: Client): void {
    const { port1, port2 } = new MessageChannel()
    client.relay.switchTo(asPort(port1))
    supervisor
      .send('session', { type: 'client', clientId: client.id, port: asPort(port2), remote: client.remote }, [port2])
      .catch((thrown: unknown) => {
        log('session', 'error', toErrorData(thrown).message)
        client.relay.close()
      })
  }

  function replaceSession(exit: WorkerExit): void {
    if (exit.restarting) {
      for (const client of clients) {
        joinToSession(client)
        client.relay.tell(resetMessage(exit.reason, client.remote))
      }
      return
    }
    // First the reason, so that whoever loses its port can say it.
    options.onFailed?.(exit)
    for (const client of [...clients]) client.relay.close()
  }

  function attach(port: Port, { remote }: { remote: boolean }): void {
    const client: Client = { id: `client_${++clientCount}`, remote, relay: relay(port, () => clients.delete(client)) }
    clients.add(client)
    joinToSession(client)
  }

  function health(): HostHealth {
    return { workers: supervisor.health(), clients: clients.size, commandHost: commandHost.running(), loopDelay: loopDelay.read() }
  }

  return {
    connect: () => {
      const [near, far] = localPorts()
      attach(far, { remote: false })
      return near
    },
    attach,
    warm: (...names) => {
      for (const name of names) supervisor.ensure(name).catch((thrown: unknown) => log(name, 'error', toErrorData(thrown).message))
    },
    power: (state) => supervisor.broadcast({ type: 'power', state }),
    stop: async (deadlineMs) => {
      clearTimeout(reaping)
      let timer: NodeJS.Timeout | undefined
      const settled = (async () => {
        await supervisor.stop()
        await commandHost.stop()
      })()
      await Promise.race([settled, new Promise((resolve) => (timer = setTimeout(resolve, deadlineMs)))])
      clearTimeout(timer)
      for (const client of [...clients]) client.relay.close()
    },
    health,
    supervisor,
  }
}

function asPort(port: MessagePort): Port {
  return port as unknown as Port
}

async function launchChild(entry: string, records: string): Promise<RunningCommandHost> {
  const { launchCommandHost } = await import('#main/command-host/launch.ts')
  return launchCommandHost({ entry, execPath: process.execPath, records })
}

/** What a killed run left waits until the first request is out. */
async function reapLater(profile: string): Promise<void> {
  const { reapLeftovers } = await import('#main/command-host/launch.ts')
  await reapLeftovers(recordsOf(profile))
}
