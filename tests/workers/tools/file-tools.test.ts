import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import iconv from 'iconv-lite'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { standInStamp } from '#contracts/tools/stand-in-stamp.ts'
import { holdsToken } from '#workers/tools/files/holds-token.ts'
import { explainPathError } from '#workers/tools/files/open-path.ts'
import { createToolBench, type RunAnswer, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await createToolBench()
})
afterEach(() => bench.close())

const seen = (answer: RunAnswer): string => answer.result.summary ?? String(answer.result.result)

describe('read_file', () => {
  test('returns the text itself', async () => {
    await bench.file('a.txt', 'one\ntwo\n')
    const answer = await bench.call('read_file', { file_path: 'a.txt' })
    expect(answer.result).toMatchObject({ toolName: 'read_file', result: 'one\ntwo', success: true })
    expect(answer.display).toEqual({ kind: 'file', path: 'a.txt', encoding: 'utf-8', fromLine: 1, toLine: 2, bytes: 8, totalLines: 2 })
  })

  test.each([
    ['gbk', '姓名,城市\n张三,北京\n'],
    ['shift_jis', 'これはテストです。\n田中さん\n'],
    ['utf-16le', '中文 text\n'],
    ['utf-16be', '中文 text\n'],
  ])('reads %s', async (encoding, text) => {
    await bench.file('x.txt', iconv.encode(text, encoding, { addBOM: encoding.startsWith('utf-16') }))
    expect(seen(await bench.call('read_file', { file_path: 'x.txt' }))).toContain(text.trimEnd())
  })

  test('gives a range of lines and says how to read on', async () => {
    await bench.file('n.txt', Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join('\n'))
    expect(seen(await bench.call('read_file', { file_path: 'n.txt', offset: 10, limit: 2 }))).toBe(
      'line 10\nline 11\n[Lines 10-11 of 100. Read on with offset 12.]',
    )
  })

  test('a sparse file of 2 GB is read at its beginning without taking it into memory', async () => {
    const path = await bench.file('big.log', `first\nsecond\n${'more text\n'.repeat(100_000)}`)
    truncateSync(path, 2 * 1024 ** 3)
    const before = process.memoryUsage().rss
    expect(seen(await bench.call('read_file', { file_path: 'big.log', limit: 2 }))).toBe(
      `first\nsecond\n[Lines 1-2 of a file of ${2 * 1024 ** 3} bytes. Read on with offset 3, or find the place with search_text.]`,
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024)
  })

  test('one line of 20 MB is cut, not returned', async () => {
    await bench.file('line.json', `{"a":"${'x'.repeat(20_000_000)}"}\nnext\n`)
    const text = seen(await bench.call('read_file', { file_path: 'line.json' }))
    expect(text.length).toBeLessThan(5000)
    expect(text).toContain('line cut, 20000008 characters in all')
    expect(text).toContain('next')
  })

  const failures: [string, Record<string, unknown>, RegExp, (bench: ToolBench) => void | Promise<unknown>][] = [
    [
      'wrong types',
      { file_path: 5, offset: 'x' },
      /file_path: .*string.*offset: .*number.*It takes \{file_path, offset\?, limit\?\}/,
      () => {},
    ],
    ['an unknown argument', { file_path: 'a', lines: 3 }, /lines/, () => {}],
    ['a missing file', { file_path: 'no/such.txt' }, /There is no file no\/such\.txt\. Look with/, () => {}],
    [
      'a folder for a file',
      { file_path: 'dir' },
      /is a folder, not a file\. Use list_directory/,
      (b) => mkdirSync(join(b.workspace, 'dir')),
    ],
    ['a file for a folder', { file_path: 'f/x' }, /is a file, not a folder/, (b) => b.file('f', 'x')],
    [
      'a binary file',
      { file_path: 'p.png' },
      /not text .*PNG image/,
      (b) => b.file('p.png', Buffer.from('\u0089PNG\r\n\u001a\n\0\0\0\0', 'latin1')),
    ],
    ['a line past the end', { file_path: 'a.txt', offset: 9 }, /has 1 lines; there is no line 9/, (b) => b.file('a.txt', 'x\n')],
    ['an empty file', { file_path: 'e.txt' }, /is empty/, (b) => b.file('e.txt', '')],
    ['a FIFO', { file_path: 'pipe' }, /not a regular file/, (b) => execFileSync('mkfifo', [join(b.workspace, 'pipe')])],
    [
      'a link to a device',
      { file_path: 'zero' },
      /belongs to the kernel or to devices/,
      (b) => symlinkSync('/dev/zero', join(b.workspace, 'zero')),
    ],
    ['the environment of a process', { file_path: '/proc/self/environ' }, /belongs to the kernel or to devices/, () => {}],
    [
      'a circle of links',
      { file_path: 'a' },
      /does not end/,
      (b) => (symlinkSync('b', join(b.workspace, 'a')), symlinkSync('a', join(b.workspace, 'b'))),
    ],
    ['a Windows path', { file_path: 'C:\\x' }, /drive letters are not allowed/, () => {}],
    ['a URL', { file_path: 'file:///etc/passwd' }, /a URL is not a path/, () => {}],
  ]
  test.each(failures)('%s: says what and what to do', async (_name, args, sentence, arrange) => {
    await arrange(bench)
    const answer = await bench.call('read_file', args)
    expect(seen(answer)).toMatch(sentence)
  })

  test.each(['EACCES', 'EPERM'])('no permission (%s): says what and what to do', (code) => {
    // The superuser, as whom some machines run tests, is permitted everything: the system's error is made here.
    expect(explainPathError(Object.assign(new Error('x'), { code }), 'secret.txt')).toMatchObject({
      code: 'NO_PERMISSION',
      message: expect.stringMatching(/does not permit access to secret\.txt\. Use another file, or ask the user/),
    })
  })

  test('a file removed between preparing and running is reported, not thrown', async () => {
    await bench.file('gone.txt', 'x')
    const prepared = await bench.prepare('read_file', { file_path: 'gone.txt' }, { callId: 'tc_gone000001' })
    execFileSync('rm', [join(bench.workspace, 'gone.txt')])
    expect(prepared.ok).toBe(true)
    const answer = await bench.call('read_file', { file_path: 'gone.txt' }, { callId: 'tc_gone000001' })
    expect(seen(answer)).toMatch(/There is no file gone\.txt/)
  })

  test('outside the workspace asks, by any way there', async () => {
    writeFileSync(join(bench.outside, 'x.txt'), 'secret')
    symlinkSync(bench.outside, join(bench.workspace, 'out'))
    symlinkSync(join(bench.outside, 'x.txt'), join(bench.workspace, 'x-link'))
    const real = join(bench.outside, 'x.txt')
    for (const file_path of ['../ws-evil/x.txt', real, 'out/x.txt', 'x-link', `${bench.workspace}/../ws-evil/x.txt`]) {
      expect(await bench.prepare('read_file', { file_path }), file_path).toMatchObject({
        ok: true,
        mustAsk: { code: 'outside_workspace', params: { path: real } },
      })
    }
  })

  test('inside the workspace does not ask, also through links and the absolute path', async () => {
    await bench.file('sub/x.txt', 'x')
    symlinkSync('sub', join(bench.workspace, 'link'))
    for (const file_path of ['sub/x.txt', './sub/../sub/x.txt', 'link/x.txt', join(bench.workspace, 'sub/x.txt'), '../ws/sub/x.txt']) {
      const prepared = await bench.prepare('read_file', { file_path })
      expect(prepared, file_path).toMatchObject({ ok: true })
      expect(prepared).not.toHaveProperty('mustAsk')
    }
  })

  test('what was approved outside is what is read: an exchanged link is refused', async () => {
    writeFileSync(join(bench.outside, 'shown.txt'), 'shown')
    writeFileSync(join(bench.outside, 'other.txt'), 'other')
    const link = join(bench.workspace, 'l')
    symlinkSync(join(bench.outside, 'shown.txt'), link)
    const place = { workspace: bench.workspace, sessionId: 's_test000001', sandbox: 'off' as const }
    const call = { id: 'tc_swap000001', name: 'read_file', args: { file_path: 'l' }, iteration: 1, timestamp: 1 }
    const context = { signal: new AbortController().signal }
    const prepared = await bench.handlers.prepare({ place, call }, context)
    if (!prepared.ok) throw new Error('not prepared')
    execFileSync('ln', ['-sfn', join(bench.outside, 'other.txt'), link])
    const { port1, port2 } = new MessageChannel()
    const answer = await bench.handlers.run({ place, call, argumentsHash: prepared.argumentsHash, port: port2 as never }, context)
    port1.close()
    expect(answer.result.success).toBe(false)
    expect(answer.result.summary).toMatch(/not what was asked for/)
  })
})

