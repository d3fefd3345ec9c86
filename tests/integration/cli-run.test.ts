/** `metona run` end to end: real workers, real files, the scripted provider as a process of its own. */
import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, readLog, runCli, startCli, writeCsv, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'

let provider: FakeProvider
let place: CliPlace

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  await writeCsv(place)
})
afterEach(() => place.remove())

const DEEPSEEK = ['-m', 'deepseek/deepseek-flash', '--trust']
const run = (...args: string[]) => runCli(place, ['run', '-w', place.workspace, ...args])
const events = (stdout: string): string[] => jsonLines(stdout).map((line) => String(line['event']))

describe('the demonstration', () => {
  test('answers from the real file, and follows it when it changes', async () => {
    const first = await run('-m', 'demo/scripted', '--trust', '读取 data.csv 并分析内容')
    expect(first.code).toBe(0)
    expect(first.stdout).toContain('2 行数据')
    expect(first.stderr).toMatch(/read_file[^\n]*\n[^]*analyze_csv/)

    const rows = Array.from({ length: 17 }, (_, index) => `产品${index},${index * 3},北京`)
    const gbk = execFileSync('iconv', ['-f', 'UTF-8', '-t', 'GBK'], { input: `产品名称,数量,城市\n${rows.join('\n')}\n` })
    await writeFile(path.join(place.workspace, 'data.csv'), gbk)
    const second = await run('-m', 'demo/scripted', '--trust', '读取 data.csv 并分析内容')
    expect(second.code).toBe(0)
    expect(second.stdout).toContain('17 行数据')
    for (const column of ['产品名称', '数量', '城市']) expect(second.stdout).toContain(column)
    expect(second.stdout).not.toContain('`name`')
  })

  test('needs no key, no network and no configuration', async () => {
    const result = await runCli(place, ['run', '-w', place.workspace, '-m', 'demo/scripted', '--trust', 'hello'], {
      environment: {
        DEEPSEEK_API_KEY: undefined,
        DEEPSEEK_BASE_URL: undefined,
        https_proxy: 'http://127.0.0.1:9',
        http_proxy: 'http://127.0.0.1:9',
      },
    })
    expect({ code: result.code, requests: (await provider.requests()).length }).toEqual({ code: 0, requests: 0 })
  })
})

