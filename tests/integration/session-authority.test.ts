/** A session stored in a folder brings no authority of its own: only what this profile once chose is believed. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'

const WRITE = { toolCalls: [{ name: 'write_file', args: { file_path: 'made.txt', content: 'made' } }] }

let chosen: FakeProvider
let own: FakeProvider
let place: CliPlace
let sessionId: string

beforeAll(async () => {
  ;[chosen, own] = await Promise.all([startFakeProvider(), startFakeProvider()])
})
afterAll(() => Promise.all([chosen.stop(), own.stop()]))
beforeEach(async () => {
  await Promise.all([chosen.reset(), own.reset()])
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-test-0123456789', DEEPSEEK_BASE_URL: own.baseUrl })
  await chosen.script([{ text: 'first answer' }, WRITE, { text: 'done' }])
  const made = await run('first', '--permission', 'full_access', '--base-url', chosen.baseUrl)
  expect(made.code).toBe(0)
  sessionId = String(jsonLines(made.stdout)[0]?.['sessionId'])
})
afterEach(() => place.remove())

function run(prompt: string, ...options: string[]): ReturnType<typeof runCli> {
  return runCli(place, ['run', '-w', place.workspace, '--trust', '--json', '-m', 'deepseek/deepseek-flash', ...options, prompt])
}

const written = (): Promise<string> => readFile(path.join(place.workspace, 'made.txt'), 'utf8').catch(() => 'nothing')

test('in the profile that chose them, mode and address of a session hold on', { timeout: 120_000 }, async () => {
  const { code } = await run('second', '--session', sessionId)
  expect({ code, written: await written(), asked: (await own.requests()).length }).toEqual({ code: 0, written: 'made', asked: 0 })
})

test('in another profile they are worth nothing: nothing is written unasked, no request goes there', { timeout: 120_000 }, async () => {
  const before = (await chosen.requests()).length
  await own.script([WRITE, { text: 'done' }])
  const { code, stdout } = await runCli(place, ['run', '-w', place.workspace, '--trust', '--json', '--session', sessionId, 'second'], {
    environment: { METONA_HOME: path.join(place.folder, 'another profile') },
  })
  const denied = jsonLines(stdout).find((line) => line['event'] === 'permission')
  expect({ code, written: await written(), asked: (await chosen.requests()).length - before, denied: denied?.['decision'] }).toEqual({
    code: 0,
    written: 'nothing',
    asked: 0,
    denied: 'deny',
  })
})
