/** Summaries at the person's wish: between turns, after a restart, with messages waiting behind them and Stop in force. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline, type PipelineSession } from '#tests/helpers/pipeline.ts'

let provider: FakeProvider
let place: CliPlace
let pipeline: Pipeline
let session: PipelineSession

const MODEL = { model: 'deepseek/deepseek-flash' }
const LONG = 'The quick brown fox looks at every part of the old harbour. '.repeat(150)
const SUMMARY = ['Goal', 'Constraints and preferences', 'Progress', 'Decisions and reasons', 'Next steps', 'Identifiers', 'Files']
  .map((heading) => `## ${heading}\nSUMMARY-OF-IT: a fox looked at a harbour.`)
  .join('\n')
/** Before it summarises, the session asks what should outlive it. */
const NOTHING_TO_REMEMBER = { marker: 'about to be replaced by a summary', answers: [{ text: 'nothing' }] }
/** Six turns that a summary is worth. */
const TURNS = 6

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  pipeline = startPipeline(place)
  await pipeline.open()
  await pipeline.client.call('config.set', { key: 'agent.contextBudget', value: 25_000 })
  session = await pipeline.session(MODEL)
  await provider.script([{ answers: [{ text: LONG }], repeatLast: true }])
  for (let turn = 1; turn <= TURNS; turn++) {
    await session.prompt(`question ${turn}`)
    await session.ended(turn)
  }
})
afterEach(async () => {
  await pipeline.stop()
  await place.remove()
})

const spent = async (sessionId: string): Promise<number> =>
  (await pipeline.client.call('session.subscribe', { sessionId, deltas: false })).snapshot.totals.usage.totalTokens
const kinds = (): string[] => session.events.slice(-40).map((event) => event.event)

test('after a restart of its worker a session can still be summarised, and the next request has the summary', async () => {
  await pipeline.kill('session')
  await pipeline.open()
  await session.takeUp()
  await provider.reset()
  await provider.script([NOTHING_TO_REMEMBER, { answers: [{ text: SUMMARY }, { text: 'fine' }] }])
  const sizes = await pipeline.client.call('session.compact', { sessionId: session.sessionId })
  await session.prompt('and now?')
  await session.ended(TURNS + 1)
  const last = (await provider.requests()).at(-1)
  expect([sizes.tokensAfter < sizes.tokensBefore, JSON.stringify(last?.body).includes('SUMMARY-OF-IT')]).toEqual([true, true])
})

test('the summary is paid for in the session it was made for, and a fork pays for nothing twice', async () => {
  await provider.reset()
  await provider.script([{ answers: [{ text: SUMMARY }], repeatLast: true }])
  const before = await spent(session.sessionId)
  await pipeline.client.call('session.compact', { sessionId: session.sessionId })
  const after = await spent(session.sessionId)
  const [row] = (await pipeline.client.call('session.list', {})).sessions
  const fork = await pipeline.client.call('session.fork', { workspace: String(row?.workspace), sessionId: session.sessionId })
  expect([after > before, await spent(fork.sessionId)]).toEqual([true, 0])
})

test('every fork of a session has a title of its own', async () => {
  const workspace = String((await pipeline.client.call('session.list', {})).sessions[0]?.workspace)
  const title = async (sessionId: string) => (await pipeline.client.call('session.subscribe', { sessionId, deltas: false })).snapshot.title
  const fork = async (sessionId: string) => (await pipeline.client.call('session.fork', { workspace, sessionId })).sessionId
  const own = await title(session.sessionId)
  const forks = [await fork(session.sessionId), await fork(session.sessionId)]
  forks.push(await fork(forks[0] ?? ''))
  expect([own, await Promise.all(forks.map(title))]).toEqual(['question 1', ['question 1 (2)', 'question 1 (3)', 'question 1 (4)']])
})

test('a message sent meanwhile waits behind the summary and is answered after it', async () => {
  await provider.reset()
  await provider.script([{ text: SUMMARY, firstByteDelayMs: 400 }, { text: 'answered' }])
  const compacted = pipeline.client.call('session.compact', { sessionId: session.sessionId })
  await eventually('the summary to be asked for', async () => (await provider.requests()).length === 1)
  await session.prompt('meanwhile')
  await compacted
  await session.ended(TURNS + 1)
  const order = kinds().filter((kind) => ['message_queued', 'compaction', 'user_message', 'turn_end'].includes(kind))
  expect(order.slice(-4)).toEqual(['message_queued', 'compaction', 'user_message', 'turn_end'])
})

test('Stop ends it: nothing is summarised, and the session goes on with its whole history', async () => {
  await provider.reset()
  await provider.script([{ text: SUMMARY, firstByteDelayMs: 30_000 }, { text: 'still here' }])
  const compacted = pipeline.client
    .call('session.compact', { sessionId: session.sessionId })
    .catch((error: { code?: string }) => error.code)
  await eventually('the summary to be asked for', async () => (await provider.requests()).length === 1)
  await pipeline.client.call('session.stop', { sessionId: session.sessionId })
  const code = await compacted
  await session.prompt('go on')
  await session.ended(TURNS + 1)
  const last = JSON.stringify((await provider.requests()).at(-1)?.body)
  expect([code, kinds().includes('compaction'), last.includes('question 1'), last.includes('SUMMARY-OF-IT')]).toEqual([
    'CALL_CANCELLED',
    false,
    true,
    false,
  ])
})
