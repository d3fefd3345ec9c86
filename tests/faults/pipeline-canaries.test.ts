/**
 * Canary secrets in every slot where a key can get in, through good runs, refused ones, timeouts and a crash. Afterwards
 * every byte that was written or printed is searched; the provider's log says which key went to which host.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findCanaries, formsOf, makeCanary, searchFolder, type Canary } from '#tests/helpers/canaries.ts'
import { jsonLines, makeCliPlace, runCli, startCli, type CliPlace, type CliResult } from '#tests/helpers/cli.ts'
import { endProcesses } from '#tests/helpers/end-processes.ts'
import { startFakeProvider, type FakeAnswer, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline } from '#tests/helpers/pipeline.ts'

const KEYS = ['DEEPSEEK_API_KEY', 'AGNES_API_KEY', 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_COMPATIBLE_API_KEY'].map(makeCanary)
const PASSWORD = makeCanary('DB_PASSWORD')
const IN_URL = makeCanary('key in the base URL')
const ALL = [...KEYS, PASSWORD, IN_URL]
const [DEEPSEEK, , , , COMPATIBLE] = KEYS as [Canary, Canary, Canary, Canary, Canary]
/** Holds canaries because the test put them there. */
const PLANTED = ['settings.env', 'big.log']

let provider: FakeProvider
let other: FakeProvider
let place: CliPlace

beforeAll(async () => {
  ;[provider, other] = await Promise.all([startFakeProvider(), startFakeProvider()])
})
afterAll(async () => {
  await Promise.all([provider.stop(), other.stop()])
})

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Everything of the environment, as a model and its tools would repeat it. */
function answers(secret: Canary): FakeAnswer[] {
  return [
    {
      thinking: `I see ${secret.value} in the settings`,
      text: `it says ${secret.value} and ${PASSWORD.value}`,
      tokensPerSecond: 400,
      toolCalls: [{ name: 'read_file', args: { file_path: 'settings.env' } }],
    },
    {
      toolCalls: [
        { name: 'run_command', args: { command: `cat settings.env; base64 settings.env; echo ${base64(secret.value)}; env` } },
        { name: 'search_text', args: { pattern: secret.value } },
      ],
    },
    {
      toolCalls: [
        { name: 'run_command', args: { command: 'cat big.log' } },
        { name: 'write_file', args: { file_path: 'note.md', content: 'nothing secret' } },
      ],
    },
    {
      toolCalls: [
        { name: 'read_file', args: { file_path: `no-${secret.value}-such` } },
        { name: 'no_such_tool', args: { key: secret.value } },
        { name: 'read_file', args: `{"file_path": "${secret.value}` },
      ],
    },
    { text: `done: ${encodeURIComponent(secret.value)} ${secret.value}`, tokensPerSecond: 300 },
  ]
}

async function plant({ workspace }: CliPlace): Promise<void> {
  await mkdir(workspace, { recursive: true })
  // What the app has never been told is no secret to it.
  const lines = ALL.filter((canary) => canary !== IN_URL)
    .map(({ name, value }) => `${name.replaceAll(' ', '_')}=${value}`)
    .join('\n')
  await writeFile(path.join(workspace, 'settings.env'), `${lines}\n`)
  // Longer than what is kept in memory, so that the rest goes to a file.
  await writeFile(
    path.join(workspace, 'big.log'),
    Array.from({ length: 6_000 }, (_, index) => `line ${index} ${index % 500 === 0 ? lines.replaceAll('\n', ' ') : 'x'.repeat(60)}\n`).join(
      '',
    ),
  )
}

function environment(): Record<string, string> {
  return {
    ...Object.fromEntries([...KEYS, PASSWORD].map(({ name, value }) => [name, value])),
    DEEPSEEK_BASE_URL: provider.baseUrl,
    OPENAI_COMPATIBLE_BASE_URL: other.baseUrl,
    METONA_LOG: 'debug',
  }
}

