/** Starts, joins, restarts and stops the four worker threads. Never looks into what they say to each other. */
import { MessageChannel, type ResourceLimits, type Transferable } from 'node:worker_threads'
import type { Port } from '#contracts/wire/port.ts'
import type { FromWorker, ToWorker, WorkerData, WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import type { CommandHostAddress } from './command-host-keeper.ts'
import { toErrorData, AppError } from '#contracts/wire/app-error.ts'
import { managedWorker, type ManagedWorker, type WorkerState, type WorkerTiming } from './managed-worker.ts'
import { DEFAULT_RESTART_POLICY, restartBudget, type RestartPolicy } from './restart-budget.ts'
import { workerFailed, type WorkerExit } from './worker-exit.ts'
import { WORKER_LIMITS } from './worker-limits.ts'

export const WORKER_NAMES: readonly WorkerName[] = ['session', 'llm', 'tools', 'storage']

export interface SupervisorOptions {
  readonly data: Omit<WorkerData, 'name'>
  entryFor(name: WorkerName): string | URL
  readonly timing?: Partial<Record<WorkerName, Partial<WorkerTiming>>>
  readonly limits?: Partial<Record<WorkerName, ResourceLimits>>
  readonly restart?: RestartPolicy
  /** Started when first needed, again after it died. */
  commandHost(): Promise<CommandHostAddress>
  native(method: string, params: unknown): Promise<unknown>
  onLog(name: WorkerName, level: 'info' | 'warn' | 'error', message: string): void
  /** Called for every unexpected end, after the state has changed. */
  onExit(exit: WorkerExit): void
}

export interface WorkerHealth {
  readonly name: WorkerName
  readonly state: WorkerState
  readonly threadId: number | undefined
  readonly restarts: number
  readonly startedInMs: number | undefined
  /** Share of time its event loop was busy since the thread started; undefined without a thread. */
  readonly utilization: number | undefined
}

export interface Supervisor {
  /** Resolves when the thread exists. Rejects with a AppError, `WORKER_FAILED` or `HOST_STOPPING`. */
  ensure(name: WorkerName): Promise<void>
  /** Starts the worker when needed, then posts. */
  send(name: WorkerName, message: ToWorker, transfer?: readonly Transferable[]): Promise<void>
  broadcast(message: ToWorker): void
  /** Session first, so that it can settle with the others still there; never starts anything again. */
  stop(): Promise<void>
  health(): WorkerHealth[]
  /** For tests and the bench: the thread behind a name. */
  worker(name: WorkerName): ManagedWorker
}

const DEFAULT_TIMING: WorkerTiming = { startDeadlineMs: 30_000, stopDeadlineMs: 2_000, heartbeat: { intervalMs: 2_000, missLimit: 5 } }
/** SQLite blocks its thread while it waits for a lock or a slow disk; that is a delay, not a death. */
const STORAGE_TIMING: WorkerTiming = { ...DEFAULT_TIMING, heartbeat: { intervalMs: 2_000, missLimit: 13 } }

/** It stops by letting every session settle on disk; the shells wait longer than this. */
const SESSION_TIMING: WorkerTiming = { ...DEFAULT_TIMING, stopDeadlineMs: 6_000 }
const TIMING: Record<WorkerName, WorkerTiming> = {
  session: SESSION_TIMING,
  llm: DEFAULT_TIMING,
  tools: DEFAULT_TIMING,
  storage: STORAGE_TIMING,
}

export function supervise(options: SupervisorOptions): Supervisor {
  const slots = new Map(WORKER_NAMES.map((name) => [name, createSlot(name)]))
  let stopping = false

  function createSlot(name: WorkerName): Slot {
    const slot: Slot = {
      budget: restartBudget(options.restart ?? DEFAULT_RESTART_POLICY),
      restarts: 0,
      lastMessage: '',
      backOff: undefined,
      worker: managedWorker({
        entry: options.entryFor(name),
        data: { ...options.data, name },
        limits: options.limits?.[name] ?? WORKER_LIMITS[name],
        timing: { ...TIMING[name], ...options.timing?.[name] },
        onMessage: (message) => receive(slot.worker, message),
        onOutput: (text) => options.onLog(name, 'warn', text),
        onReady: () => options.onLog(name, 'info', 'ready'),
        onUnexpectedExit: (reason, message) => {
          slot.lastMessage = message
          const delayMs = stopping ? undefined : slot.budget.take(performance.now())
          const restarting = delayMs !== undefined
          if (restarting) restart(slot, delayMs)
          else slot.worker.giveUp()
          options.onExit({ name, reason, message, restarting })
        },
      }),
    }
    return slot
  }

  function slotOf(name: WorkerName): Slot {
    return slots.get(name) as Slot
  }

  function restart(slot: Slot, delayMs: number): void {
    slot.restarts += 1
    slot.backOff = delay(delayMs).then(async () => {
      slot.backOff = undefined
      if (!stopping) await slot.worker.start()
    })
  }

  async function ensure(name: WorkerName): Promise<void> {
    const slot = slotOf(name)
    if (stopping) throw new AppError({ code: 'HOST_STOPPING', message: 'the app is closing' })
    // A need that comes after a while is a person trying again.
    if (slot.worker.state() === 'failed' && slot.budget.allows(performance.now())) slot.worker.forgive()
    if (slot.worker.state() === 'failed') throw workerFailed(name, slot.lastMessage)
    await (slot.backOff ?? slot.worker.start())
  }

  /** Both ends go out at once; what the peers say waits in the channel until each is ready. */
  async function join(asking: ManagedWorker, wanted: WorkerName): Promise<void> {
    const asked = asking.thread()
    await ensure(wanted)
    if (asking.thread() !== asked) return
    const { port1, port2 } = new MessageChannel()
    const reached = slotOf(wanted).worker.post({ type: 'peer', peer: asking.name, port: port2 as unknown as Port }, [port2])
    if (!reached) throw workerFailed(wanted, slotOf(wanted).lastMessage)
    asking.post({ type: 'peer', peer: wanted, port: port1 as unknown as Port }, [port1])
  }

  async function giveCommandHost(asking: ManagedWorker): Promise<void> {
    const asked = asking.thread()
    const address = await options.commandHost()
    if (asking.thread() === asked) asking.post({ type: 'command_host', socketPath: address.socketPath, token: address.token })
  }

  async function answerNative(asking: ManagedWorker, id: number, method: string, params: unknown): Promise<void> {
    const asked = asking.thread()
    const result = await options.native(method, params).then(
      (value): ToWorker => ({ type: 'native_result', id, value }),
      (thrown: unknown): ToWorker => ({ type: 'native_result', id, error: toErrorData(thrown) }),
    )
    if (asking.thread() !== asked) return
    try {
      asking.post(result)
    } catch (thrown) {
      asking.post({
        type: 'native_result',
        id,
        error: { code: 'NOT_CLONEABLE', message: `the answer of ${method} cannot cross a thread: ${String(thrown)}` },
      })
    }
  }

  function receive(worker: ManagedWorker, message: Exclude<FromWorker, { type: 'pong' | 'stopped' | 'ready' }>): void {
    switch (message.type) {
      case 'need': {
        const given = message.peer === 'command_host' ? giveCommandHost(worker) : join(worker, message.peer)
        given.catch((thrown: unknown) => worker.post({ type: 'need_failed', peer: message.peer, error: toErrorData(thrown) }))
        return
      }
      case 'native':
        return void answerNative(worker, message.id, message.method, message.params)
      case 'log':
        return options.onLog(worker.name, message.level, message.message)
      default:
        return unknownMessage(message)
    }
  }

  return {
    ensure,
    send: async (name, message, transfer) => {
      await ensure(name)
      if (!slotOf(name).worker.post(message, transfer)) throw workerFailed(name, slotOf(name).lastMessage)
    },
    broadcast: (message) => {
      for (const { worker } of slots.values()) worker.post(message)
    },
    stop: async () => {
      stopping = true
      await slotOf('session').worker.stop()
      await Promise.all([...slots.values()].map((slot) => slot.worker.stop()))
    },
    health: () =>
      [...slots.values()].map(({ worker, restarts }) => ({
        name: worker.name,
        state: worker.state(),
        threadId: worker.threadId(),
        restarts,
        startedInMs: worker.startedInMs(),
        utilization: worker.thread()?.performance.eventLoopUtilization().utilization,
      })),
    worker: (name) => slotOf(name).worker,
  }
}

interface Slot {
  readonly worker: ManagedWorker
  readonly budget: ReturnType<typeof restartBudget>
  restarts: number
  lastMessage: string
  /** Pending while a restart waits its turn. */
  backOff: Promise<void> | undefined
}

function delay(milliseconds: number): Promise<void> {
  return milliseconds === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function unknownMessage(_message: never): void {}
