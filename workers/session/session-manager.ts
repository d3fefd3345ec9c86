/** All live sessions: making, loading, recovering, closing. The one place that knows which sessions are in memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDelta, type SessionEntry } from '#contracts/session/client-protocol.ts'
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import { summarise } from '#contracts/session/reduce-session.ts'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import type { SessionSnapshot, SessionSummary } from '#contracts/session/session-snapshot.ts'
import { AppError, toErrorData } from '#contracts/wire/app-error.ts'
import { secretsOfUrl } from '#workers/shared/redact.ts'
import { AuthoritySeal } from './authority-seal.ts'
import { cappedAuthority, sealOfChanges } from './cap-authority.ts'
import type { ClientHub } from './client-hub.ts'
import { LiveSession } from './live-session.ts'
import { forkDrafts } from './fork-drafts.ts'
import { newId } from './new-id.ts'
import { recoveryDrafts } from './recover-session.ts'
import { keepSecret } from './keep-secret.ts'
import type { Services } from './services.ts'
import { SessionStore } from './session-store.ts'
import { compactAtWish } from './compact-at-wish.ts'
import type { CompactionEnd } from './compact-session.ts'
import { endInTools } from './end-in-tools.ts'
import { changedSettings, eventSettings, timeoutOf } from './session-settings.ts'
import { runLimitedTurn } from './run-limited-turn.ts'
import { readEvents } from './read-events.ts'
import { chooseModel, requireModel, turnConfig } from './session-config.ts'
import type { WorkspaceRegistry } from './workspace-registry.ts'

/** Between two attempts to take up a session whose events could not be written, milliseconds. */
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000

export class SessionManager {
  readonly #services: Services
  readonly #workspaces: WorkspaceRegistry
  readonly #sessions = new Map<string, LiveSession>()
  /** Loads under way, so that two clients opening one session get the same object. */
  readonly #loading = new Map<string, Promise<LiveSession>>()
  #hub: ClientHub | undefined

  readonly #seal: AuthoritySeal

  constructor(services: Services, workspaces: WorkspaceRegistry) {
    this.#services = services
    this.#workspaces = workspaces
    this.#seal = new AuthoritySeal(services.context.data.profile)
  }

  showOn(hub: ClientHub): void {
    this.#hub = hub
  }

  snapshot(sessionId: string): SessionSnapshot | undefined {
    return this.#sessions.get(sessionId)?.snapshot
  }

