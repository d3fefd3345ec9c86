import { expect, test } from 'vitest'
import { emptySnapshot } from '#contracts/session/reduce-session.ts'
import type { SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { TranscriptItem } from '#contracts/session/transcript-item.ts'
import { newestItems } from '#workers/session/newest-items.ts'

const user = (turn: number): TranscriptItem => ({ kind: 'user', id: `u${turn}`, turn, seq: turn, at: '', content: '' })
const end = (turn: number): TranscriptItem => ({
  kind: 'turn_end',
  id: `e${turn}`,
  turn,
  seq: turn,
  at: '',
  reason: 'completed',
  iterations: 1,
  durationMs: 1,
})
const withItems = (...items: TranscriptItem[]): SessionSnapshot => ({ ...emptySnapshot('s_x'), items })
const shown = (snapshot: SessionSnapshot, newest: number | undefined) => {
  const { items, earlier } = newestItems(snapshot, newest)
  return { ids: items.map(({ id }) => id), earlier }
}

test('the newest ones, and how many come before them', () => {
  expect(shown(withItems(user(1), end(1), user(2), end(2)), 3)).toEqual({ ids: ['e1', 'u2', 'e2'], earlier: 1 })
})

test('the turn that runs is whole', () => {
  expect(shown(withItems(user(1), end(1), user(2), user(3), user(4)), 1)).toEqual({ ids: ['u2', 'u3', 'u4'], earlier: 2 })
})

test('a short conversation, and one that is asked for whole, is the same snapshot', () => {
  const snapshot = withItems(user(1), end(1))
  expect([newestItems(snapshot, 2), newestItems(snapshot, undefined), newestItems(withItems(user(1)), 5).earlier]).toEqual([
    snapshot,
    snapshot,
    undefined,
  ])
})
