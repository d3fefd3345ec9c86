/** One prompt in one session from start to end, for `run` and `batch`. */
import { setTimeout as wait } from 'node:timers/promises'
import type { SessionEvent, SessionEventOf } from '#contracts/session/session-event.ts'
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { Client } from './client.ts'
import { followSession, type Follower } from './follow-session.ts'
import type { StorageTrouble } from './storage-trouble.ts'

export interface TurnOrder {
  /** As `workspace.open` answered. */
  readonly workspace: string
  readonly trust: 'stored' | 'once'
  /** An existing session; a new one without. */
  readonly sessionId?: string | undefined
  readonly settings: SessionSettings
  readonly prompt: string
  /** Somebody is there to be asked. */
  readonly interactive: boolean
}

export interface TurnWatcher {
  onEvent(event: SessionEvent): void
  /** Left out where nobody reads along: then nothing is sent while an answer streams. */
  onDelta?(delta: StreamDelta, rev: number, sessionId: string): void
  onSnapshot(snapshot: SessionSnapshot): void
}

export interface TurnOutcome {
  readonly sessionId: string
  /** Undefined when it was stopped before the turn had begun. */
  readonly end: SessionEventOf<'turn_end'> | undefined
  /** Tool calls of this turn that were not allowed. */
  readonly denied: number
  readonly usage: SessionEventOf<'turn_end'>['usage']
}

export interface DriverParts {
  readonly client: Client
  readonly trouble: StorageTrouble
}

export interface TurnDriver {
  /** Resolves when the turn and, unless `keepOpen`, the session have ended on disk and every event was given to the watcher. */
  readonly outcome: Promise<TurnOutcome>
  /** Ends the turn; `outcome` then resolves with what it became. */
  stop(): void
}

/** Longer than the disk or database is held up in ordinary life; after it a run that nobody watches gives up. */
const STORAGE_PATIENCE_MS = 60_000
/** For a turn that reached its time limit to settle. */
const LIMIT_GRACE_MS = 10_000
const LOOK_INTERVAL_MS = 1_000
/** How long the end of a stopped turn may take to arrive before the session is closed without it. */
const STOP_PATIENCE_MS = 10_000

export function driveTurn(options: DriverParts, order: TurnOrder, watcher: TurnWatcher): TurnDriver {
  const { client } = options
  const messageId = newMessageId()
  const { workspace } = order
  let stopRequested = false
  let sessionId = ''
  let follower: Follower | undefined
  let turn: number | undefined
  let denied = 0
  let end: SessionEventOf<'turn_end'> | undefined
  let ended: () => void = () => undefined
  let broke: (error: unknown) => void = () => undefined
  const turnEnded = new Promise<void>((resolve, reject) => {
    ended = resolve
    broke = reject
  })
  turnEnded.catch(() => undefined)

  const onEvent = (event: SessionEvent): void => {
    watcher.onEvent(event)
    if (event.event === 'user_message' && event.messageId === messageId) turn = event.turn
    if (turn === undefined || event.turn !== turn) return
    if (event.event === 'tool_result' && event.outcome === 'denied') denied += 1
    if (event.event !== 'turn_end') return
    end = event
    ended()
  }

  const openSession = async (): Promise<number> => {
    if (order.sessionId === undefined) {
      sessionId = (await client.call('session.create', { ...order.settings, workspace, interactive: order.interactive })).sessionId
      return 0
    }
    const { sessions } = await client.call('session.list', { workspace })
    const before = sessions.find((session) => session.sessionId === order.sessionId)?.lastSeq ?? -1
    sessionId = (
      await client.call('session.open', { ...order.settings, workspace, sessionId: order.sessionId, interactive: order.interactive })
    ).sessionId
    return before + 1
  }

  /** The session worker was replaced: the session is taken up again, and the turn that was cut off gets its end there. */
  const takeUp = async (): Promise<void> => {
    await client.call('workspace.open', { path: workspace, trust: order.trust })
    if (sessionId === '') return broke(new Error('the session worker ended before the session was made'))
    await client.call('session.open', { workspace, sessionId, interactive: order.interactive })
    await follower?.subscribe()
  }
  const forget = client.onReset(() => {
    if (end === undefined) takeUp().catch(broke)
  })

  /** The end of a turn is an event, so it comes only when it can be stored. */
  const givingUp = async (end: Promise<void>): Promise<void> => {
    const limitMs = order.settings.timeoutSeconds === undefined ? Infinity : order.settings.timeoutSeconds * 1000 + LIMIT_GRACE_MS
    const startedAt = performance.now()
    const timer = setInterval(() => {
      const trouble = options.trouble.current()
      const late = performance.now() - startedAt > limitMs
      if (trouble !== undefined && (late || trouble.forMs > STORAGE_PATIENCE_MS)) broke(trouble.error)
      else if (late) broke(new AppError({ code: 'TURN_TIMEOUT', message: 'the turn did not end at its time limit' }))
    }, LOOK_INTERVAL_MS)
    await end.finally(() => clearInterval(timer))
  }

  const run = async (): Promise<TurnOutcome> => {
    const fromSeq = await openSession()
    follower = followSession(client, {
      workspace,
      sessionId,
      fromSeq,
      onEvent,
      ...(watcher.onDelta === undefined ? {} : { onDelta: (delta: StreamDelta, rev: number) => watcher.onDelta?.(delta, rev, sessionId) }),
      onSnapshot: watcher.onSnapshot,
      onFailure: broke,
    })
    await follower.subscribe()
    if (!stopRequested) {
      await client.call('session.prompt', { sessionId, messageId, content: order.prompt })
      if (stopRequested) askToStop()
      await givingUp(turnEnded)
    }
    await client.call('session.close', { sessionId })
    await follower.catchUp()
    follower.stop()
    return { sessionId, end, denied, usage: end?.usage }
  }

  const askToStop = (): void => {
    client.call('session.stop', { sessionId }).catch(broke)
    void wait(STOP_PATIENCE_MS, undefined, { ref: false }).then(ended)
  }

  return {
    outcome: run().finally(forget),
    stop: () => {
      if (stopRequested) return
      stopRequested = true
      if (follower !== undefined) askToStop()
    },
  }
}

/** Unique within a session; not a secret, and cheaper at start-up than loading the crypto module. */
function newMessageId(): string {
  const piece = (): string =>
    Math.floor(Math.random() * 36 ** 8)
      .toString(36)
      .padStart(8, '0')
  return `m_${piece()}${piece()}`
}
