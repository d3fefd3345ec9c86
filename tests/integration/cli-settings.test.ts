/** The commands beside `run`: trust, config, models, doctor, sessions that change something. */
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import { PipelineHealthSchema } from '#contracts/health/pipeline-health.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, startCli, writeCsv, type CliPlace } from '#tests/helpers/cli.ts'

let place: CliPlace

beforeEach(async () => {
  place = await makeCliPlace()
  await writeCsv(place)
})
afterEach(() => place.remove())

const cli = (...args: string[]) => runCli(place, args)
const demo = (...args: string[]) => cli('run', '-w', place.workspace, '-m', 'demo/scripted', '--json', ...args)

async function runDemo(): Promise<string> {
  const { stdout } = await demo('--trust', '读取 data.csv 并分析内容')
  return String(jsonLines(stdout)[0]?.['sessionId'])
}

describe('trust', () => {
  test('kept in the profile by real path, listed, taken back', async () => {
    const link = path.join(place.folder, 'link')
    await symlink(place.workspace, link)
    expect((await cli('trust', link)).code).toBe(0)
    expect(jsonLines((await cli('trust', '--list', '--json')).stdout)).toMatchObject([{ path: place.workspace }])
    expect((await demo('hello')).code).toBe(0)
    expect((await cli('trust', '--remove', place.workspace)).stdout).toContain('no longer trusted')
    expect((await demo('hello')).code).toBe(4)
  })

  test('--trust holds for its run only', async () => {
    expect((await demo('--trust', 'hello')).code).toBe(0)
    expect((await demo('hello')).code).toBe(4)
    expect((await cli('trust', '--list')).stdout).toBe('')
  })

  test('a database that came with the folder grants nothing', async () => {
    await runDemo()
    await rm(place.profile, { recursive: true })
    expect((await demo('hello')).code).toBe(4)
  })
})

describe('config', () => {
  test('a workspace’s value stands before the profile’s, that before the default', async () => {
    await cli('trust', place.workspace)
    const value = async () => (await cli('config', 'get', 'agent.maxIterations', '-w', place.workspace)).stdout.trim()
    expect(await value()).toBe('50')
    await cli('config', 'set', 'agent.maxIterations', '20', '--profile')
    expect(await value()).toBe('20')
    await cli('config', 'set', 'agent.maxIterations', '7', '-w', place.workspace)
    expect(await value()).toBe('7')
    const entries = jsonLines((await cli('config', 'list', '--json', '-w', place.workspace)).stdout)
    expect(entries.find((entry) => entry['key'] === 'agent.maxIterations')).toMatchObject({ value: 7, source: 'workspace' })
  })

  test('the model set there is used by the next run', async () => {
    await cli('config', 'set', 'llm.model', 'demo/scripted', '--profile')
    expect((await cli('run', '-w', place.workspace, '--trust', 'hello')).code).toBe(0)
  })

  test.each<[string[], string]>([
    [['agent.maxIterations', '0'], 'does not fit the setting agent.maxIterations'],
    [['agent.maxIterations', 'many'], 'does not fit the setting agent.maxIterations'],
    [['security.permission', 'root'], 'does not fit the setting security.permission'],
    [['no.such', '1'], 'There is no setting "no.such"'],
  ])('%j is refused and changes nothing', async ([key, value], sentence) => {
    const result = await cli('config', 'set', key as string, value as string, '--profile')
    expect({ code: result.code, stdout: result.stdout }).toEqual({ code: 2, stdout: '' })
    expect(result.stderr).toContain(sentence)
  })

  test('a folder cannot loosen what protects the person', async () => {
    await cli('trust', place.workspace)
    const result = await cli('config', 'set', 'security.permission', 'full_access', '-w', place.workspace)
    expect(result.code).toBe(2)
    expect(result.stderr).toContain('only make security.permission stricter')
  })
})

describe('models', () => {
  test('the demo needs nothing', async () => {
    const { code, stdout } = await cli('models', 'demo', '--json')
    expect({ code, models: jsonLines(stdout).map((model) => `${String(model['providerId'])}/${String(model['id'])}`) }).toEqual({
      code: 0,
      models: ['demo/scripted'],
    })
  })

  test('an unknown provider is a wrong configuration', async () => {
    const { code, stderr } = await cli('models', 'nobody')
    expect(code).toBe(3)
    expect(stderr).toContain('There is no provider "nobody"')
  })
})

