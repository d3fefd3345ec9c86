/** The list rows of every session of every open workspace. */
import type { SessionSummary } from '#contracts/session/session-snapshot.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef, triggerRef } from 'vue'
import * as z from 'zod'
import { useConnectionStore } from './connection.ts'
import { recall, remember } from './local-state.ts'
import { toProblem, type Problem } from './to-problem.ts'
import { useWorkspacesStore } from './workspaces.ts'

export interface WorkspaceGroup {
  readonly workspace: string
  readonly rows: readonly SessionSummary[]
}

/** A session someone waits for counts as live; its row is taller and shows what it does. */
export const LIVE_STATES: ReadonlySet<SessionSummary['state']> = new Set(['thinking', 'tool', 'needs', 'quota'])

export const useSessionsStore = defineStore('sessions', () => {
  const connection = useConnectionStore()
  const workspaces = useWorkspacesStore()
  const byId = shallowRef<Map<string, SessionSummary>>(new Map())
  const loaded = shallowRef(false)
  const problem = shallowRef<Problem>()
  /** Session id → last seq that was on screen. */
  const seen = shallowRef<Record<string, number>>(recall('seen', z.record(z.string(), z.number())) ?? {})

  connection.onList((rows, removed) => {
    for (const row of rows) byId.value.set(row.sessionId, row)
    for (const sessionId of removed) byId.value.delete(sessionId)
    triggerRef(byId)
  })

  connection.onReady(load)

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

  const rows = computed(() => [...byId.value.values()].filter((row) => !row.archived).sort(byPinnedThenNewest))
  /** In the order in which the folders were opened, so that nothing moves by itself; one without a session keeps its place. */
  const groups = computed<WorkspaceGroup[]>(() => {
    const grouped = new Map<string, SessionSummary[]>(workspaces.open.map((workspace) => [workspace.path, []]))
    for (const row of rows.value) {
      const group = grouped.get(row.workspace)
      if (group === undefined) grouped.set(row.workspace, [row])
      else group.push(row)
    }
    return [...grouped].map(([workspace, members]) => ({ workspace, rows: members }))
  })
  /** Oldest question first. */
  const needsYou = computed(() =>
    rows.value.filter((row) => row.state === 'needs').sort((left, right) => left.since.localeCompare(right.since)),
  )
  const running = computed(() => rows.value.filter((row) => LIVE_STATES.has(row.state)))

  const row = (sessionId: string): SessionSummary | undefined => byId.value.get(sessionId)

  function markSeen(sessionId: string, lastSeq: number): void {
    if ((seen.value[sessionId] ?? -1) >= lastSeq) return
    seen.value = { ...seen.value, [sessionId]: lastSeq }
    remember('seen', seen.value)
  }

  /** Ended since it was last on screen. Sessions this page never showed are not called unread. */
  function isUnread(summary: SessionSummary): boolean {
    const last = seen.value[summary.sessionId]
    return (
      last !== undefined &&
      summary.lastSeq > last &&
      (summary.state === 'done' || summary.state === 'failed' || summary.state === 'stopped')
    )
  }

  return { rows, groups, needsYou, running, loaded, problem, load, row, markSeen, isUnread }
})

function byPinnedThenNewest(left: SessionSummary, right: SessionSummary): number {
  return (
    Number(right.pinned) - Number(left.pinned) ||
    right.createdAt.localeCompare(left.createdAt) ||
    left.sessionId.localeCompare(right.sessionId)
  )
}
