import { expect, test } from 'vitest'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { SessionStore, type StorageAccess } from '#workers/session/session-store.ts'

const event = (seq: number): SessionEvent => ({
  seq,
  ts: '2026-01-01T00:00:00.000Z',
  event: 'iteration_start',
  sessionId: 's_1',
  iteration: 1,
  eventId: `e_${seq}`,
})

/** A storage that notes what each commit held, can be told to lose the next ones, and answers only once `held` is through. */
function storage(lose = 0, held?: Promise<void>): { access: StorageAccess; commits: number[][] } {
  const commits: number[][] = []
  let losing = lose
  const client = {
    appendEvents: async ({ events }: { events: SessionEvent[] }) => {
      if (losing-- > 0) throw new AppError({ code: 'WORKER_LOST', message: 'gone', retryable: true })
      commits.push(events.map(({ seq }) => seq))
      await held
      return { lastSeq: events.at(-1)?.seq ?? 0 }
    },
  }
  return { access: { open: () => Promise.resolve(client) } as unknown as StorageAccess, commits }
}

test('what one step adds is one commit', async () => {
  const { access, commits } = storage()
  const store = new SessionStore(access, '/w')
  await Promise.all([store.append([event(0)]), store.append([event(1), event(2)])])
  expect(commits).toEqual([[0, 1, 2]])
})

test('what comes while a commit is on its way goes together into the next', async () => {
  const answer = Promise.withResolvers<void>()
  const { access, commits } = storage(0, answer.promise)
  const store = new SessionStore(access, '/w')
  const first = store.append([event(0)])
  await eventually('the first to be on its way', () => commits.length === 1)
  const later = [store.append([event(1)]), store.append([event(2)])]
  answer.resolve()
  await Promise.all([first, ...later])
  expect(commits).toEqual([[0], [1, 2]])
})

test('a commit whose answer was lost is sent again, in order', async () => {
  const { access, commits } = storage(2)
  const store = new SessionStore(access, '/w')
  await Promise.all([store.append([event(0)]), store.append([event(1)])])
  expect(commits).toEqual([[0, 1]])
})