describe('doctor', () => {
  test('--perf measures every thread in a folder of its own and leaves nothing behind', async () => {
    const before = await readdir(place.folder)
    const { code, stdout } = await cli('doctor', '--perf', '--json')
    const { workers, ...rest } = JSON.parse(stdout) as Record<string, unknown>
    const health = PipelineHealthSchema.parse({ ...rest, threads: workers })
    expect([code, health.threads.map((thread) => thread.name).sort(), health.silent]).toEqual([
      0,
      ['context', 'llm', 'session', 'storage', 'tools'],
      [],
    ])
    expect(health.sessions.map(({ iterations }) => iterations)).toEqual([6])
    expect(await readdir(place.folder)).toEqual(before)
    expect(await readdir(path.join(place.folder, 'tmp'))).toEqual([])
  })

  test('says what is there and what is missing', async () => {
    const { code, stdout } = await runCli(place, ['doctor', '-w', place.workspace], {
      environment: { DEEPSEEK_API_KEY: 'sk-secret-secret-secret' },
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Metona: \d+\.\d+\.\d+\nNode: v24\./)
    expect(stdout).toContain('DeepSeek: key found')
    expect(stdout).toContain('no key (OPENAI_API_KEY is not set)')
    expect(stdout).not.toContain('sk-secret')
  })

  test('--verify lists each difference and ends with 1; --rebuild makes it good from the logs', async () => {
    const sessionId = await runDemo()
    const file = path.join(place.workspace, '.metona', 'agent.db')
    const database = new Database(file)
    const first = database.prepare<[], { id: number }>("SELECT min(id) AS id FROM audit_logs WHERE event_type = 'tool_call'").get()
    database.prepare('UPDATE audit_logs SET outcome = ? WHERE id = ?').run('denied', first?.id)
    database.close()
    const broken = await cli('doctor', '--verify', '-w', place.workspace)
    expect(broken.code).toBe(1)
    expect(broken.stdout).toMatch(/^difference: /m)
    expect(broken.stdout.trimEnd().split('\n').at(-1)).toMatch(/^verify: 1 sessions, \d+ events, \d+ audit rows, [1-9]\d* differences$/)

    await rm(path.join(place.workspace, '.metona'), { recursive: true })
    const rebuilt = await cli('doctor', '--rebuild', '-w', place.workspace)
    expect({ code: rebuilt.code, last: rebuilt.stdout.trimEnd().split('\n').at(-1) }).toEqual({
      code: 0,
      last: expect.stringMatching(/, 0 differences$/),
    })
    const list = await cli('sessions', 'list', '--json', '-w', place.workspace)
    expect(jsonLines(list.stdout)).toMatchObject([{ sessionId, state: 'done' }])
  })

  test('--rebuild of a folder in use: exit 3', async () => {
    const running = await startCli(place, ['serve', '--no-open'])
    await running.printed('http://127.0.0.1:')
    const busy = await startCli(place, [
      'run',
      '-w',
      place.workspace,
      '-m',
      'demo/scripted',
      '--trust',
      '--json',
      '读取 data.csv 并分析内容',
    ])
    await busy.printed('session_start')
    const { code, stderr } = await cli('doctor', '--rebuild', '-w', place.workspace)
    running.kill('SIGTERM')
    await Promise.all([busy.done, running.done])
    expect(code).toBe(3)
    expect(stderr).toContain('in use by another Metona')
  })

  test('a folder without data has nothing to compare, and gets none by being looked at', async () => {
    const { code, stdout } = await cli('doctor', '--verify', '-w', place.workspace)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'verify: 0 sessions, 0 events, 0 audit rows, 0 differences\n' })
    expect(await readdir(place.workspace)).toEqual(['data.csv'])
  })
})

describe('sessions', () => {
  test('reading an untrusted folder writes nothing into it', async () => {
    for (const args of [['list'], ['search', 'x'], ['show', 's_none'], ['export', 's_none']])
      await cli('sessions', ...args, '-w', place.workspace)
    expect(await readdir(place.workspace)).toEqual(['data.csv'])
  })

  test('a fork is a session of its own; deleting one leaves the other', async () => {
    const sessionId = await runDemo()
    const forked = (await cli('sessions', 'fork', sessionId, '--at', '1', '--trust', '-w', place.workspace)).stdout.trim()
    expect(forked).toMatch(/^s_[0-9a-z]{10,}$/)
    expect((await cli('sessions', 'delete', sessionId, '--yes', '--trust', '-w', place.workspace)).code).toBe(0)
    const left = jsonLines((await cli('sessions', 'list', '--json', '-w', place.workspace)).stdout)
    expect(left.map((session) => session['sessionId'])).toEqual([forked])
    expect((await cli('doctor', '--verify', '-w', place.workspace)).code).toBe(0)
  })

  test('search finds Chinese and Latin words', async () => {
    const sessionId = await runDemo()
    for (const word of ['分析', 'data'])
      expect(jsonLines((await cli('sessions', 'search', word, '--json', '-w', place.workspace)).stdout)[0]).toMatchObject({ sessionId })
  })

  test('export writes each format; a file that cannot be written is named', async () => {
    const sessionId = await runDemo()
    const markdown = path.join(place.folder, 'out.md')
    await cli('sessions', 'export', sessionId, '-w', place.workspace, '-o', markdown)
    expect(await readFile(markdown, 'utf8')).toContain('读取 data.csv')
    const json = await cli('sessions', 'export', sessionId, '-w', place.workspace, '--format', 'json')
    expect(JSON.parse(json.stdout)).toMatchObject({ sessionId })
    const failed = await cli('sessions', 'export', sessionId, '-w', place.workspace, '-o', path.join(place.folder, 'none', 'x.md'))
    expect(failed.code).toBe(1)
    expect(failed.stderr).toContain('could not be written')
  })
})

test('a foreign database in the folder is treated as hostile data, not as ours', async () => {
  await mkdir(path.join(place.workspace, '.metona'))
  await writeFile(path.join(place.workspace, '.metona', 'agent.db'), 'this is no database'.repeat(1000))
  const { code, stdout } = await cli('sessions', 'list', '-w', place.workspace)
  expect({ code, stdout: stdout.includes('s_') }).toEqual({ code: 0, stdout: false })
})
