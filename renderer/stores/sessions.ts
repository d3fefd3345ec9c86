/** The list rows of every session of every open workspace. */
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef, triggerRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { usePageStateStore } from './page-state.ts'
import { toProblem, type Problem } from './to-problem.ts'
import { useWorkspacesStore } from './workspaces.ts'

export interface WorkspaceGroup {
  readonly workspace: string
  readonly rows: readonly SessionSummary[]
  readonly archived: readonly SessionSummary[]
}

/** A session someone waits for counts as live; its row is taller and shows what it does. */
export const LIVE_STATES: ReadonlySet<SessionSummary['state']> = new Set(['thinking', 'tool', 'needs', 'quota'])

const SEEN = 'seen:'

export const useSessionsStore = defineStore('sessions', () => {
  const connection = useConnectionStore()
  const workspaces = useWorkspacesStore()
  const page = usePageStateStore()
  const byId = shallowRef<Map<string, SessionSummary>>(new Map())
  const loaded = shallowRef(false)
  const problem = shallowRef<Problem>()
  /** Session id → since when the state that was last on screen had been there. */
  const seen = shallowRef<ReadonlyMap<string, string>>(new Map())
  let seenLoaded = false
  /** About to be deleted, unless the person takes it back. */
  const hidden = shallowRef<ReadonlySet<string>>(new Set())

  connection.onList((rows, removed) => {
    for (const row of rows) byId.value.set(row.sessionId, row)
    for (const sessionId of removed) byId.value.delete(sessionId)
    triggerRef(byId)
  })

  connection.onReady(loadSeen)
  connection.onReady(load)

  async function loadSeen(): Promise<void> {
    if (seenLoaded) return
    try {
      // What was shown in this page is newer.
      seen.value = new Map([...(await page.read(SEEN)), ...seen.value])
      seenLoaded = true
    } catch {
      // Nothing counts as unread until the next connection.
    }
  }

  async function load(): Promise<void> {
    try {
      const { sessions } = await connection.call('session.subscribeList', {})
      byId.value = new Map(sessions.map((row) => [row.sessionId, row]))
      loaded.value = true
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  const all = computed(() => [...byId.value.values()].filter((row) => !hidden.value.has(row.sessionId)).sort(byPinnedThenNewest))
  const rows = computed(() => all.value.filter((row) => !row.archived))
  /** In the order in which the folders were opened, so that nothing moves by itself; one without a session keeps its place. */
  const groups = computed<WorkspaceGroup[]>(() => {
    const grouped = new Map<string, { rows: SessionSummary[]; archived: SessionSummary[] }>(
      workspaces.open.map((workspace) => [workspace.path, { rows: [], archived: [] }]),
    )
    for (const row of all.value) {
      let group = grouped.get(row.workspace)
      if (group === undefined) grouped.set(row.workspace, (group = { rows: [], archived: [] }))
      ;(row.archived ? group.archived : group.rows).push(row)
    }
    return [...grouped].map(([workspace, members]) => ({ workspace, ...members }))
  })
  /** Oldest question first. */
  const needsYou = computed(() =>
    rows.value.filter((row) => row.state === 'needs').sort((left, right) => left.since.localeCompare(right.since)),
  )
  const running = computed(() => rows.value.filter((row) => LIVE_STATES.has(row.state)))

  const row = (sessionId: string): SessionSummary | undefined => byId.value.get(sessionId)

  function markSeen(sessionId: string, since: string): void {
    if (seen.value.get(sessionId) === since) return
    seen.value = new Map(seen.value).set(sessionId, since)
    page.write(SEEN + sessionId, since)
  }

  function hide(sessionId: string): void {
    hidden.value = new Set([...hidden.value, sessionId])
  }

  function unhide(sessionId: string): void {
    hidden.value = new Set([...hidden.value].filter((other) => other !== sessionId))
  }

  /** Ended since it was last on screen. Sessions this page never showed are not called unread. */
  function isUnread(summary: SessionSummary): boolean {
    const last = seen.value.get(summary.sessionId)
    return (
      last !== undefined && summary.since > last && (summary.state === 'done' || summary.state === 'failed' || summary.state === 'stopped')
    )
  }

  return { rows, groups, needsYou, running, loaded, problem, load, row, markSeen, isUnread, hide, unhide }
})

function byPinnedThenNewest(left: SessionSummary, right: SessionSummary): number {
  if (left.pinned !== right.pinned) return left.pinned ? -1 : 1
  // Plain comparison: a locale's order of thousands of rows costs tens of milliseconds at every change.
  if (left.createdAt !== right.createdAt) return left.createdAt < right.createdAt ? 1 : -1
  return left.sessionId < right.sessionId ? -1 : 1
}
