/** The session on screen: shown, left, taken up again, and a long one that comes in parts. */
import { useConnectionStore } from '#renderer/stores/connection.ts'
import { useSessionViewStore } from '#renderer/stores/session-view.ts'
import { useSessionsStore } from '#renderer/stores/sessions.ts'
import { useWorkspacesStore } from '#renderer/stores/workspaces.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { freshStores, memoryLink, waitUntil, type MemoryLink } from '../helpers.ts'

let host: ScriptedHost
let link: MemoryLink

beforeEach(() => {
  freshStores()
  host = new ScriptedHost()
  link = memoryLink(host)
})
afterEach(() => useConnectionStore().stop())

async function start(): Promise<void> {
  const [workspaces, sessions] = [useWorkspacesStore(), useSessionsStore()]
  useSessionViewStore()
  useConnectionStore().start({ factory: link.factory, delays: [1] })
  await waitUntil(() => expect([workspaces.restored, sessions.loaded]).toEqual([true, true]))
}
const calls = (method: string): unknown[] => host.calls.filter((call) => call.method === method).map((call) => call.params)

test('switching sessions shows only the chosen one and leaves the other', async () => {
  host.addSession('s_a', '/w', { title: 'A' })
  host.addSession('s_b', '/w', { title: 'B' })
  await start()
  const view = useSessionViewStore()
  await view.show('s_a')
  await waitUntil(() => expect(view.snapshot?.title).toBe('A'))
  await view.show('s_b')
  host.emit('s_a', { event: 'session_updated', title: 'late' })
  await waitUntil(() => expect(view.snapshot?.title).toBe('B'))
  await waitUntil(() => expect(calls('session.unsubscribe')).toEqual([{ sessionId: 's_a' }]))
})

test('after a restart of the host the folder, the list and the session shown are taken up again', async () => {
  host.addSession('s_a', '/w', { title: 'A' })
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/w', openedAt: '', trusted: true }] }))
  await start()
  const view = useSessionViewStore()
  await view.show('s_a')
  await waitUntil(() => expect(view.snapshot?.title).toBe('A'))
  host.calls.length = 0
  link.cut()
  await waitUntil(() => expect(calls('session.subscribe')).toEqual([{ sessionId: 's_a', deltas: true, newest: 400 }]))
  expect(
    host.calls
      .map((call) => call.method)
      .filter((method) => ['workspace.open', 'session.subscribeList', 'session.open', 'session.subscribe'].includes(method)),
  ).toEqual(['workspace.open', 'session.subscribeList', 'session.open', 'session.subscribe'])
  host.emit('s_a', { event: 'session_updated', title: 'fresh' })
  await waitUntil(() => expect(view.snapshot?.title).toBe('fresh'))
})

test('a session that cannot be opened says why and can be tried again', async () => {
  await start()
  const view = useSessionViewStore()
  await view.show('s_gone', '/w')
  await waitUntil(() => expect(view.problem?.code).toBe('UNKNOWN_SESSION'))
  host.addSession('s_gone', '/w', { title: 'back' })
  await view.retry()
  await waitUntil(() => expect(view.snapshot?.title).toBe('back'))
})

const ended = (turn: number) => ({ event: 'turn_end', reason: 'completed', iterations: 1, durationMs: 1, turn }) as const
const asked = (turn: number) => ({ event: 'user_message', messageId: `u${turn}`, content: 'x', turn }) as const

/** Shows the long session whole, then another one. The rest of the long one does not come a second time. */
async function lookedAway(): Promise<ReturnType<typeof useSessionViewStore>> {
  host.addSession('s_other', '/w', { title: 'other' })
  await start()
  const view = useSessionViewStore()
  await view.show('s_long', '/w')
  await waitUntil(() =>
    expect([view.snapshot?.items.length, view.snapshot?.earlier]).toEqual([host.session('s_long').items.length, undefined]),
  )
  await view.show('s_other', '/w')
  await waitUntil(() => expect(view.snapshot?.title).toBe('other'))
  host.answer('session.items', () => new Promise(() => undefined))
  return view
}

test('going back to a long conversation shows it whole at once, also while its beginning is on its way again', async () => {
  host.addSession('s_long', '/w')
  for (let turn = 1; turn <= 300; turn++) host.emit('s_long', asked(turn), ended(turn))
  const view = await lookedAway()
  host.emit('s_long', asked(301))
  void view.show('s_long', '/w')
  await waitUntil(() => expect(view.snapshot?.items.at(-1)?.id).toBe('u301'))
  expect([view.snapshot?.items, view.snapshot?.earlier]).toEqual([host.session('s_long').items, undefined])
})

test('what was left while it ran is not shown as it was then', async () => {
  host.addSession('s_long', '/w')
  host.emit('s_long', asked(1), { event: 'iteration_start', iteration: 1, turn: 1 })
  host.emit('s_long', { delta: 'stream', messageId: 'a1', iteration: 1, event: { type: 'text_delta', delta: 'half a' } })
  const view = await lookedAway()
  host.emit('s_long', ended(1))
  for (let turn = 2; turn <= 300; turn++) host.emit('s_long', asked(turn), ended(turn))
  void view.show('s_long', '/w')
  await waitUntil(() => expect(view.snapshot?.items.at(-1)?.kind).toBe('turn_end'))
  expect([view.snapshot?.items.length, (view.snapshot?.earlier ?? 0) > 0]).toEqual([400, true])
})
