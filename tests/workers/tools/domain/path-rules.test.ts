import { describe, expect, test } from 'vitest'
import { refusePathForm } from '#workers/tools/domain/path-forms.ts'
import { foldName, protectionOf } from '#workers/tools/domain/protected-paths.ts'

describe('spellings refused on every system', () => {
  test.each([
    '',
    '   ',
    'a\0b',
    'a\nb',
    'x'.repeat(5000),
    `${'x'.repeat(300)}/y`,
    'file:///etc/passwd',
    'http://a/b',
    '\\\\srv\\share\\x',
    '//srv/share/x',
    '\\\\?\\C:\\x',
    '\\\\.\\PhysicalDrive0',
    'C:x',
    'D:\\x',
    'NUL',
    'nul.txt',
    'CON.txt',
    'a/aux',
    'COM1',
    'com¹',
    'LPT9.log',
    'CONIN$',
    'a\\aux',
    'f.txt:s',
    '.git::$INDEX_ALLOCATION/config',
    '~',
    '~/x',
    'prn .txt',
    'a/CON ',
    'a\\b',
  ])('%j', (path) => {
    expect(refusePathForm(path, 'posix')).toBeTypeOf('string')
  })

  test.each(['C:x', '\\\\?\\C:\\x', '//srv/share', 'NUL', 'a\\aux', 'f.txt::$DATA', '.metona.', 'a ', 'dir./x', '..\\NUL'])(
    'on Windows: %j',
    (path) => {
      expect(refusePathForm(path, 'win32')).toBeTypeOf('string')
    },
  )

  test.each([
    '..foo',
    'a..b',
    '..%5cx',
    '..∕x',
    'a b/c d.txt',
    '😀.txt',
    '-rf',
    'x'.repeat(255),
    'consolé',
    'auxiliary.ts',
    'com10',
    '/abs/olute',
    '../x',
    '文件/数据.csv',
  ])('accepted as a name: %j', (path) => {
    expect(refusePathForm(path, 'posix')).toBeUndefined()
  })

  test.each(['C:\\Users\\x', 'C:/Users/x', 'a\\b\\c.txt', '..\\x'])('accepted as a path on Windows: %j', (path) => {
    expect(refusePathForm(path, 'win32')).toBeUndefined()
  })
})

describe('protected names', () => {
  test.each([
    '.metona/agent.db',
    '.METONA/x',
    '.metona./x',
    '.metona /x',
    'METONA~1/x',
    '．metona/x',
    'sub/.metona/x',
    '.git/config',
    '.git/hooks/pre-commit',
    '.GIT/config',
    '.git./config',
    'GIT~1/config',
    '.git/modules/a/config',
    '.g\u200cit/config',
    'logs/session_s_abc_20260101T000000Z.jsonl',
    'traces/trace_s_abc_1_1.json',
    'logs/workspace.jsonl',
    '.git',
  ])('%s is never written', (path) => {
    expect(protectionOf(path.split('/'), 'write')?.level).toBe('refuse')
  })

  test.each([
    'AGENTS.md',
    'claude.md',
    '.mcp.json',
    '.vscode/tasks.json',
    'x.code-workspace',
    '.idea/a',
    '.claude/settings.json',
    '.codex/x',
    '.gitattributes',
    '.gitmodules',
    '.env',
    '.env.local',
    '.envrc',
    '.npmrc',
    '.yarnrc.yml',
    'package.json',
    'sub/package.json',
    '.github/workflows/ci.yml',
    '.husky/pre-commit',
    '.pre-commit-config.yaml',
    '.bashrc',
    'MEMORY.md',
    '.ssh/config',
  ])('writing %s asks', (path) => {
    expect(protectionOf(path.split('/'), 'write')?.level).toBe('ask')
  })

  test.each([
    'metona/x',
    'git/config',
    'src/a.ts',
    'README.md',
    'logs/app.log',
    '.gitignore',
    'package-lock.json',
    'environment.ts',
    'my.env.ts',
  ])('writing %s is ordinary', (path) => {
    expect(protectionOf(path.split('/'), 'write')).toBeUndefined()
  })

  test.each([
    ['.env', 'ask'],
    ['.env.production', 'ask'],
    ['.env.example', undefined],
    ['.env.template', undefined],
    ['id_rsa', 'ask'],
    ['id_ed25519', 'ask'],
    ['id_rsa.pub', undefined],
    ['server.pem', 'ask'],
    ['.ssh/known_hosts', 'ask'],
    ['a.ts', undefined],
  ])('reading %s: %s', (path, level) => {
    expect(protectionOf(path.split('/'), 'read')?.level).toBe(level)
  })

  test('a name in decomposed form folds to the composed one', () => {
    expect(foldName('e\u0301.TXT')).toBe('é.txt')
  })
})