test('run refuses arguments that are not the prepared ones, and a call that would have asked after a restart', async () => {
  await bench.file('a.txt', 'x')
  const place = { workspace: bench.workspace, sessionId: 's_test000001', sandbox: 'off' as const }
  const context = { signal: new AbortController().signal }
  const call = { id: 'tc_hash000001', name: 'write_file', args: { file_path: 'n.txt', content: 'good' }, iteration: 1, timestamp: 1 }
  const prepared = await bench.handlers.prepare({ place, call }, context)
  if (!prepared.ok) throw new Error('not prepared')
  const changed = { ...call, args: { file_path: 'n.txt', content: 'evil' } }
  const first = await bench.handlers.run(
    { place, call: changed, argumentsHash: prepared.argumentsHash, port: new MessageChannel().port2 as never },
    context,
  )
  expect(first.result.summary).toMatch(/not the ones that were approved/)
  expect(existsSync(join(bench.workspace, 'n.txt'))).toBe(false)
  const outside = { ...call, id: 'tc_hash000002', name: 'read_file', args: { file_path: '/etc/hostname' } }
  const { hashCall } = await import('#workers/tools/service.ts')
  const second = await bench.handlers.run(
    { place, call: outside, argumentsHash: hashCall(outside), port: new MessageChannel().port2 as never },
    context,
  )
  expect(second.result.summary).toMatch(/approval was lost/)
})

