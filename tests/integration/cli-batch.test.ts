/** `metona batch`: many sessions at once in one process, none in another’s way. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, nothingLeft, runCli, startCli, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { proof } from '#tests/helpers/proof.ts'

let provider: FakeProvider
let place: CliPlace

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterEach(() => place.remove())

const DEEPSEEK = ['-m', 'deepseek/deepseek-flash', '--trust']

async function writeJobs(lines: readonly unknown[]): Promise<string> {
  const file = path.join(place.folder, 'jobs.jsonl')
  await writeFile(file, lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
  return file
}
const batch = (file: string, ...args: string[]) => runCli(place, ['batch', file, '-w', place.workspace, ...DEEPSEEK, ...args])

test('8 prompts of 1,000 tokens at 100 tokens/s stream at the same time, and no event of one is in another', async () => {
  const names = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf', 'hotel']
  await provider.script(
    names.map((name) => ({ marker: `job ${name}`, answers: [{ tokens: 1_000, tokensPerSecond: 100, tokenPrefix: name }] })),
  )
  const file = await writeJobs(names.map((name) => ({ prompt: `job ${name}`, id: name })))
  const { code, stdout } = await batch(file, '--json')
  expect(code).toBe(0)

  const requests = await provider.requests()
  expect(requests.length).toBe(8)
  const times = requests.map(({ arrivedAt, firstTokenAt, lastTokenAt }) => ({
    arrivedAt,
    first: firstTokenAt ?? Infinity,
    last: lastTokenAt ?? -Infinity,
  }))
  // A moment exists at which all are between their first and last token.
  expect(Math.max(...times.map(({ first }) => first))).toBeLessThan(Math.min(...times.map(({ last }) => last)))
  const whole = Math.max(...times.map(({ last }) => last)) - Math.min(...times.map(({ arrivedAt }) => arrivedAt))
  const slowest = Math.max(...times.map(({ arrivedAt, last }) => last - arrivedAt))
  expect(whole / slowest).toBeLessThanOrEqual(proof(1.1, 1.5))

  const lines = jsonLines(stdout)
  expect(lines.at(-1)).toEqual({ event: 'batch_end', ok: 8, failed: 0 })
  const sessionOf = new Map<unknown, Set<unknown>>()
  for (const line of lines.slice(0, -1)) sessionOf.set(line['line'], (sessionOf.get(line['line']) ?? new Set()).add(line['sessionId']))
  expect([...sessionOf.keys()].toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  expect([...sessionOf.values()].every((sessions) => sessions.size === 1)).toBe(true)
  expect(new Set([...sessionOf.values()].flatMap((sessions) => [...sessions])).size).toBe(8)
  for (const [index, name] of names.entries()) {
    const mine = lines.filter((line) => line['line'] === index + 1)
    expect(mine.map((line) => line['seq'])).toEqual(mine.map((_, seq) => seq))
    const others = names.filter((other) => other !== name)
    expect(others.filter((other) => mine.some((line) => JSON.stringify(line).includes(other)))).toEqual([])
    expect(mine.find((line) => line['event'] === 'llm_response')?.['content']).toBe(
      Array.from({ length: 1_000 }, (_, token) => `${name}${token} `).join(''),
    )
  }
  await nothingLeft(place)
})

test('one bad line and nothing runs, nothing is written', async () => {
  const file = await writeJobs([{ prompt: 'fine' }, '', { prompt: 'fine too', model: 'no-slash' }])
  const { code, stdout, stderr } = await batch(file, '--json')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(`Line 3 of ${file} cannot be used`)
  expect({ files: await readdir(place.workspace), requests: (await provider.requests()).length }).toEqual({ files: [], requests: 0 })
})

test('a folder of one line that is not trusted: exit 4 before anything is written anywhere', async () => {
  const trusted = path.join(place.folder, 'trusted')
  const other = path.join(place.folder, 'other')
  await Promise.all([mkdir(trusted), mkdir(other)])
  await runCli(place, ['trust', trusted])
  const file = await writeJobs([
    { prompt: 'one', workspace: trusted },
    { prompt: 'two', workspace: other },
  ])
  const { code, stderr } = await runCli(place, ['batch', file, '-m', 'demo/scripted'])
  expect(code).toBe(4)
  expect(stderr).toContain(`${other} is not trusted yet`)
  expect([await readdir(trusted), await readdir(other)]).toEqual([[], []])
})

test('text mode: one block per line, in the order of the lines, whatever is ready first', async () => {
  await provider.script([
    { marker: 'slow question', answers: [{ text: 'slow answer', firstByteDelayMs: 1_500 }] },
    { marker: 'quick question', answers: [{ text: 'quick answer' }] },
  ])
  const file = await writeJobs([{ prompt: 'slow question', id: 'A' }, '', { prompt: 'quick question' }])
  const { code, stdout } = await batch(file)
  expect(code).toBe(0)
  expect(stdout).toBe('[1] A — done\nslow answer\n\n[3] quick question — done\nquick answer\n\n')
})

test('a line that fails does not disturb the others; the exit code says that one did', async () => {
  await provider.script([
    {
      marker: 'bad',
      repeatLast: true,
      answers: [
        {
          kind: 'status',
          status: 402,
          body: { error: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' } },
        },
      ],
    },
    { marker: 'good', answers: [{ text: 'fine' }] },
  ])
  const file = await writeJobs([{ prompt: 'bad' }, { prompt: 'good' }, { prompt: 'nowhere', model: 'nobody/x' }])
  const { code, stdout, stderr } = await batch(file, '--json')
  expect(code).toBe(1)
  expect(jsonLines(stdout).at(-1)).toEqual({ event: 'batch_end', ok: 1, failed: 2 })
  expect(stderr).toContain('[1] metona: The quota or balance')
  expect(stderr).toContain('[3] metona: There is no provider "nobody"')
})

test('no more lines at once than --concurrency', async () => {
  await provider.script(
    Array.from({ length: 4 }, (_, index) => ({ marker: `job ${index}`, answers: [{ tokens: 80, tokensPerSecond: 40 }] })),
  )
  const file = await writeJobs(Array.from({ length: 4 }, (_, index) => ({ prompt: `job ${index}` })))
  const { code } = await batch(file, '--concurrency', '2')
  expect(code).toBe(0)
  const spans = (await provider.requests()).map(({ arrivedAt, lastTokenAt }) => ({ from: arrivedAt, to: lastTokenAt ?? 0 }))
  const together = Math.max(...spans.map(({ from }) => spans.filter((span) => span.from <= from && from < span.to).length))
  expect(together).toBe(2)
})

test('lines of one session run one after the other, and the second knows the first', async () => {
  const first = await runCli(place, ['run', '-w', place.workspace, ...DEEPSEEK, '--json', 'begin'])
  const session = String(jsonLines(first.stdout)[0]?.['sessionId'])
  await provider.script([
    { marker: 'second thing', answers: [{ text: 'two' }] },
    { marker: 'first thing', answers: [{ text: 'one', firstByteDelayMs: 300 }] },
  ])
  const file = await writeJobs([
    { prompt: 'first thing', session },
    { prompt: 'second thing', session },
  ])
  const { code, stdout } = await batch(file)
  expect(code).toBe(0)
  expect(stdout).toBe('[1] first thing — done\none\n\n[2] second thing — done\ntwo\n\n')
  expect(JSON.stringify((await provider.requests()).at(-1)?.body)).toContain('first thing')
})

test('every line may have a folder of its own; each holds its own session only', async () => {
  const folders = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const folder = path.join(place.folder, name)
      await mkdir(folder)
      return folder
    }),
  )
  const file = await writeJobs(folders.map((workspace) => ({ prompt: 'hello', workspace, model: 'demo/scripted' })))
  const { code } = await runCli(place, ['batch', file, '--trust'])
  expect(code).toBe(0)
  for (const folder of folders)
    expect((await readdir(path.join(folder, 'logs'))).filter((name) => name.startsWith('session_')).length).toBe(1)
})

test('Ctrl+C stops all of them and settles each: 130', async () => {
  await provider.script(
    Array.from({ length: 3 }, (_, index) => ({ marker: `job ${index}`, answers: [{ tokens: 5_000, tokensPerSecond: 50 }] })),
  )
  const file = await writeJobs(Array.from({ length: 5 }, (_, index) => ({ prompt: `job ${index}` })))
  const running = await startCli(place, ['batch', file, '-w', place.workspace, ...DEEPSEEK, '--json', '--concurrency', '3'])
  await provider.waitFor('streaming', 3)
  running.kill('SIGINT')
  const { code, stdout } = await running.done
  expect(code).toBe(130)
  const lines = jsonLines(stdout)
  expect(lines.filter((line) => line['event'] === 'turn_end').map((line) => line['reason'])).toEqual(['aborted', 'aborted', 'aborted'])
  expect(lines.at(-1)).toEqual({ event: 'batch_end', ok: 0, failed: 5 })
  expect((await provider.requests()).length).toBe(3)
  await nothingLeft(place)
})
