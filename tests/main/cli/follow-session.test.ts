import { beforeEach, expect, test } from 'vitest'
import { emptySnapshot } from '#contracts/session/reduce-session.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { createClient } from '#main/cli/client.ts'
import { followSession, type Follower } from '#main/cli/follow-session.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { noticeEvent, scriptedSession, type ScriptedSession } from '#tests/helpers/scripted-session.ts'

let session: ScriptedSession
let stored: number
let subscribedAt: { rev: number; lastSeq: number }
let seen: string[]
let failures: unknown[]

beforeEach(() => {
  session = scriptedSession()
  stored = 0
  subscribedAt = { rev: 0, lastSeq: -1 }
  seen = []
  failures = []
  session.answer('session.subscribe', () => ({
    snapshot: { ...emptySnapshot('s_one'), lastSeq: subscribedAt.lastSeq },
    rev: subscribedAt.rev,
  }))
  session.answer('session.read', ({ fromSeq, limit }: { fromSeq: number; limit: number }) => ({
    events: Array.from({ length: Math.max(0, Math.min(limit, stored - fromSeq)) }, (_, index) => noticeEvent(fromSeq + index)),
  }))
})

function follow(fromSeq = 0): Follower {
  return followSession(createClient(session.port), {
    workspace: '/w',
    sessionId: 's_one',
    fromSeq,
    onEvent: (event) => seen.push(String(event.seq)),
    onDelta: (delta, rev) => seen.push(`${delta.delta}@${rev}`),
    onSnapshot: () => seen.push('snapshot'),
    onFailure: (error) => failures.push(error),
  })
}

const delta = { delta: 'phase', phase: 'streaming', turn: 1, since: 0 } as const
const reads = (): number => session.calls.filter((call) => call.method === 'session.read').length

test('what was committed before the subscription is read from storage first', async () => {
  stored = 3
  subscribedAt = { rev: 0, lastSeq: 2 }
  await follow().subscribe()
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(3), delta] })
  await eventually('the delta', () => seen.includes('phase@1'))
  expect(seen).toEqual(['0', '1', '2', '3', 'phase@1'])
})

test('only events from the one asked for', async () => {
  stored = 10
  subscribedAt = { rev: 0, lastSeq: 9 }
  await follow(8).subscribe()
  expect(seen).toEqual(['8', '9'])
})

test('events that come twice are given once', async () => {
  await follow().subscribe()
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(0), noticeEvent(1)] })
  session.post({ sessionId: 's_one', rev: 2, entries: [noticeEvent(1), noticeEvent(2)] })
  await eventually('all', () => seen.includes('2'))
  expect({ seen, reads: reads() }).toEqual({ seen: ['0', '1', '2'], reads: 0 })
})

test('a gap in seq is read from storage before what follows it', async () => {
  stored = 5
  await follow().subscribe()
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(0), noticeEvent(5), delta] })
  stored = 6
  await eventually('the delta', () => seen.includes('phase@1'))
  expect(seen).toEqual(['0', '1', '2', '3', '4', '5', 'phase@1'])
})

test('a gap in rev leads to a new subscription, and nothing durable is missing', async () => {
  await follow().subscribe()
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(0)] })
  stored = 4
  subscribedAt = { rev: 0, lastSeq: 3 }
  session.post({ sessionId: 's_one', rev: 3, entries: [noticeEvent(3)] })
  await eventually('the events of storage', () => seen.includes('3'))
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(4)] })
  await eventually('the first part of the new subscription', () => seen.includes('4'))
  expect({ seen, subscriptions: session.calls.filter((call) => call.method === 'session.subscribe').length }).toEqual({
    seen: ['0', '1', '2', '3', '4'],
    subscriptions: 2,
  })
})

test('after lost deltas the snapshot comes before the events beside it', async () => {
  await follow().subscribe()
  session.post({ sessionId: 's_one', rev: 1, snapshot: emptySnapshot('s_one'), entries: [noticeEvent(0)] })
  await eventually('the event', () => seen.includes('0'))
  expect(seen).toEqual(['snapshot', '0'])
})

test('catching up reads the rest and no more', async () => {
  const follower = follow()
  await follower.subscribe()
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(0)] })
  stored = 3
  await follower.catchUp()
  expect(seen).toEqual(['0', '1', '2'])
})

test('a failed read is told, not swallowed', async () => {
  await follow().subscribe()
  session.answer('session.read', () => {
    throw new AppError({ code: 'STORAGE_FAILED', message: 'disk' })
  })
  session.post({ sessionId: 's_one', rev: 1, entries: [noticeEvent(2)] })
  await eventually('the failure', () => failures.length > 0)
  expect(failures).toMatchObject([{ code: 'STORAGE_FAILED' }])
})
