/** A long conversation: its end comes first, the rest after it, and nothing is lost or told twice in between. */
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { HostClient } from '#renderer/ipc/host-client.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { memoryLink, waitUntil } from '../helpers.ts'

const ID = 's_long'
const TURNS = 3_000
let host: ScriptedHost
let client: HostClient
let seen: SessionSnapshot[]

beforeEach(async () => {
  host = new ScriptedHost()
  host.addSession(ID, '/w')
  for (let turn = 1; turn <= TURNS; turn++) {
    host.emit(ID, { event: 'user_message', messageId: `u${turn}`, content: `question ${turn}`, turn })
    host.emit(ID, { event: 'turn_end', reason: 'completed', iterations: 1, durationMs: 1, turn })
  }
  seen = []
  const onLink = vi.fn()
  const unheard = (): void => undefined
  const events = { onLink, onList: unheard, onBanners: unheard, onReset: unheard, onIncompatible: unheard }
  client = new HostClient(events, { factory: memoryLink(host).factory, delays: [1] })
  client.start()
  await waitUntil(() => expect(onLink).toHaveBeenLastCalledWith({ state: 'open' }))
})
afterEach(() => client.stop())

const follow = (): Promise<void> =>
  client.feed.follow(ID, { onSnapshot: (snapshot) => seen.push(snapshot), onFailure: (error) => expect.fail(String(error)) })
const whole = (): Promise<void> => waitUntil(() => expect(seen.at(-1)).toEqual(host.session(ID)))
/** Called at each question for earlier items, before it is answered. */
function whenAsked(run: (times: number) => void): void {
  let times = 0
  host.answer('session.items', ({ sessionId, before, limit }) => {
    run((times += 1))
    return { items: host.session(sessionId).items.slice(Math.max(0, before - limit), before) }
  })
}

test('the end is shown first, the whole in the end', async () => {
  const firstShown = Promise.withResolvers<void>()
  host.answer('session.items', async ({ sessionId, before, limit }) => {
    await firstShown.promise
    return { items: host.session(sessionId).items.slice(Math.max(0, before - limit), before) }
  })
  const following = follow()
  await waitUntil(() => expect(seen).toHaveLength(1))
  expect([seen[0]?.items.length, seen[0]?.earlier, seen[0]?.items.at(-1)]).toEqual([400, 2 * TURNS - 400, host.session(ID).items.at(-1)])
  firstShown.resolve()
  await following
  await whole()
  expect(host.calls.filter(({ method }) => method === 'session.items')).toHaveLength(2)
})

test('a rewind far back while the beginning is on its way is in it', async () => {
  whenAsked((times) => host.emit(ID, { event: 'rewind', toSeq: times === 1 ? 5_000 : 100, reason: 'edit', turn: TURNS + 1 }))
  await follow()
  await whole()
  expect(seen.at(-1)?.items.filter((item) => item.superseded === true).length).toBeGreaterThan(5_000)
})

test('what is said meanwhile stands once, at the end', async () => {
  whenAsked((times) => host.emit(ID, { event: 'user_message', messageId: `late${times}`, content: 'late', turn: TURNS + times }))
  await follow()
  await whole()
})

test('a whole snapshot that comes in between is not mixed with what was asked for', async () => {
  const [connection] = host.connections
  whenAsked(() => connection?.send({ type: 'post', post: 1, parts: [{ sessionId: ID, rev: 9, entries: [], snapshot: host.session(ID) }] }))
  await follow()
  await whole()
  expect(host.calls.filter(({ method }) => method === 'session.items')).toHaveLength(1)
})

test('a lost connection in between starts anew', async () => {
  host.answer('session.items', () => new Promise(() => undefined))
  const following = follow()
  await waitUntil(() => expect(seen).toHaveLength(1))
  client.feed.disconnected()
  whenAsked(() => undefined)
  await client.feed.refresh()
  await whole()
  client.stop()
  await following
})

test('what could not be had is asked for again, and until then the snapshot says what is missing', async () => {
  const again = Promise.withResolvers<void>()
  let times = 0
  host.answer('session.items', async ({ sessionId, before, limit }) => {
    if ((times += 1) < 3) throw new AppError({ code: 'WORKER_LOST', message: 'gone', retryable: true })
    await again.promise
    return { items: host.session(sessionId).items.slice(Math.max(0, before - limit), before) }
  })
  const following = follow()
  await waitUntil(() => expect(times).toBe(3))
  await waitUntil(() => expect(seen.at(-1)?.earlier).toBe(2 * TURNS - 400))
  again.resolve()
  await following
  await whole()
})
