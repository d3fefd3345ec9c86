/** The session on screen: its snapshot (published once per frame), and whether it could be opened. */
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { useConnectionStore } from './connection.ts'
import { useSessionsStore } from './sessions.ts'
import { toProblem, type Problem } from './to-problem.ts'

/** Snapshots of sessions shown before, so that going back does not flash; never shown as live before they are fresh. */
const REMEMBERED = 6

export const useSessionViewStore = defineStore('session-view', () => {
  const connection = useConnectionStore()
  const sessions = useSessionsStore()
  const sessionId = ref<string>()
  const workspace = ref<string>()
  const snapshot = shallowRef<SessionSnapshot>()
  const problem = shallowRef<Problem>()
  const loading = ref(false)
  const remembered = new Map<string, SessionSnapshot>()

  connection.onReady(async () => {
    if (sessionId.value !== undefined) await attach(sessionId.value)
  })

  watch(() => connection.visible, seen)

  /** What is on screen counts as read, unless nobody looks. */
  function seen(): void {
    if (snapshot.value !== undefined && connection.visible) sessions.markSeen(snapshot.value.sessionId, snapshot.value.since)
  }

  /** Shows a session. `inWorkspace` is needed for one that is not in the list yet. */
  async function show(id: string, inWorkspace?: string): Promise<void> {
    if (sessionId.value === id && problem.value === undefined && snapshot.value !== undefined) return
    leave()
    sessionId.value = id
    workspace.value = inWorkspace ?? sessions.row(id)?.workspace
    snapshot.value = remembered.get(id)
    if (connection.isOpen) await attach(id)
  }

  function leave(): void {
    if (sessionId.value === undefined) return
    if (snapshot.value !== undefined) keep(snapshot.value)
    connection.feed().unfollow(sessionId.value)
    sessionId.value = undefined
    snapshot.value = undefined
    problem.value = undefined
  }

  /** Opening takes up a stored session (harmless when it is open), following brings its snapshot. */
  async function attach(id: string): Promise<void> {
    loading.value = true
    problem.value = undefined
    try {
      const place = workspace.value ?? sessions.row(id)?.workspace
      if (place !== undefined) await connection.call('session.open', { workspace: place, sessionId: id })
      if (sessionId.value !== id) return
      await connection.feed().follow(id, {
        onSnapshot(next) {
          if (sessionId.value !== id) return
          snapshot.value = withRemembered(next, snapshot.value)
          loading.value = false
          seen()
        },
        onFailure: (error) => fail(id, error),
      })
    } catch (error) {
      fail(id, error)
    }
  }

  function fail(id: string, error: unknown): void {
    if (sessionId.value !== id) return
    loading.value = false
    problem.value = toProblem(error)
  }

  function keep(shown: SessionSnapshot): void {
    remembered.delete(shown.sessionId)
    remembered.set(shown.sessionId, shown)
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
  }

  const retry = async (): Promise<void> => {
    if (sessionId.value !== undefined) await attach(sessionId.value)
  }
  /** The same without what streams: its identity changes only when something besides the items did, so that what is built on it rests while text comes in. */
  const calm = computed<SessionSnapshot | undefined>((before) => {
    const now = snapshot.value
    return before !== undefined && now !== undefined && differInItemsOnly(before, now) ? before : now
  })
  /** A turn runs; further messages are queued or steer it. */
  const busy = computed(() => calm.value?.phase !== undefined && calm.value.phase !== 'ended')

  return { sessionId, workspace, snapshot, calm, problem, loading, busy, show, leave, retry }
})

/** The end of a conversation that was on screen before: until the rest has come again, what was known of it stays, where it had come to rest. */
function withRemembered(next: SessionSnapshot, before: SessionSnapshot | undefined): SessionSnapshot {
  if (next.earlier === undefined || before?.sessionId !== next.sessionId || before.earlier !== undefined) return next
  const { earlier, ...rest } = next
  if (before.items.findLastIndex((item) => item.kind === 'turn_end') + 1 < earlier) return next
  return { ...rest, items: [...before.items.slice(0, earlier), ...next.items] }
}

function differInItemsOnly(left: SessionSnapshot, right: SessionSnapshot): boolean {
  const keys = Object.keys(right) as (keyof SessionSnapshot)[]
  return keys.length === Object.keys(left).length && keys.every((key) => key === 'items' || left[key] === right[key])
}
