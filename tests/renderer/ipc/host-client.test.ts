import { HostClient, type HostClientEvents } from '#renderer/ipc/host-client.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { memoryLink, waitUntil, type MemoryLink } from '../helpers.ts'

const ID = 's_one'
let host: ScriptedHost
let link: MemoryLink
let client: HostClient
const events = {
  onLink: vi.fn(),
  onList: vi.fn(),
  onBanners: vi.fn(),
  onReset: vi.fn(),
  onIncompatible: vi.fn(),
} satisfies HostClientEvents

async function connect(): Promise<void> {
  client.start()
  await waitUntil(() => expect(events.onLink).toHaveBeenLastCalledWith({ state: 'open' }))
}

beforeEach(() => {
  for (const listener of Object.values(events)) listener.mockReset()
  host = new ScriptedHost()
  host.addSession(ID, '/w')
  link = memoryLink(host)
  client = new HostClient(events, { factory: link.factory, delays: [1] })
})
afterEach(() => {
  client.stop()
})

const text = (delta: string) => ({ delta: 'stream' as const, messageId: 'm1', iteration: 1, event: { type: 'text_delta' as const, delta } })
const lastText = (snapshot: SessionSnapshot | undefined): string | undefined =>
  snapshot?.items.find((item) => item.kind === 'assistant')?.text

function follow(): { readonly seen: SessionSnapshot[]; readonly failures: unknown[]; readonly done: Promise<void> } {
  const seen: SessionSnapshot[] = []
  const failures: unknown[] = []
  return {
    seen,
    failures,
    done: client.feed.follow(ID, { onSnapshot: (snapshot) => seen.push(snapshot), onFailure: (error) => failures.push(error) }),
  }
}

test('a call resolves with the checked answer', async () => {
  await connect()
  await expect(client.call('workspace.open', { path: '/w' })).resolves.toEqual({ workspace: '/w', created: [], readOnly: false })
})

test("the host's error keeps its code and values", async () => {
  await connect()
  host.answer('workspace.open', () => {
    throw new AppError({ code: 'UNTRUSTED', message: 'not yet', details: { found: ['AGENTS.md'] } })
  })
  await expect(client.call('workspace.open', { path: '/w' })).rejects.toMatchObject({
    code: 'UNTRUSTED',
    details: { found: ['AGENTS.md'] },
  })
})

test('an answer of another shape is refused, not passed on', async () => {
  await connect()
  host.answer('workspace.open', () => ({ workspace: 7 }))
  await expect(client.call('workspace.open', { path: '/w' })).rejects.toMatchObject({ code: 'BAD_OUTPUT' })
})

test('a call without an answer fails at its deadline and is cancelled at the host', async () => {
  await connect()
  host.answer('workspace.recent', () => new Promise(() => undefined))
  await expect(client.call('workspace.recent', {}, { deadlineMs: 20 })).rejects.toMatchObject({ code: 'CALL_TIMEOUT' })
})

test('without a connection a call fails at once', async () => {
  await expect(client.call('workspace.recent', {})).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
})

test('a lost connection rejects what was open and is made again', async () => {
  await connect()
  host.answer('workspace.recent', () => new Promise(() => undefined))
  const open = client.call('workspace.recent', {})
  link.cut()
  await expect(open).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
  await waitUntil(() => expect(link.opened()).toBe(2))
})

test('a message of no known shape is reported and changes nothing', async () => {
  await connect()
  for (const connection of host.connections) connection.send({ type: 'nonsense' } as never)
  await waitUntil(() => expect(events.onIncompatible).toHaveBeenCalledOnce())
})

test('a followed session shows its snapshot, then every delta folded in', async () => {
  await connect()
  host.emit(ID, { event: 'user_message', messageId: 'u1', content: 'hi', turn: 1 })
  const followed = follow()
  await followed.done
  host.emit(ID, text('Hel'))
  host.emit(ID, text('lo'))
  await waitUntil(() => expect(lastText(followed.seen.at(-1))).toBe('Hello'))
})

test('many posts of one moment are published together', async () => {
  await connect()
  host.emit(ID, { event: 'user_message', messageId: 'u1', content: 'hi', turn: 1 })
  const followed = follow()
  await followed.done
  await waitUntil(() => expect(followed.seen).toHaveLength(1))
  for (let index = 0; index < 50; index++) host.emit(ID, text('x'))
  await waitUntil(() => expect(lastText(followed.seen.at(-1))).toBe('x'.repeat(50)))
  // One would do; a busy machine may spread the posts over a few.
  expect(followed.seen.length).toBeLessThanOrEqual(6)
})

test('what was taken in is acknowledged', async () => {
  await connect()
  await follow().done
  host.emit(ID, text('x'))
  host.emit(ID, text('y'))
  await waitUntil(() => expect([...host.connections][0]?.acks.at(-1)).toBe(2))
})

test('a gap in rev subscribes again, and the text is whole afterwards', async () => {
  await connect()
  host.emit(ID, { event: 'user_message', messageId: 'u1', content: 'hi', turn: 1 })
  const followed = follow()
  await followed.done
  host.emit(ID, text('one '))
  const [connection] = host.connections
  if (connection === undefined) throw new Error('not connected')
  host.post(connection, ID, [], 3)
  await waitUntil(() => expect(host.calls.filter((call) => call.method === 'session.subscribe')).toHaveLength(2))
  host.emit(ID, text('two'))
  await waitUntil(() => expect(lastText(followed.seen.at(-1))).toBe('one two'))
})

test('a snapshot in a post replaces what was there, whatever its rev', async () => {
  await connect()
  const followed = follow()
  await followed.done
  const [connection] = host.connections
  host.addSession('s_other', '/w')
  const snapshot = { ...host.session('s_other'), sessionId: ID, title: 'replaced' }
  connection?.send({ type: 'post', post: 9, parts: [{ sessionId: ID, rev: 70, entries: [], snapshot }] })
  await waitUntil(() => expect(followed.seen.at(-1)?.title).toBe('replaced'))
  expect(host.calls.filter((call) => call.method === 'session.subscribe')).toHaveLength(1)
})

test('parts of a session nobody follows any more are passed over', async () => {
  await connect()
  const followed = follow()
  await followed.done
  await waitUntil(() => expect(followed.seen).toHaveLength(1))
  client.feed.unfollow(ID)
  const [connection] = host.connections
  connection?.send({ type: 'post', post: 1, parts: [{ sessionId: ID, rev: 1, entries: [] }] })
  await waitUntil(() => expect(connection?.acks).toEqual([1]))
  expect(followed.seen).toHaveLength(1)
})

test('after a reset what was open is rejected as WORKER_LOST and a refresh subscribes again', async () => {
  await connect()
  const followed = follow()
  await followed.done
  host.answer('workspace.recent', () => new Promise(() => undefined))
  const open = client.call('workspace.recent', {})
  host.reset()
  await expect(open).rejects.toMatchObject({ code: 'WORKER_LOST' })
  expect(events.onReset).toHaveBeenCalledOnce()
  await client.feed.refresh()
  host.emit(ID, { event: 'session_updated', title: 'after the reset' })
  await waitUntil(() => expect(followed.seen.at(-1)?.title).toBe('after the reset'))
})

test('a subscription that fails is told to its listener', async () => {
  await connect()
  const failures: unknown[] = []
  await client.feed.follow('s_missing', { onSnapshot: () => undefined, onFailure: (error) => failures.push(error) })
  expect(failures).toMatchObject([{ code: 'UNKNOWN_SESSION' }])
})