test('no canary is in any byte written or printed, and each key goes to its own host only', { timeout: 300_000 }, async () => {
  place = await makeCliPlace(environment())
  const printed: string[] = []
  const keep = (result: CliResult): CliResult => {
    printed.push(result.stdout, result.stderr)
    return result
  }
  const run = async (...args: string[]): Promise<CliResult> => keep(await runCli(place, args))
  const turn = (...args: string[]): string[] => [
    'run',
    '-w',
    place.workspace,
    '--trust',
    '--permission',
    'full_access',
    '--sandbox',
    'off',
    ...args,
  ]
  try {
    await plant(place)
    // A whole turn, with every event and delta shown.
    await provider.script([{ answers: answers(DEEPSEEK) }])
    const whole = await run(
      ...turn('-m', 'deepseek/deepseek-flash', '--json', '--deltas', `use ${DEEPSEEK.value} and ${PASSWORD.value}, please`),
    )
    expect(whole.code).toBe(0)
    const session = String(jsonLines(whole.stdout)[0]?.['sessionId'])
    const text = await run(...turn('-m', 'openai-compatible/some-model', `say ${COMPATIBLE.value}`))
    expect(text.code).toBe(0)

    // Refused keys, quoted by the provider in every way it can.
    const echo = {
      error: {
        message: `Incorrect API key provided: ${DEEPSEEK.value} (${base64(DEEPSEEK.value)})`,
        type: DEEPSEEK.value,
        code: 'invalid_api_key',
      },
    }
    for (const answer of [
      { kind: 'status', status: 401, body: echo },
      { kind: 'status', status: 400, body: `<html>${DEEPSEEK.value}</html>` },
      { kind: 'status', status: 429, body: echo, headers: { 'retry-after': '3600' } },
      { errorInside: echo },
      { kind: 'raw', chunks: [{ text: `data: {"broken": ${DEEPSEEK.value}\n\n` }], finish: 'reset' },
    ] satisfies FakeAnswer[]) {
      await provider.reset()
      await provider.script([{ answers: [answer], repeatLast: true }])
      expect((await run(...turn('-m', 'deepseek/deepseek-flash', '--json', 'again'))).code).not.toBe(0)
    }
    await provider.reset()
    await provider.script([{ path: '/models', answers: [{ kind: 'status', status: 401, body: echo }], repeatLast: true }])
    await run('models', 'deepseek', '--json')

    // A key in the base URL.
    await provider.reset()
    await provider.script([{ answers: answers(IN_URL) }, { path: encodeURIComponent(IN_URL.value), answers: answers(IN_URL) }])
    const inUrl = await run(
      ...turn(
        '-m',
        'deepseek/deepseek-flash',
        '--base-url',
        `${provider.baseUrl}/v1?key=${encodeURIComponent(IN_URL.value)}`,
        '--json',
        '--deltas',
        'with a key in the address',
      ),
    )
    expect(inUrl.code).toBe(0)
    expect((await provider.requests()).every((request) => request.path.includes(encodeURIComponent(IN_URL.value)))).toBe(true)

    // Timeout, and a crash in the middle of a stream that repeats the key again and again.
    await provider.reset()
    await provider.script([{ answers: [{ text: `${DEEPSEEK.value} and so on. `.repeat(400), tokensPerSecond: 400 }], repeatLast: true }])
    await run(...turn('-m', 'deepseek/deepseek-flash', '--timeout', '2', '--json', '--deltas', 'slow'))
    const crashing = await startCli(place, turn('-m', 'deepseek/deepseek-flash', '--json', '--deltas', '--session', session, 'slow again'))
    await crashing.printed('text_delta')
    setTimeout(() => crashing.kill('SIGKILL'), 1_500)
    keep(await crashing.done)
    await provider.reset()
    await provider.script([{ answers: [{ text: 'fine' }], repeatLast: true }])
    expect((await run(...turn('-m', 'deepseek/deepseek-flash', '--session', session, 'after the crash'))).code).toBe(0)

    // What reads it back.
    for (const format of ['md', 'json', 'html'])
      await run('sessions', 'export', session, '-w', place.workspace, '--format', format, '-o', path.join(place.folder, `export.${format}`))
    await run('sessions', 'show', session, '-w', place.workspace, '--json')
    await run('sessions', 'show', session, '-w', place.workspace)
    await run('sessions', 'list', '-w', place.workspace)
    await run('config', 'set', '-w', place.workspace, 'llm.model', `deepseek/${DEEPSEEK.value}`)
    await run('config', 'list', '-w', place.workspace, '--json')
    expect((await run('doctor', '-w', place.workspace, '--verify')).stdout).toMatch(/, 0 differences\n$/)
    await run('doctor', '-w', place.workspace)

    const { found, files, bytes } = await searchFolder(place.folder, ALL, PLANTED)
    const shown = printed.flatMap((output) => findCanaries('printed', Buffer.from(output), ALL))
    process.stdout.write(
      `canaries: ${files} files with ${bytes} bytes and ${printed.join('').length} printed characters searched for ${ALL.length} secrets in ${formsOf(DEEPSEEK).length} forms\n`,
    )
    expect([...found, ...shown]).toEqual([])
    expect(files).toBeGreaterThan(20)
    // The text around the secrets is all there: it was not the lack of text that hid them.
    expect(whole.stdout).toContain('[redacted DEEPSEEK_API_KEY]')
    expect(inUrl.stdout).toContain('[redacted base-url]')

    const wrongHost = [
      ...(await provider.requests()).flatMap((request) =>
        findCanaries(
          `to deepseek ${request.id}`,
          Buffer.from(JSON.stringify(request)),
          ALL.filter((canary) => canary !== DEEPSEEK),
        ),
      ),
      ...(await provider.requests()).flatMap((request) =>
        findCanaries(`body to deepseek ${request.id}`, Buffer.from(JSON.stringify(request.body)), ALL),
      ),
      ...(await other.requests()).flatMap((request) =>
        findCanaries(
          `to the other ${request.id}`,
          Buffer.from(JSON.stringify(request)),
          ALL.filter((canary) => canary !== COMPATIBLE),
        ),
      ),
    ]
    expect(wrongHost).toEqual([])
    expect((await provider.requests()).map((request) => request.headers['authorization'])).toEqual(
      (await provider.requests()).map(() => `Bearer ${DEEPSEEK.value}`),
    )
    expect((await other.requests()).map((request) => request.headers['authorization'])).toEqual([`Bearer ${COMPATIBLE.value}`])
  } finally {
    await endProcesses(place.marker)
    await place.remove()
  }
})