describe('list_directory', () => {
  test('folders first, then files with sizes, in a fixed order', async () => {
    await bench.file('b.txt', '12345')
    await bench.file('a.txt', '1')
    await bench.file('zdir/x', '')
    symlinkSync('a.txt', join(bench.workspace, 'link'))
    expect(seen(await bench.call('list_directory', { path: '.' }))).toBe('zdir/\na.txt  1\nb.txt  5\nlink (link)')
  })
  test('5,000 entries are bounded and counted', async () => {
    mkdirSync(join(bench.workspace, 'many'))
    for (let index = 0; index < 5000; index++) writeFileSync(join(bench.workspace, 'many', `f${String(index).padStart(4, '0')}`), '')
    const text = seen(await bench.call('list_directory', { path: 'many' }))
    expect(text.split('\n').length).toBe(1001)
    expect(text).toContain('[5000 entries, 1000 shown.')
  })
  test('a name with a line feed cannot pose as two entries', async () => {
    await bench.file('a\nb', 'x')
    expect(seen(await bench.call('list_directory', { path: '.' }))).toBe('a⟨U+000A⟩b  1')
  })
})

describe('write_file and edit_file', () => {
  test('makes folders and the file, and leaves nothing else behind', async () => {
    const answer = await bench.call('write_file', { file_path: 'new/sub/x.txt', content: 'one\ntwo\n' })
    expect(answer.result).toMatchObject({ success: true, result: 'Created new/sub/x.txt: +2 -0 lines, 8 bytes.' })
    expect(readdirSync(join(bench.workspace, 'new/sub'))).toEqual(['x.txt'])
  })
  test('an existing file must have been read', async () => {
    await bench.file('a.txt', 'precious')
    expect(seen(await bench.call('write_file', { file_path: 'a.txt', content: 'x' }))).toMatch(/was not read in this session/)
    expect(readFileSync(join(bench.workspace, 'a.txt'), 'utf8')).toBe('precious')
  })
  test('keeps mode, encoding, mark and line ends of what it replaces', async () => {
    const path = await bench.file('s.sh', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('a\r\nb\r\n')]))
    chmodSync(path, 0o755)
    await bench.call('read_file', { file_path: 's.sh' })
    await bench.call('write_file', { file_path: 's.sh', content: 'x\ny\n' })
    expect(readFileSync(path)).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('x\r\ny\r\n')]))
    expect(statSync(path).mode & 0o777).toBe(0o755)
  })
  test('edits a GBK file in GBK', async () => {
    const path = await bench.file('g.txt', iconv.encode('你好，世界\n项目文件\n', 'gbk'))
    await bench.call('edit_file', { file_path: 'g.txt', old_text: '世界', new_text: '朋友' })
    expect(iconv.decode(readFileSync(path), 'gbk')).toBe('你好，朋友\n项目文件\n')
  })
  test('a file without a final newline keeps having none', async () => {
    const path = await bench.file('x.txt', 'a\nb')
    await bench.call('edit_file', { file_path: 'x.txt', old_text: 'a', new_text: 'A' })
    expect(readFileSync(path, 'utf8')).toBe('A\nb')
  })
  test('the diff is shown before, with hidden characters visible', async () => {
    await bench.file('x.txt', 'safe\n')
    expect(await bench.prepare('edit_file', { file_path: 'x.txt', old_text: 'safe', new_text: 'sa\u202efe' })).toMatchObject({
      ok: true,
      diff: true,
      display: expect.stringContaining('-safe\n+sa⟨U+202E⟩fe'),
    })
  })
  test.each(['.metona/x', '.git/config', '.GIT/hooks/pre-commit', '.metona./agent.db', '../ws-evil/x', '/etc/metona-test', 'out/x'])(
    '%s is refused',
    async (file_path) => {
      symlinkSync(bench.outside, join(bench.workspace, 'out'))
      const answer = await bench.call('write_file', { file_path, content: 'x' })
      expect(answer.result.success).toBe(false)
      expect(seen(answer)).toMatch(/may not be written|outside the workspace/)
      expect(readdirSync(bench.outside)).toEqual([])
    },
  )
  test('a link to a protected file does not get around the protection', async () => {
    mkdirSync(join(bench.workspace, '.git'))
    writeFileSync(join(bench.workspace, '.git/config'), '[core]\n')
    symlinkSync('.git/config', join(bench.workspace, 'harmless.txt'))
    symlinkSync('.git', join(bench.workspace, 'folder'))
    for (const file_path of ['harmless.txt', 'folder/config', 'folder/hooks/pre-commit'])
      expect(seen(await bench.call('write_file', { file_path, content: 'x' })), file_path).toMatch(/inside \.git/)
    expect(readFileSync(join(bench.workspace, '.git/config'), 'utf8')).toBe('[core]\n')
  })
  test('a hard link to outside is broken, not written through', async () => {
    writeFileSync(join(bench.outside, 'x.txt'), 'outside')
    linkSync(join(bench.outside, 'x.txt'), join(bench.workspace, 'hard.txt'))
    await bench.call('read_file', { file_path: 'hard.txt' })
    await bench.call('write_file', { file_path: 'hard.txt', content: 'inside' })
    expect(readFileSync(join(bench.outside, 'x.txt'), 'utf8')).toBe('outside')
  })
  test('a name held by an empty folder while a sandboxed command runs: the answer says so', async () => {
    mkdirSync(join(bench.workspace, '.env'))
    const stamp = standInStamp(0.5)
    utimesSync(join(bench.workspace, '.env'), stamp, stamp)
    // What runs in the background is not waited for.
    const running = vi.spyOn(bench.services.background, 'running').mockReturnValue(1)
    const held = await bench.call('write_file', { file_path: '.env', content: 'A=1' })
    running.mockRestore()
    expect(seen(held)).toMatch(/^\.env cannot be written now: a command that runs in the sandbox .* Try again when/)
    // To those who look it is not there.
    expect(seen(await bench.call('read_file', { file_path: '.env' }))).toMatch(/^There is no file \.env/)
    expect(seen(await bench.call('list_directory', { path: '.' }))).not.toContain('.env')
    mkdirSync(join(bench.workspace, 'real'))
    expect(seen(await bench.call('write_file', { file_path: 'real', content: 'x' }))).toBe(
      'real is a folder, not a file. Choose another path.',
    )
  })

  test('a name held by a command that ends soon is waited for', async () => {
    mkdirSync(join(bench.workspace, '.env'))
    const stamp = standInStamp(0.25)
    utimesSync(join(bench.workspace, '.env'), stamp, stamp)
    const written = bench.call('write_file', { file_path: '.env', content: 'A=1' })
    const ends = setTimeout(() => rmdirSync(join(bench.workspace, '.env')), 300)
    await written
    clearTimeout(ends)
    expect(readFileSync(join(bench.workspace, '.env'), 'utf8')).toBe('A=1')
  })

  test('writing AGENTS.md asks', async () => {
    expect(await bench.prepare('write_file', { file_path: 'AGENTS.md', content: 'x' })).toMatchObject({
      ok: true,
      mustAsk: { code: 'instructs_agents', params: { path: 'AGENTS.md' } },
    })
  })
})

