/** What was learned of token numbers is there in the next run: counts with the session, the model's account in the profile. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'

let provider: FakeProvider
let place: CliPlace

beforeAll(async () => {
  provider = await startFakeProvider()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterAll(async () => {
  await place.remove()
  await provider.stop()
})

const USAGE = { prompt_tokens: 6_000, completion_tokens: 5, total_tokens: 6_005 }
const run = (...args: string[]) =>
  runCli(place, ['run', '-w', place.workspace, '-m', 'deepseek/deepseek-flash', '--trust', '--json', ...args])

function rows(file: string, sql: string): Record<string, unknown>[] {
  const database = new Database(file, { readonly: true })
  try {
    return database.prepare<[], Record<string, unknown>>(sql).all()
  } finally {
    database.close()
  }
}

/** Context size the log holds for each request of a run. */
const estimates = (stdout: string): number[] =>
  jsonLines(stdout).flatMap((line) => (line['event'] === 'context_built' ? [Number(line['tokens'])] : []))

test('a second run of another process begins with what the first one learned', async () => {
  await provider.script([
    { text: 'one', usage: USAGE },
    { text: 'two', usage: USAGE },
  ])
  const first = await run('hello')
  const second = await run('hello')
  const profile = path.join(place.profile, 'profile.db')
  const [account] = rows(profile, 'SELECT provider, model, json FROM model_accounts')
  const doctor = jsonLines((await runCli(place, ['doctor', '-w', place.workspace, '--json'])).stdout)
  expect({
    codes: [first.code, second.code],
    // The first estimate knew nothing of the provider's overhead, the second one is right at once.
    second: Math.abs((estimates(second.stdout)[0] ?? 0) - 6_000) < 10,
    first: Math.abs((estimates(first.stdout)[0] ?? 0) - 6_000) > 100,
    account: [account?.['provider'], account?.['model'], JSON.parse(String(account?.['json'])).reports],
    doctor: doctor.filter((line) => String(line['name']).startsWith('tokens.')).map((line) => line['name']),
  }).toEqual({
    codes: [0, 0],
    second: true,
    first: true,
    account: ['deepseek', 'deepseek-flash', 2],
    doctor: ['tokens.deepseek/deepseek-flash'],
  })
})

test('a session taken up again has its exact counts, and deleting it removes them', async () => {
  await provider.script([
    { text: 'one', usage: USAGE },
    { text: 'two', usage: USAGE },
  ])
  // Near the limit every message is counted exactly.
  await runCli(place, ['config', 'set', 'agent.contextBudget', '20000', '--profile'])
  const first = await run('你好，请记住这句话。')
  const sessionId = String(jsonLines(first.stdout)[0]?.['sessionId'])
  const again = await run('--session', sessionId, '这一段很长，要逐字计数。'.repeat(1_200))
  const database = path.join(place.workspace, '.metona', 'agent.db')
  const counters = () => rows(database, `SELECT DISTINCT counter FROM token_counts WHERE session_id = '${sessionId}'`)
  const stored = counters()
  const deleted = await runCli(place, ['sessions', 'delete', sessionId, '-w', place.workspace, '--yes', '--trust'])
  expect([again.code, stored, deleted.code, counters()]).toEqual([0, [{ counter: 'exact:deepseek' }], 0, []])
})
