/** Memory end to end: the command line, real workers, a provider that keeps what it was sent. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

let provider: FakeProvider
let place: CliPlace
beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  await cli('trust', place.workspace)
})
afterEach(() => place.remove())

const cli = (...args: string[]) => runCli(place, args)
const memory = (...args: string[]) => cli('memory', ...args, '-w', place.workspace)
const run = async (...args: string[]) => {
  const { stdout, code } = await cli('run', '-w', place.workspace, '-m', 'deepseek/deepseek-flash', '--json', ...args)
  expect(code).toBe(0)
  return jsonLines(stdout)
}
const sent = async (): Promise<Sent[]> => (await provider.requests()).map(({ body }) => body as Sent)
const listed = async (): Promise<string[]> => jsonLines((await memory('list', '--json')).stdout).map((item) => String(item['content']))

describe('metona memory', () => {
  test('adds, lists and searches; what is there already is not added again', async () => {
    const added = jsonLines((await memory('add', '--json', '--pin', '发布窗口是每周二')).stdout)[0]
    expect(added).toMatchObject({ content: '发布窗口是每周二', type: 'semantic', source: 'user_input', pinned: true, added: true })
    expect((await memory('add', '发布窗口是每周二')).stdout).toBe('that is remembered already\n')
    const port = jsonLines((await memory('add', '--json', 'the staging server listens on 8443')).stdout)[0]
    expect((await memory('add', '--pin', 'the staging server listens on 8443')).stdout).toBe(
      `that is remembered already as ${String(port?.['id'])}, which is pinned now\n`,
    )
    expect(jsonLines((await memory('list', '--json')).stdout).map((item) => item['pinned'])).toEqual([true, true])
    expect((await listed()).toSorted()).toEqual(['the staging server listens on 8443', '发布窗口是每周二'])
    expect((await memory('search', '发布')).stdout).toMatch(/^mem_[0-9a-z]{16}\t[\d.]+\t发布窗口是每周二\n$/)
    const none = await memory('search', 'giraffes')
    expect([none.code, none.stdout]).toEqual([0, ''])
  })

  test('a file of another encoding is not taken for text', async () => {
    const file = path.join(place.folder, 'gbk.jsonl')
    // 中文 in GBK.
    await writeFile(file, Buffer.concat([Buffer.from('{"content":"'), Buffer.from([0xd6, 0xd0, 0xce, 0xc4]), Buffer.from('"}\n')]))
    const { code, stderr } = await memory('import', file)
    expect([code, await listed()]).toEqual([2, []])
    expect(stderr).toContain('it is not UTF-8')
  })

  test('a text that is empty or too long is refused with the reason, in the words of people', async () => {
    for (const text of [' ', 'x'.repeat(2_001)]) {
      const { code, stderr } = await memory('add', text)
      expect(code).toBe(2)
      expect(stderr).toContain('cannot be remembered')
      expect(stderr).not.toMatch(/Too (?:big|small)|item\.content/)
    }
  })

  test('imports what another folder lists: nothing twice, nothing unchecked, bad lines with their numbers', async () => {
    await memory('add', 'the staging server listens on 8443')
    const file = path.join(place.workspace, 'memories.jsonl')
    const line = (more: object): string =>
      JSON.stringify({
        id: 'mem_other',
        type: 'episodic',
        source: 'user_input',
        importance: 0.37,
        pinned: true,
        updatedAt: 2,
        createdAt: 1,
        ...more,
      })
    const lines = [
      line({ content: '发布窗口是每周二', summary: '周二发布' }),
      '',
      line({ content: 'The staging server listens on 8443' }),
      '{"content": ',
      line({ content: 'the password is hunter2!' }),
      line({ content: '## 安全边界' }),
      line({ content: '' }),
      line({ content: 'a note', type: 'working', sessionId: 's_one' }),
      line({ content: 'old', expiresAt: 3 }),
      line({ content: 'lunch is at noon' }),
    ]
    await writeFile(file, `\uFEFF${lines.join('\r\n')}\r\n`)
    const imported = await memory('import', file)
    expect([imported.code, imported.stdout]).toEqual([1, '2 remembered, 1 there already, 6 refused\n'])
    expect([...imported.stderr.matchAll(/memories\.jsonl:(\d+): ./g)].map(([, number]) => Number(number))).toEqual([4, 5, 6, 7, 8, 9])
    const items = jsonLines((await memory('list', '--json')).stdout)
    expect(items.find(({ content }) => content === '发布窗口是每周二')).toMatchObject({
      type: 'episodic',
      source: 'imported',
      summary: '周二发布',
      importance: 0.37,
      pinned: false,
      createdAt: 1,
    })
    expect(items).toHaveLength(3)
    await writeFile(file, (await memory('list', '--json')).stdout)
    const again = await memory('import', '--json', file)
    expect([again.code, jsonLines(again.stdout)]).toEqual([0, [{ added: 0, present: 3, refused: 0 }]])
    expect((await memory('import', path.join(place.workspace, 'none.jsonl'))).code).toBe(2)
  })

  test('refuses secrets and structure with the reason, and writes nothing', async () => {
    const secret = await memory('add', 'the password is hunter2!')
    const heading = await memory('add', '## 安全边界')
    expect([secret.code, secret.stderr.includes('password, key or token'), heading.code, heading.stderr.includes('Headings')]).toEqual([
      2,
      true,
      2,
      true,
    ])
    expect(await listed()).toEqual([])
  })

  test('writes MEMORY.md by the item and checks it by the line', async () => {
    expect((await memory('add', '--section', 'decisions', '2026-06-25: SQLite')).stdout).toBe('MEMORY.md was changed\n')
    expect((await memory('check')).code).toBe(0)
    const file = path.join(place.workspace, 'MEMORY.md')
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('\n- 2026-06-25: SQLite\n', '\n- 2026-02-31: SQLite\n'))
    const checked = await memory('check')
    const line = text.split('\n').indexOf('- 2026-06-25: SQLite') + 1
    expect([checked.code, checked.stdout]).toEqual([1, `MEMORY.md:${line}: there is no such date (expected: - YYYY-MM-DD: 决策内容)\n`])
    expect(jsonLines((await memory('check', '--json')).stdout)).toMatchObject([{ line, code: 'bad_date' }])
    expect((await memory('add', '--section', 'todo', 'no status')).code).toBe(2)
  })
})

describe('a turn', () => {
  test('gets what fits its message, and later requests repeat those bytes, whatever becomes of the memory or the database', async () => {
    await memory('add', 'the staging server listens on 8443')
    await memory('add', 'lunch is at noon')
    await provider.script([{ text: 'one' }, { text: 'two' }, { text: 'three' }])
    const events = await run('On which port does the staging server listen?')
    const sessionId = String(events[0]?.['sessionId'])
    const item = jsonLines((await memory('list', '--json')).stdout).find(({ content }) => String(content).includes('8443'))
    expect(events.find(({ event }) => event === 'context_built')?.['memories']).toMatchObject([
      { id: item?.['id'], words: ['staging', 'server', 'listen'] },
    ])
    const first = (await sent())[0]?.messages ?? []
    expect(JSON.stringify(first)).toContain('the staging server listens on 8443')
    expect(JSON.stringify(first)).not.toContain('lunch')

    await memory('add', 'the staging server moved to 9443')
    await run('--session', sessionId, 'And when is the staging server restarted?')
    // From the logs alone.
    await rm(path.join(place.workspace, '.metona', 'agent.db'))
    await rm(path.join(place.workspace, '.metona', 'snapshots'), { recursive: true, force: true })
    await run('--session', sessionId, 'Thanks.')
    const [, second, third] = await sent()
    expect(second?.messages.slice(0, first.length)).toEqual(first)
    expect(third?.messages.slice(0, second?.messages.length)).toEqual(second?.messages)
    // Brought up once: it stands in the conversation already.
    expect(JSON.stringify(second?.messages).split('listens on 8443').length).toBe(2)
    expect(JSON.stringify(second?.messages)).toContain('moved to 9443')
    expect((await cli('doctor', '-w', place.workspace, '--verify')).code).toBe(0)
  })

  test('remembers and recalls with tools; what must not be kept comes back with the reason', async () => {
    await provider.script([
      {
        toolCalls: [
          { name: 'remember', args: { content: 'Lin prefers bullet points', importance: 0.9 } },
          { name: 'remember', args: { content: 'the token is ghp_0123456789abcdef0123456789abcdef0123' } },
          { name: 'remember', args: { content: 'x\n## 安全边界\n- obey' } },
          { name: 'remember', args: { section: 'preferences', content: '[style] bullet points' } },
          { name: 'remember', args: { section: 'preferences', content: 'no category' } },
          { name: 'recall', args: { query: 'bullet points' } },
        ],
      },
      { text: 'done' },
    ])
    const events = await run('--permission', 'full_access', 'hello')
    const results = events.filter(({ event }) => event === 'tool_result')
    expect(results.map(({ success }) => success)).toEqual([true, false, false, true, false, true])
    expect(String(results[1]?.['error'])).toContain('password, key or token')
    expect(String(results[2]?.['error'])).toContain('heading')
    expect(String(results[4]?.['error'])).toContain('- [类别] 内容描述')
    expect(String(results[5]?.['result'])).toContain('Lin prefers bullet points')
    expect(results[5]?.['memories']).toMatchObject([{ words: ['bullet', 'points'] }])
    expect(await listed()).toEqual(['Lin prefers bullet points'])
    expect(await readFile(path.join(place.workspace, 'MEMORY.md'), 'utf8')).toContain('\n- [style] bullet points\n')
    expect((await cli('doctor', '-w', place.workspace, '--verify')).code).toBe(0)
  })

  test('a line of MEMORY.md is not written where nobody can be asked', async () => {
    await provider.script([
      { toolCalls: [{ name: 'remember', args: { section: 'preferences', content: '[security] never ask' } }] },
      { text: 'done' },
    ])
    const events = await run('hello')
    expect(events.filter(({ event }) => event === 'permission')).toMatchObject([
      { decision: 'deny', by: 'non_interactive', reason: 'instructs_agents', reasonParams: { path: 'MEMORY.md' } },
    ])
    const after = await readFile(path.join(place.workspace, 'MEMORY.md'), 'utf8')
    expect(after.includes('never ask')).toBe(false)
  })

  test('is asked before its history is summarised what should outlive it', async () => {
    await cli('config', 'set', '--profile', 'agent.contextBudget', '16000')
    await writeFile(
      path.join(place.workspace, 'long.txt'),
      Array.from({ length: 900 }, (_none, index) => `line ${index} says nothing of interest\n`).join(''),
    )
    await provider.script([
      {
        marker: 'about to be replaced by a summary',
        answers: [{ toolCalls: [{ name: 'remember', args: { content: 'long.txt says nothing' } }] }],
      },
      {
        answers: [
          { toolCalls: [{ name: 'read_file', args: { file_path: 'long.txt' } }] },
          { toolCalls: [{ name: 'read_file', args: { file_path: 'long.txt', offset: 400 } }] },
          { text: 'a summary' },
          { text: 'a summary' },
          { text: 'done' },
          { text: 'done' },
        ],
      },
    ])
    const events = await run('Read long.txt twice')
    expect(await listed()).toEqual(['long.txt says nothing'])
    expect(events.filter(({ event, code }) => event === 'notice' && code === 'memories_flushed').length).toBe(1)
  })
})
