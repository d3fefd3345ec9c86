import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { numbered, sessionScript } from './session-script.ts'

/** Eight in the evening in London, four in the morning of the next day in Shanghai. */
const EVENING = Date.UTC(2026, 5, 25, 20, 0, 0)
const SHANGHAI = 480

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
  // One turn with one tool: two requests of 100 and 200 tokens, 20 out and 10 from the cache each, 0.006 USD each.
  await storage.append(sessionScript({ sessionId: 's_evening', turns: 1, startAt: EVENING }))
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

const read = async (offsetMinutes: number, from?: string) =>
  (await storage.service.readUsage({ workspace: storage.folder, offsetMinutes, ...(from === undefined ? {} : { from }) })).entries

it('sums the requests of a session and day, with the parts of their price', async () => {
  const entries = await read(0)
  expect(entries).toMatchObject([
    {
      workspace: storage.folder,
      day: '2026-06-25',
      sessionId: 's_evening',
      provider: 'demo',
      model: 'scripted',
      requests: 2,
      inputTokens: 300,
      outputTokens: 40,
      cacheHitTokens: 20,
      cacheWriteTokens: 0,
    },
  ])
  const cost = entries[0]?.cost
  expect(cost?.currency).toBe('USD')
  expect([cost?.cacheHit, cost?.cacheMiss, cost?.cacheWrite, cost?.output, cost?.total].map((part) => part?.toFixed(6))).toEqual([
    '0.002000',
    '0.004000',
    '0.000000',
    '0.006000',
    '0.012000',
  ])
})

it('a day is the day where the person is, newest first', async () => {
  await storage.append(sessionScript({ sessionId: 's_morning', turns: 1, startAt: Date.UTC(2026, 5, 25, 2, 0, 0) }))
  expect((await read(SHANGHAI)).map(({ day, sessionId }) => [day, sessionId])).toEqual([
    ['2026-06-26', 's_evening'],
    ['2026-06-25', 's_morning'],
  ])
  expect((await read(0)).map(({ day }) => day)).toEqual(['2026-06-25', '2026-06-25'])
})

it('what was before the first moment asked for is left out', async () => {
  expect(await read(0, new Date(EVENING + 3_600_000).toISOString())).toEqual([])
  expect(await read(0, new Date(EVENING - 3_600_000).toISOString())).toHaveLength(1)
})

it('a request without a known price is a row of its own, without a cost', async () => {
  const events = sessionScript({ sessionId: 's_evening', turns: 1, startAt: EVENING })
  const draft: SessionEventDraft = {
    event: 'llm_response',
    iteration: 1,
    content: 'unpriced',
    finishReason: 'stop',
    usage: { inputTokens: 7, outputTokens: 3, totalTokens: 10 },
    requestId: 'r_unpriced',
    provider: 'demo',
    model: 'scripted',
    messageId: 'a_unpriced',
    durationMs: 1,
    turn: 1,
  }
  await storage.append([numbered(draft, events.length, 's_evening', new Date(EVENING + 60_000).toISOString())])
  const entries = await read(0)
  expect(entries.map((entry) => [entry.requests, entry.inputTokens, entry.cost === undefined]).sort()).toEqual([
    [1, 7, true],
    [2, 300, false],
  ])
})