describe('the file guard', () => {
  const A = { sessionId: 's_aaaaaaaaaa' }
  const B = { sessionId: 's_bbbbbbbbbb' }

  test('a second session cannot overwrite what the first changed; it is told who and what', async () => {
    const path = await bench.file('x.txt', 'one\ntwo\n')
    await bench.call('read_file', { file_path: 'x.txt' }, A)
    await bench.call('read_file', { file_path: 'x.txt' }, B)
    await bench.call('write_file', { file_path: 'x.txt', content: 'one\nTWO\n' }, A)
    for (const [tool, args] of [
      ['write_file', { file_path: 'x.txt', content: 'mine\n' }],
      ['edit_file', { file_path: 'x.txt', old_text: 'one', new_text: 'mine' }],
    ] as const) {
      const answer = await bench.call(tool, args, B)
      expect(seen(answer)).toMatch(/changed by session s_aaaaaaaaaa/)
      expect(seen(answer)).toContain('-two\n+TWO')
    }
    expect(readFileSync(path, 'utf8')).toBe('one\nTWO\n')
    await bench.call('read_file', { file_path: 'x.txt' }, B)
    expect((await bench.call('write_file', { file_path: 'x.txt', content: 'mine\n' }, B)).result.success).toBe(true)
  })

  test('an edit by another program is a conflict too', async () => {
    const path = await bench.file('x.txt', 'one\n')
    await bench.call('read_file', { file_path: 'x.txt' }, A)
    writeFileSync(path, 'by the editor\n')
    expect(seen(await bench.call('write_file', { file_path: 'x.txt', content: 'mine' }, A))).toMatch(/changed by another program/)
  })

  test('a touched file with the same content is no conflict', async () => {
    const path = await bench.file('x.txt', 'one\n')
    await bench.call('read_file', { file_path: 'x.txt' }, A)
    writeFileSync(path, 'one\n')
    expect((await bench.call('write_file', { file_path: 'x.txt', content: 'two\n' }, A)).result.success).toBe(true)
  })

  test('a file changed after the diff was shown is not written', async () => {
    const path = await bench.file('x.txt', 'one\n')
    const place = { workspace: bench.workspace, sessionId: 's_test000001', sandbox: 'off' as const }
    const call = {
      id: 'tc_base000001',
      name: 'edit_file',
      args: { file_path: 'x.txt', old_text: 'one', new_text: 'two' },
      iteration: 1,
      timestamp: 1,
    }
    const context = { signal: new AbortController().signal }
    const prepared = await bench.handlers.prepare({ place, call }, context)
    if (!prepared.ok) throw new Error('not prepared')
    writeFileSync(path, 'one\nand more\n')
    const answer = await bench.handlers.run(
      { place, call, argumentsHash: prepared.argumentsHash, port: new MessageChannel().port2 as never },
      context,
    )
    expect(answer.result.summary).toMatch(/changed after this change was shown/)
    expect(readFileSync(path, 'utf8')).toBe('one\nand more\n')
  })

  test('twenty sessions writing one file at once: one wins, the others are told', async () => {
    const path = await bench.file('x.txt', 'start\n')
    const sessions = Array.from({ length: 20 }, (_, index) => ({ sessionId: `s_parallel${String(index).padStart(2, '0')}` }))
    for (const session of sessions) await bench.call('read_file', { file_path: 'x.txt' }, session)
    const answers = await Promise.all(
      sessions.map((session) => bench.call('write_file', { file_path: 'x.txt', content: `${session.sessionId}\n` }, session)),
    )
    const winners = answers.flatMap((answer, index) => (answer.result.success ? [sessions[index]?.sessionId] : []))
    expect(winners.length).toBe(1)
    expect(readFileSync(path, 'utf8')).toBe(`${winners[0]}\n`)
  })

  test('control: with the guard forgotten in between, the second write goes through', async () => {
    const path = await bench.file('x.txt', 'one\n')
    await bench.call('read_file', { file_path: 'x.txt' }, A)
    await bench.call('read_file', { file_path: 'x.txt' }, B)
    await bench.call('write_file', { file_path: 'x.txt', content: 'by A\n' }, A)
    bench.services.guard.check = () => ({ kind: 'unchanged' })
    await bench.call('write_file', { file_path: 'x.txt', content: 'by B\n' }, B)
    expect(readFileSync(path, 'utf8')).toBe('by B\n')
  })
})

