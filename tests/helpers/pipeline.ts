/** The whole pipeline inside the test's process, from the sources, with a client to it and the means to kill its workers. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { composeHost, type Host, type HostOptions } from '#main/host/compose.ts'
import type { WorkerExit } from '#main/host/worker-exit.ts'
import { createClient, type Client } from '#main/cli/client.ts'
import { followSession, type Follower } from '#main/cli/follow-session.ts'
import { eventually } from './eventually.ts'
import type { CliPlace } from './cli.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')

export interface Pipeline {
  readonly host: Host
  readonly client: Client
  readonly exits: WorkerExit[]
  /** Opens the place's workspace for writing. @returns its real path. */
  open(): Promise<string>
  session(settings?: SessionSettings): Promise<PipelineSession>
  kill(name: WorkerName): Promise<void>
  stop(): Promise<void>
}

export interface PipelineSession {
  readonly sessionId: string
  readonly events: SessionEvent[]
  readonly deltas: StreamDelta[]
  prompt(content: string): Promise<void>
  /** The event that ends turn `turn`. */
  ended(turn: number): Promise<Extract<SessionEvent, { event: 'turn_end' }>>
  /** Takes the session up again after the session worker was replaced. */
  takeUp(): Promise<void>
}

/** Provider keys and base URLs come from `place.environment`, which is put into this process's. */
export function startPipeline(place: CliPlace, options: Partial<HostOptions> = {}): Pipeline {
  for (const [name, value] of Object.entries(place.environment)) if (/_(API_KEY|BASE_URL)$/.test(name)) process.env[name] = value
  const exits: WorkerExit[] = []
  const host = composeHost({
    profile: place.profile,
    bundles: path.join(ROOT, 'out'),
    entryFor: (name) => path.join(ROOT, 'workers', name, 'entry.ts'),
    commandHostEntry: path.join(ROOT, 'main', 'command-host', 'entry.ts'),
    onWorkerExit: (exit) => exits.push(exit),
    ...options,
  })
  const client = createClient(host.connect())
  let workspace = ''

  const open = async (): Promise<string> => {
    workspace = (await client.call('workspace.open', { path: place.workspace, trust: 'once' })).workspace
    return workspace
  }

  const session = async (settings: SessionSettings = {}): Promise<PipelineSession> => {
    const { sessionId } = await client.call('session.create', { workspace, interactive: false, ...settings })
    const events: SessionEvent[] = []
    const deltas: StreamDelta[] = []
    const follower: Follower = followSession(client, {
      workspace,
      sessionId,
      fromSeq: 0,
      onEvent: (event) => events.push(event),
      onDelta: (delta) => deltas.push(delta),
      onSnapshot: () => undefined,
      // The session worker's death is part of some tests; what matters is what arrives afterwards.
      onFailure: () => undefined,
    })
    await follower.subscribe()
    return {
      sessionId,
      events,
      deltas,
      prompt: async (content) =>
        void (await client.call('session.prompt', { sessionId, messageId: `m_${randomBytes(8).toString('hex')}`, content })),
      ended: (turn) =>
        eventually(
          `turn ${turn} of ${sessionId} to end`,
          () =>
            events.find(
              (event): event is Extract<SessionEvent, { event: 'turn_end' }> => event.event === 'turn_end' && event.turn === turn,
            ),
          60_000,
        ),
      takeUp: async () => {
        await client.call('session.open', { workspace, sessionId, interactive: false })
        await follower.subscribe()
      },
    }
  }

  return {
    host,
    client,
    exits,
    open,
    session,
    kill: async (name) => {
      const before = host.supervisor.worker(name).threadId()
      await host.supervisor.worker(name).thread()?.terminate()
      await eventually(`the ${name} worker to be replaced`, () => ![before, undefined].includes(host.supervisor.worker(name).threadId()))
    },
    stop: async () => {
      await client.call('app.shutdown', { deadlineMs: 5_000 }, 10_000).catch(() => undefined)
      await host.stop(5_000)
    },
  }
}
