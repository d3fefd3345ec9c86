import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HostMessageSchema, LIST_INTERVAL_MS, type HostMessage, type SessionEntry } from '#contracts/session/client-protocol.ts'
import { emptySnapshot, reduceSession, summarise } from '#contracts/session/reduce-session.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import { memoryPorts } from '#tests/helpers/memory-ports.ts'
import { ClientHub, type Client } from '#workers/session/client-hub.ts'

const ID = 's_1'
let snapshot: SessionSnapshot
let received: HostMessage[]
let hub: ClientHub
let client: Client

const text = (delta: string): SessionEntry => ({ delta: 'stream', messageId: 'm_1', iteration: 1, event: { type: 'text_delta', delta } })
const publish = (...entries: SessionEntry[]): void => {
  snapshot = reduceSession(snapshot, entries)
  hub.publish(ID, entries)
}
/** What a client that folds all it gets has on screen. */
function shown(): string {
  let folded = emptySnapshot(ID)
  for (const message of received)
    if (message.type === 'post') for (const part of message.parts) folded = reduceSession(part.snapshot ?? folded, part.entries)
  return folded.items.map((item) => (item.kind === 'assistant' ? item.text : '')).join()
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  snapshot = emptySnapshot(ID)
  received = []
  const attached = Promise.withResolvers<Client>()
  hub = new ClientHub({
    snapshot: () => snapshot,
    handle: (_call, caller) => attached.resolve(caller),
    cancel: () => undefined,
    gone: () => undefined,
    watchersChanged: () => undefined,
  })
  const [ours, theirs] = memoryPorts()
  theirs.addEventListener('message', ({ data }) => void received.push(HostMessageSchema.parse(data)))
  theirs.start()
  hub.attach('client', ours, false)
  theirs.postMessage({ type: 'call', id: 1, method: 'session.subscribe', params: {} })
  client = await attached.promise
  client.subscribe(ID, { deltas: true })
})
afterEach(() => vi.useRealTimers())

test('text that waits while the whole state is replaced is shown once', async () => {
  publish(text('once'))
  hub.replaceState(ID)
  await vi.advanceTimersByTimeAsync(100)
  expect(shown()).toBe('once')
})

test('a row that changes often is sent at once, then four times a second, whatever else is posted', async () => {
  client.subscribeList()
  for (let step = 0; step < 200; step += 1) {
    publish(text('word '))
    hub.publishRow({ ...summarise(snapshot), lastSeq: step })
    await vi.advanceTimersByTimeAsync(10)
    if (step === 0) expect(received.filter((message) => message.type === 'list')).toHaveLength(1)
  }
  await vi.advanceTimersByTimeAsync(LIST_INTERVAL_MS)
  const lists = received.filter((message) => message.type === 'list')
  expect(lists.length).toBeLessThanOrEqual(2000 / LIST_INTERVAL_MS + 2)
  expect(lists.at(-1)?.rows.at(0)?.lastSeq).toBe(199)
})

test('a row that goes and comes back before the list is sent is there', async () => {
  client.subscribeList()
  const row = summarise(snapshot)
  // The first list goes out at once, what follows it together.
  hub.publishRow(row)
  await vi.advanceTimersByTimeAsync(1)
  hub.publishRemoved(row.sessionId)
  hub.publishRow(row)
  await vi.advanceTimersByTimeAsync(LIST_INTERVAL_MS)
  const last = received.findLast((message) => message.type === 'list')
  expect([last?.rows.map(({ sessionId }) => sessionId), last?.removed]).toEqual([[row.sessionId], []])
})