describe('searching', () => {
  beforeEach(async () => {
    await bench.file('src/a.ts', 'const alpha = 1\nconst beta = 2\n')
    await bench.file('src/b.test.ts', 'test(alpha)\n')
    await bench.file('.env', 'KEY=alpha\n')
    await bench.file('node_modules/m/a.ts', 'alpha\n')
    await bench.file('.gitignore', 'ignored/\n')
    await bench.file('ignored/c.ts', 'alpha\n')
    await bench.file('g.txt', iconv.encode('中文 alpha 文件\n', 'gbk'))
    symlinkSync(bench.outside, join(bench.workspace, 'out'))
    writeFileSync(join(bench.outside, 'x.ts'), 'alpha outside\n')
  })
  test('find_files finds by pattern, sorted, without ignored files, secrets and links out', async () => {
    expect(seen(await bench.call('find_files', { pattern: '*.ts' }))).toBe('src/a.ts\nsrc/b.test.ts')
    expect(seen(await bench.call('find_files', { pattern: '*.test.ts', path: 'src' }))).toBe('src/b.test.ts')
    expect(seen(await bench.call('find_files', { pattern: '.env' }))).toMatch(/No file fits/)
  })
  test('search_text gives path, line and text', async () => {
    expect(seen(await bench.call('search_text', { pattern: 'alpha' }))).toContain(
      'src/a.ts:1: const alpha = 1\nsrc/b.test.ts:1: test(alpha)',
    )
    expect(seen(await bench.call('search_text', { pattern: 'alpha' }))).not.toMatch(/KEY|node_modules|ignored\/|outside/)
    expect(seen(await bench.call('search_text', { pattern: 'beta', path: 'src/a.ts' }))).toBe('src/a.ts:2: const beta = 2')
  })
  test('search_text finds Chinese text in GBK files', async () => {
    expect(seen(await bench.call('search_text', { pattern: '中文' }))).toBe('g.txt:1: 中文 alpha 文件')
  })
  test('a pattern that is no regular expression is taken literally', async () => {
    expect(seen(await bench.call('search_text', { pattern: 'test(' }))).toBe(
      'src/b.test.ts:1: test(alpha)\n[The pattern is no regular expression and was taken literally.]',
    )
  })
  test('a pattern that begins with a dash is a pattern, not an option', async () => {
    expect(seen(await bench.call('search_text', { pattern: '--pre=id' }))).toMatch(/No line fits/)
    expect(seen(await bench.call('find_files', { pattern: '--pre' }))).toMatch(/No file fits/)
  })
})