  /** Every session in memory that can be answered. */
  get live(): LiveSession[] {
    return [...this.#sessions.values()].filter((session) => session.failure === undefined && !session.closing)
  }

  setWatched(sessionId: string, watched: boolean): void {
    this.#sessions.get(sessionId)?.setWatched(watched)
  }

  /** @throws AppError SESSION_NOT_OPEN */
  get(sessionId: string): LiveSession {
    const session = this.#sessions.get(sessionId)
    if (session === undefined)
      throw new AppError({ code: 'SESSION_NOT_OPEN', message: `session ${sessionId} is not open`, params: { sessionId } })
    if (session.failure !== undefined) throw session.failure
    if (session.closing)
      throw new AppError({ code: 'SESSION_NOT_OPEN', message: `session ${sessionId} is being closed`, params: { sessionId } })
    return session
  }

  /** Also one whose events can no longer be written: what runs in it must be stoppable. @throws AppError SESSION_NOT_OPEN */
  getToStop(sessionId: string): LiveSession {
    return this.#sessions.get(sessionId) ?? this.get(sessionId)
  }

  async create(workspace: string, settings: SessionSettings, interactive: boolean): Promise<LiveSession> {
    this.#workspaces.requireWritable(workspace)
    const values = await this.#workspaces.configValues(workspace)
    const model = settings.model === undefined ? await chooseModel(this.#services, values) : settings.model
    await requireModel(this.#services, model, settings.baseUrl)
    const session = this.#track(newId('s'), workspace, [], interactive)
    session.timeoutMs = timeoutOf(settings)
    this.#takeBaseUrl(session, settings)
    const config = turnConfig(values)
    const stored = this.#services.secrets.redactor.value(eventSettings(settings))
    const authority = { permission: settings.permission ?? config.permission, sandbox: settings.sandbox ?? config.sandbox }
    await session.commit([
      {
        event: 'session_start',
        workspace,
        ...stored,
        model,
        ...authority,
        seal: await this.#seal.sign(session.sessionId, { ...authority, baseUrl: stored.baseUrl }),
        agentVersion: this.#services.context.data.agentVersion,
      },
    ])
    return session
  }

  /** Loads a stored session, or returns the live one; settings given are changes to it. */
  async open(workspace: string, sessionId: string, settings: SessionSettings, interactive: boolean): Promise<LiveSession> {
    const live = this.#sessions.get(sessionId)
    let session = live?.failure === undefined ? live : undefined
    if (session === undefined) {
      let loading = this.#loading.get(sessionId)
      if (loading === undefined) {
        loading = this.#load(workspace, sessionId, interactive).finally(() => this.#loading.delete(sessionId))
        this.#loading.set(sessionId, loading)
      }
      session = await loading
    }
    if (settings.model !== undefined && settings.model !== session.snapshot.model)
      await requireModel(this.#services, settings.model, settings.baseUrl ?? session.effectiveBaseUrl)
    session.interactive = interactive
    session.timeoutMs = timeoutOf(settings) ?? session.timeoutMs
    this.#takeBaseUrl(session, settings)
    const changes = changedSettings(session.snapshot, this.#services.secrets.redactor.value(settings))
    if (Object.keys(changes).length > 0)
      await session.commit([{ event: 'session_updated', ...changes, ...(await sealOfChanges(this.#seal, session, changes)) }])
    return session
  }

  /** Every session of a workspace whose last turn a crash cut off gets its end now. */
  async recover(workspace: string): Promise<void> {
    const { sessionIds } = await this.#workspaces.ask(workspace, (storage) => storage.unfinishedSessions({ workspace }))
    const ended = sessionIds.filter((sessionId) => !this.#sessions.has(sessionId))
    const opened = await Promise.allSettled(ended.map((sessionId) => this.open(workspace, sessionId, {}, true)))
    // One session that cannot be read must not keep the others from being used.
    for (const [index, result] of opened.entries())
      if (result.status === 'rejected')
        this.#services.context.log('error', `session ${ended[index]} could not be taken up: ${toErrorData(result.reason).message}`)
  }

  async list(workspace: string | undefined): Promise<SessionSummary[]> {
    const paths = workspace === undefined ? this.#workspaces.paths : [workspace]
    const stored = await Promise.all(
      paths.map(async (path) => (await this.#workspaces.ask(path, (storage) => storage.listSessions({ workspace: path }))).sessions),
    )
    return stored.flat().map((row) => {
      const live = this.#sessions.get(row.sessionId)
      return live === undefined || live.failure !== undefined ? row : summarise(live.snapshot)
    })
  }

  /** A folder was opened or closed: its sessions come to, or go from, the list of everybody who shows one. */
  async announce(workspace: string, change: 'opened' | 'closed'): Promise<void> {
    if (this.#hub?.listed !== true) return
    for (const row of await this.list(workspace))
      if (change === 'opened') this.#hub.publishRow(row)
      else this.#hub.publishRemoved(row.sessionId)
  }

  /** Writes `session_end` and forgets the session. A running turn is stopped first. */
  async close(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    // From here on nothing new may start in it.
    session.closing = true
    await session.turns.stop()
    await endInTools(this.#services, session)
    const { totals, ended } = session.snapshot
    if (!ended && session.failure === undefined)
      await session.commit([
        {
          event: 'session_end',
          totalIterations: totals.iterations,
          totalTokens: totals.usage.totalTokens,
          totalDurationMs: Math.round(totals.durationMs),
        },
      ])
    this.#sessions.delete(sessionId)
  }

  async closeWorkspace(workspace: string): Promise<void> {
    await Promise.all(
      [...this.#sessions.values()].filter((session) => session.workspace === workspace).map((session) => this.close(session.sessionId)),
    )
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#sessions.keys()].map((sessionId) => this.close(sessionId)))
  }

  /** Lets go of a session and has it removed; clients hear of it only then. */
  async forget(sessionId: string, remove: () => Promise<unknown>): Promise<void> {
    const session = this.#sessions.get(sessionId)
    if (session !== undefined) {
      session.closing = true
      await session.turns.stop()
      await endInTools(this.#services, session)
    }
    this.#sessions.delete(sessionId)
    await remove()
    this.#hub?.publishRemoved(sessionId)
  }

  async #load(workspace: string, sessionId: string, interactive: boolean): Promise<LiveSession> {
    this.#workspaces.requireWritable(workspace)
    const [events, { partials }, { counts }, values] = await Promise.all([
      readEvents(this.#workspaces, workspace, sessionId),
      this.#workspaces.ask(workspace, (storage) => storage.readPartials({ workspace, sessionId })),
      this.#workspaces.ask(workspace, (storage) => storage.readTokenCounts({ workspace, sessionId })),
      this.#workspaces.configValues(workspace),
    ])
    const session = this.#track(sessionId, workspace, events, interactive)
    for (const count of counts) session.counts.set(count.messageId, count)
    const drafts: SessionEventDraft[] = [
      { event: 'session_resumed', workspace, agentVersion: this.#services.context.data.agentVersion },
      ...recoveryDrafts(events, partials),
    ]
    await session.commit([...drafts, ...(await cappedAuthority(this.#seal, session, events, turnConfig(values)))])
    if (partials.length > 0) await this.#workspaces.ask(workspace, (storage) => storage.clearPartial({ workspace, sessionId }))
    return session
  }

  /** Copies a session's events up to `atSeq` into a new session that says where it comes from. */
  async fork(workspace: string, sessionId: string, atSeq: number | undefined): Promise<LiveSession> {
    this.#workspaces.requireWritable(workspace)
    const events = (await readEvents(this.#workspaces, workspace, sessionId)).filter((event) => atSeq === undefined || event.seq <= atSeq)
    if (events[0]?.event !== 'session_start')
      throw new AppError({ code: 'BAD_INPUT', message: 'there is nothing to fork before that point' })
    const forked = this.#track(newId('s'), workspace, [], true)
    const values = await this.#workspaces.configValues(workspace)
    const { permission, sandbox } = turnConfig(values)
    const seal = await this.#seal.sign(forked.sessionId, { permission, sandbox, baseUrl: undefined })
    const { sessions } = await this.#workspaces.ask(workspace, (storage) => storage.listSessions({ workspace }))
    await forked.commit(forkDrafts(events, { permission, sandbox, seal }, sessions))
    return forked
  }

  /** At the person's wish, between turns. */
  async compact(session: LiveSession, instructions: string | undefined, signal: AbortSignal): Promise<CompactionEnd> {
    return compactAtWish(this.#services, session, turnConfig(await this.#workspaces.configValues(session.workspace)), instructions, signal)
  }

  #track(sessionId: string, workspace: string, events: SessionEvent[], interactive: boolean): LiveSession {
    const session = new LiveSession(
      sessionId,
      workspace,
      new SessionStore(this.#workspaces, workspace),
      {
        published: (live, entries) => this.#published(live, entries),
        clean: (value) => this.#services.secrets.redactor.value(value),
        failed: (live) => void this.#takeUpAgain(live),
        runTurn: (live, input) => runLimitedTurn(this.#services, this.#workspaces, live, input),
      },
      events,
    )
    session.interactive = interactive
    session.setWatched(this.#hub?.watched(sessionId) ?? false)
    this.#sessions.set(sessionId, session)
    return session
  }

  /**
   * A session whose events could not be written is read anew from what was, as soon as that is possible, and shown as it
   * then is: its turn interrupted, everything committed in place.
   */
  async #takeUpAgain(session: LiveSession): Promise<void> {
    const { sessionId, workspace, interactive } = session
    this.#services.context.log('error', `the events of ${sessionId} cannot be written: ${session.failure?.message}`)
    await session.turns.stop(session.failure)
    await session.turns.idle()
    for (let pause = FIRST_PAUSE_MS; this.#sessions.get(sessionId) === session; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const again = await this.open(workspace, sessionId, {}, interactive)
        again.timeoutMs = session.timeoutMs
        again.baseUrl = session.baseUrl
        for (const grant of session.grants) again.grants.add(grant)
        return this.#hub?.replaceState(sessionId)
      } catch (thrown) {
        const { code, message } = toErrorData(thrown)
        this.#services.context.log('warn', `${sessionId} cannot be taken up again yet: ${message}`)
        // Its first event never came to be: there is nothing to take up.
        if (code === 'SESSION_NOT_FOUND') return this.#hub?.publishRemoved(sessionId)
      }
      await sleep(pause, undefined, { ref: false })
    }
  }

  /** The address itself stays in memory; what is secret in it is kept out of everything else. */
  #takeBaseUrl(session: LiveSession, { baseUrl }: SessionSettings): void {
    if (baseUrl === undefined) return
    session.baseUrl = baseUrl
    keepSecret(this.#services, ...secretsOfUrl('base-url', baseUrl))
  }

  #published(session: LiveSession, entries: readonly SessionEntry[]): void {
    this.#hub?.publish(session.sessionId, entries)
    // A row changes with durable events and with waiting, not with text.
    if (entries.some((entry) => !isDelta(entry) || entry.delta === 'quota')) this.#hub?.publishRow(summarise(session.snapshot))
  }
}