describe('two iterations against the provider', () => {
  const ANSWERS = [{ thinking: '先看文件', toolCalls: [{ name: 'read_file', args: { file_path: 'data.csv' } }] }, { text: '文件有 2 行。' }]

  test('--json prints the events of the log, byte for byte, in the order of the standard', async () => {
    await provider.script(ANSWERS)
    const { code, stdout } = await run(...DEEPSEEK, '--json', '读取 data.csv')
    expect(code).toBe(0)
    const lines = jsonLines(stdout)
    expect(events(stdout)).toEqual([
      'session_start',
      'user_message',
      'context_built',
      'iteration_start',
      'llm_request',
      'llm_response',
      'permission',
      'tool_call',
      'tool_result',
      'iteration_end',
      'context_built',
      'iteration_start',
      'llm_request',
      'llm_response',
      'iteration_end',
      'turn_end',
      'session_end',
    ])
    expect(lines.map((line) => line['seq'])).toEqual(lines.map((_, index) => index))
    expect(stdout).toBe(await readLog(place.workspace, String(lines[0]?.['sessionId'])))
  })

  test('each log line begins with the fields of the architecture document, in their order', async () => {
    await provider.script(ANSWERS)
    const { stdout } = await run(...DEEPSEEK, '--json', '读取 data.csv')
    const documented: Record<string, string[]> = {
      session_start: ['seq', 'ts', 'event', 'sessionId', 'workspace'],
      context_built: ['seq', 'ts', 'event', 'sessionId', 'tokens', 'ratio'],
      iteration_start: ['seq', 'ts', 'event', 'sessionId', 'iteration'],
      llm_request: ['seq', 'ts', 'event', 'sessionId', 'iteration', 'provider', 'model', 'messages'],
      llm_response: ['seq', 'ts', 'event', 'sessionId', 'iteration', 'content', 'finishReason', 'usage'],
      tool_call: ['seq', 'ts', 'event', 'sessionId', 'iteration', 'tool', 'args'],
      tool_result: ['seq', 'ts', 'event', 'sessionId', 'iteration', 'tool', 'success', 'durationMs', 'result'],
      iteration_end: ['seq', 'ts', 'event', 'sessionId', 'iteration', 'durationMs'],
      session_end: ['seq', 'ts', 'event', 'sessionId', 'totalIterations', 'totalTokens', 'totalDurationMs'],
    }
    for (const line of jsonLines(stdout)) {
      const fields = documented[String(line['event'])]
      if (fields !== undefined) expect(Object.keys(line).slice(0, fields.length)).toEqual(fields)
    }
  })

  test('--deltas adds what streams, with rev and never seq, in the order of the standard', async () => {
    await provider.script(ANSWERS)
    const { stdout } = await run(...DEEPSEEK, '--json', '--deltas', '读取 data.csv')
    const lines = jsonLines(stdout)
    const deltas = lines.filter((line) => 'delta' in line)
    expect(
      deltas.every(
        (line) => typeof line['rev'] === 'number' && !('seq' in line) && !('event' in line && typeof line['event'] === 'string'),
      ),
    ).toBe(true)
    const kinds = deltas.filter((line) => line['delta'] === 'stream').map((line) => (line['event'] as { type: string }).type)
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1] && kind !== 'usage')).toEqual([
      'thinking_start',
      'reasoning_delta',
      'thinking_end',
      'tool_call_start',
      'tool_call_delta',
      'tool_call_complete',
      'done',
      'text_delta',
      'done',
    ])
    const durable = lines.filter((line) => typeof line['event'] === 'string')
    expect(durable.map((line) => line['seq'])).toEqual(durable.map((_, index) => index))
  })

  test('text mode: the answer to stdout, everything else to stderr', async () => {
    await provider.script(ANSWERS)
    const { code, stdout, stderr } = await run(...DEEPSEEK, '读取 data.csv')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '文件有 2 行。\n' })
    expect(stderr).toContain('先看文件')
    expect(stderr).toMatch(/✓ read_file — .* \(\d+ ms\)/)
  })

  test('one trace file per iteration, named by the session', async () => {
    await provider.script(ANSWERS)
    const { stdout } = await run(...DEEPSEEK, '--json', '读取 data.csv')
    const sessionId = String(jsonLines(stdout)[0]?.['sessionId'])
    expect((await readdir(path.join(place.workspace, 'traces'))).filter((name) => name.endsWith('.json')).toSorted()).toEqual([
      `trace_${sessionId}_1_1.json`,
      `trace_${sessionId}_1_2.json`,
    ])
  })
})

describe('where the prompt comes from', () => {
  const promptSent = async (): Promise<unknown> => {
    const request = (await provider.requests())[0]?.body as { messages: { role: string; content: string }[] } | undefined
    return request?.messages.find((message) => message.role === 'user')?.content
  }

  test('several words are one prompt', async () => {
    await run(...DEEPSEEK, 'tell', 'me', '--', '-more')
    expect(await promptSent()).toMatch(/^tell me -more/)
  })

  test.each([['-'], []])('standard input with %j', async (...words: string[]) => {
    const { code } = await runCli(place, ['run', '-w', place.workspace, ...DEEPSEEK, ...words], { input: '\uFEFF从管道来\n第二行\n' })
    expect(code).toBe(0)
    expect(await promptSent()).toMatch(/^从管道来\n第二行/)
  })

  test.each([['run'], ['run', '-'], ['run', '   ']])('an empty prompt (%j) is a wrong command line', async (...args: string[]) => {
    const { code, stderr, stdout } = await runCli(place, args, { input: ' \n' })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('The prompt is empty')
  })
})