describe('settings of package managers', () => {
  const SECRET = '//registry.example/:_authToken=npm_secret1\n'

  test.each([
    ['with a token', SECRET, { code: 'holds_credentials', params: { path: 'a/.npmrc' } }, 'a/.npmrc'],
    ['with a variable in its place', '//registry.example/:_authToken=${NPM_TOKEN}\n', undefined, undefined],
    ['with none', 'registry=https://registry.example/\n', undefined, undefined],
  ])('%s: what reading them asks and is on record for', async (_what, content, mustAsk, secret) => {
    await bench.file('a/.npmrc', content)
    const read = await bench.prepare('read_file', { file_path: 'a/.npmrc' })
    const search = await bench.prepare('search_text', { pattern: 'x', path: 'a/.npmrc' })
    const command = await bench.prepare('run_command', { command: 'cat a/.npmrc' })
    expect([read, search]).toEqual([read, search].map((prepared) => ({ ...prepared, ok: true, mustAsk, secret })))
    expect(command).toMatchObject({ ok: true, ...(secret === undefined ? { harmless: true } : { secret, reveals: mustAsk }) })
  })

  test('outside the workspace they are on record as well', async () => {
    const path = join(bench.outside, '.npmrc')
    writeFileSync(path, SECRET)
    expect(await bench.prepare('read_file', { file_path: path })).toMatchObject({ mustAsk: { code: 'outside_workspace' }, secret: path })
  })

  test('a search that does not name them does not look into them', async () => {
    await bench.file('a/.npmrc', SECRET)
    await bench.file('a/NuGet.Config', 'password=secret1')
    await bench.file('a/notes.txt', 'no secret1\n')
    expect(seen(await bench.call('search_text', { pattern: 'secret1' }))).toBe('a/notes.txt:1: no secret1')
  })

  test.each([
    ['blanks after a sign', `token=${' '.repeat(1_000_000)}`],
    ['blanks after a key', `token${' '.repeat(1_000_000)}`],
    ['many keys', 'token='.repeat(170_000)],
    ['many addresses', '://a:'.repeat(200_000)],
    ['one long address', `://${'a'.repeat(1_000_000)}`],
    ['many blanks in values', `ClearTextPassword${' '.repeat(99)}value`.repeat(8_000)],
  ])('one made to be slow is looked at quickly: %s', async (_what, content) => {
    const path = await bench.file('.npmrc', content)
    const before = process.cpuUsage()
    await holdsToken(path, ['.npmrc'])
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(500)
  })
})