test(
  'control: with the redactor off the same search finds them in log, database and trace, and at the client',
  { timeout: 120_000 },
  async () => {
    const open = await makeCliPlace(environment())
    await plant(open)
    await provider.reset()
    await provider.script([{ answers: answers(DEEPSEEK) }])
    for (const { name, value } of [...KEYS, PASSWORD]) process.env[name] = value
    const root = path.resolve(import.meta.dirname, '..', '..')
    const pipeline = startPipeline(open, {
      entryFor: (name) =>
        name === 'session' || name === 'storage'
          ? path.join(root, 'tests', 'helpers', 'unredacted-entry.ts')
          : path.join(root, 'workers', name, 'entry.ts'),
    })
    try {
      await pipeline.open()
      const session = await pipeline.session({ model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' })
      await session.prompt(`use ${DEEPSEEK.value} ${randomBytes(3).toString('hex')}`)
      await session.ended(1)
      await pipeline.stop()
      const { found } = await searchFolder(open.folder, [DEEPSEEK], PLANTED)
      expect(found.some((sentence) => sentence.includes('.jsonl'))).toBe(true)
      expect(found.some((sentence) => sentence.includes('agent.db'))).toBe(true)
      expect(findCanaries('client', Buffer.from(JSON.stringify([session.events, session.deltas])), [DEEPSEEK])).not.toEqual([])
    } finally {
      for (const { name } of [...KEYS, PASSWORD]) delete process.env[name]
      await pipeline.stop()
      await open.remove()
    }
  },
)