describe('sessions that go on', () => {
  test('--session takes up a session: the model sees what was said, only new events are printed', async () => {
    await provider.script([{ text: 'Nice to meet you, Ada.' }, { text: 'Your name is Ada.' }])
    const first = await run(...DEEPSEEK, '--json', 'My name is Ada')
    const sessionId = String(jsonLines(first.stdout)[0]?.['sessionId'])
    const second = await run(...DEEPSEEK, '--json', '--session', sessionId, 'What is my name?')
    expect(second.code).toBe(0)
    expect(events(second.stdout)[0]).toBe('session_resumed')
    expect(jsonLines(second.stdout)[0]?.['seq']).toBe(jsonLines(first.stdout).length)
    expect(JSON.stringify((await provider.requests())[1]?.body)).toContain('Nice to meet you, Ada.')
    expect(first.stdout + second.stdout).toBe(await readLog(place.workspace, sessionId))
  })

  test('a session that does not exist is named, exit 1', async () => {
    const { code, stderr } = await run(...DEEPSEEK, '--session', 's_doesnotexist', 'hi')
    expect(code).toBe(1)
    expect(stderr).toContain('There is no session s_doesnotexist')
  })
})

describe('limits', () => {
  test('--timeout ends a slow turn with exit 5, and the provider’s socket is closed', async () => {
    await provider.script([{ tokens: 10_000, tokensPerSecond: 20 }])
    const { code, stderr, stdout } = await run(...DEEPSEEK, '--json', '--timeout', '3', 'count')
    expect(code).toBe(5)
    expect(stderr).toContain('The time for this turn is over')
    expect(jsonLines(stdout).find((line) => line['event'] === 'turn_end')).toMatchObject({ reason: 'limit_reached' })
    expect((await provider.waitFor('closed', 1)).length).toBe(1)
  })

  test('--max-iterations ends a turn that wants more with exit 5', async () => {
    await provider.script([{ repeatLast: true, answers: [{ toolCalls: [{ name: 'list_directory', args: { path: '.' } }] }] }])
    const { code, stderr } = await run(...DEEPSEEK, '--max-iterations', '2', 'go on')
    expect({ code, requests: (await provider.requests()).length }).toEqual({ code: 5, requests: 2 })
    expect(stderr).toContain('The limit of model requests')
  })

  test.each([
    ['limits.turnTokens', '1', 'The token budget of one turn is used up'],
    ['agent.turnTimeoutSeconds', '1', 'The time for this turn is over'],
    ['limits.turnTokens', '1000000', 'The model asked for the very same call again and again'],
  ])('the setting %s %s ends it with exit 5 and says why', async (key, value, sentence) => {
    await runCli(place, ['config', 'set', key, value, '--profile'])
    const slow = key.endsWith('Seconds') ? { tokens: 1000, tokensPerSecond: 20 } : {}
    await provider.script([{ repeatLast: true, answers: [{ ...slow, toolCalls: [{ name: 'list_directory', args: { path: '.' } }] }] }])
    const { code, stderr } = await run(...DEEPSEEK, 'go on')
    expect(code).toBe(5)
    expect(stderr).toContain(sentence)
  })
})

test('a rule that forbids holds in full access, and the model is told', async () => {
  await runCli(place, ['config', 'set', 'security.rules', '[{"effect":"deny","tool":"run_command","match":"printf *"}]', '--profile'])
  await provider.script([
    { toolCalls: ['printf hi', 'echo "$(printf hi)"', 'echo hi'].map((command) => ({ name: 'run_command', args: { command } })) },
    { text: 'done' },
  ])
  const { stdout } = await run(...DEEPSEEK, '--json', '--permission', 'full_access', 'run them')
  const results = jsonLines(stdout).filter((line) => line['event'] === 'tool_result')
  expect(results.map(({ outcome, summary }) => [outcome, String(summary ?? '').slice(0, 40)])).toEqual(
    [
      ['denied', 'Denied: a rule of the person forbids it ('],
      ['denied', 'Denied: a rule of the person forbids it ('],
      ['ok', ''],
    ].map(([outcome, text]) => [outcome, String(text).slice(0, 40)]),
  )
})

describe('permissions with nobody to ask', () => {
  const WRITE = [{ toolCalls: [{ name: 'write_file', args: { file_path: 'new.txt', content: 'x' } }] }, { text: 'done' }]

  test('what would ask is denied; the run ends 0 and the last line of stderr says so', async () => {
    await provider.script(WRITE)
    const { code, stdout, stderr } = await run(...DEEPSEEK, 'write it')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' })
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('1 call was not allowed')
    await expect(readFile(path.join(place.workspace, 'new.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('--strict makes it exit 4', async () => {
    await provider.script(WRITE)
    expect((await run(...DEEPSEEK, '--strict', 'write it')).code).toBe(4)
  })

  test('--permission auto_edit lets it write', async () => {
    await provider.script(WRITE)
    expect((await run(...DEEPSEEK, '--strict', '--permission', 'auto_edit', 'write it')).code).toBe(0)
    expect(await readFile(path.join(place.workspace, 'new.txt'), 'utf8')).toBe('x')
  })

  test('plan mode writes nothing even where it is told to', async () => {
    await provider.script(WRITE)
    const { code } = await run(...DEEPSEEK, '--strict', '--permission', 'plan', 'write it')
    expect(code).toBe(4)
  })
})

test('what the app does in a folder it did not know is said once', async () => {
  const first = await run('-m', 'demo/scripted', '--trust', 'hello')
  expect(first.stderr).toContain('made in this folder: SOUL.md, AGENTS.md, MEMORY.md, USERS.md')
  const second = await run('-m', 'demo/scripted', '--trust', 'hello')
  expect(second.stderr).not.toContain('made in this folder')
})

test('texts follow --lang and the locale', async () => {
  const chinese = await runCli(place, ['run', '-w', path.join(place.folder, 'none'), 'hi'], { environment: { LANG: 'zh_CN.UTF-8' } })
  const english = await runCli(place, ['run', '--lang', 'en', '-w', path.join(place.folder, 'none'), 'hi'], {
    environment: { LANG: 'zh_CN.UTF-8' },
  })
  expect([chinese.stderr.includes('不是文件夹'), english.stderr.includes('is no folder')]).toEqual([true, true])
})

test('the reading commands know what was run', async () => {
  const ran = await run('-m', 'demo/scripted', '--trust', '--json', '读取 data.csv 并分析内容')
  const sessionId = String(jsonLines(ran.stdout)[0]?.['sessionId'])
  const list = await runCli(place, ['sessions', 'list', '-w', place.workspace, '--json'])
  expect(jsonLines(list.stdout)).toMatchObject([{ sessionId, state: 'done', title: '读取 data.csv 并分析内容' }])
  const show = await runCli(place, ['sessions', 'show', sessionId, '-w', place.workspace, '--json'])
  expect(show.stdout).toBe(ran.stdout)
  const file = path.join(place.folder, 'session.html')
  const exported = await runCli(place, ['sessions', 'export', sessionId, '-w', place.workspace, '--format', 'html', '-o', file])
  expect(exported.code).toBe(0)
  expect(await readFile(file, 'utf8')).toContain('读取 data.csv')
  const verify = await runCli(place, ['doctor', '--verify', '-w', place.workspace])
  expect({ code: verify.code, last: verify.stdout.trimEnd().split('\n').at(-1) }).toEqual({
    code: 0,
    last: expect.stringMatching(/^verify: 1 sessions, \d+ events, \d+ audit rows, 0 differences$/),
  })
})

test('two sessions of one folder at the same time: the second waits, then runs', async () => {
  await provider.script([{ marker: 'slow one', answers: [{ tokens: 60, tokensPerSecond: 30 }] }])
  const slow = await startCli(place, ['run', '-w', place.workspace, ...DEEPSEEK, 'slow one'])
  await provider.waitFor('streaming', 1)
  const second = await run('-m', 'demo/scripted', '--trust', 'hello')
  expect([second.code, (await slow.done).code]).toEqual([0, 0])
})
