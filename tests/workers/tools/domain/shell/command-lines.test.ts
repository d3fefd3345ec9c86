import { describe, expect, test } from 'vitest'
import { readCommandLine } from '#workers/tools/commands/read-command-line.ts'
import { mayBeGranted } from '#workers/tools/domain/shell/grantable.ts'
import { judgeProgram } from '#workers/tools/domain/shell/harmless-programs.ts'
import { parseCommandLine } from '#workers/tools/domain/shell/parse-command-line.ts'

const words = (line: string): unknown => {
  const parsed = parseCommandLine(line)
  return parsed.ok ? parsed.parts.map((part) => part.argv) : parsed.reason
}
/** Without the check of paths on disk: what the text alone gives away. */
const looksHarmless = async (line: string): Promise<boolean> => {
  const reading = await readCommandLine(line)
  return reading.ok && reading.parts.every((part) => judgeProgram(part.argv).harmless)
}

describe('plain lines are read as the programs get them', () => {
  test.each<[string, string[][]]>([
    ['ls -la src', [['ls', '-la', 'src']]],
    [`grep -n 'a b' "c d".txt`, [['grep', '-n', 'a b', 'c d.txt']]],
    ['"l"s', [['ls']]],
    [
      'npm test && npm run build || echo failed; ls | wc -l',
      [['npm', 'test'], ['npm', 'run', 'build'], ['echo', 'failed'], ['ls'], ['wc', '-l']],
    ],
    ['ls\n\npwd\n', [['ls'], ['pwd']]],
    ['a &&\n b', [['a'], ['b']]],
    ['make 2>&1 | tail -n 5', [['make'], ['tail', '-n', '5']]],
    ['x > /dev/null 2>&1', [['x']]],
    ['cat 数据.csv', [['cat', '数据.csv']]],
    [`echo '$(id) \`x\` ; & |'`, [['echo', '$(id) `x` ; & |']]],
    [`echo "it's"`, [['echo', "it's"]]],
    ["echo ''", [['echo', '']]],
    ['ls;', [['ls']]],
    ["'if' x", [['if', 'x']]],
  ])('%j', (line, expected) => {
    expect(words(line)).toEqual(expected)
  })
})

describe('everything else is not read', () => {
  test.each([
    'echo $HOME',
    'echo `id`',
    'echo "$(id)"',
    '(ls)',
    '{ ls; }',
    'ls *',
    'ls ?',
    'ls [a]',
    'ls ~',
    'ls > x',
    'ls >> x',
    'cat < x',
    'ls &',
    'ls & id',
    'a |& b',
    'a && ',
    '&& a',
    '; a',
    'a ;; b',
    'a | | b',
    'X=1 a',
    'if a',
    'for i in a',
    'while a',
    '! a',
    'time a',
    'function f',
    'echo a\\',
    'echo "a',
    "echo 'a",
    '# x',
    'ls # x',
    'cat <(id)',
    'cat <<E\nx\nE',
    'echo {a,b}',
    '',
    '   ',
    'ls\u0000',
    'a\r\nb',
    'ls >/dev/null/x',
    'ls >&x',
    'ls 2>x',
    '&>x ls',
    'ls &>/dev/null',
    "echo $'\\x3b'",
    'ls\u00a0-l',
    'a||',
    'ls >/dev/nullx',
  ])('%j', (line) => {
    expect(words(line)).toBeTypeOf('string')
  })
})

/** Each must need a person's approval. */
const DANGEROUS = [
  'ls; id',
  'ls\nid',
  'ls & id',
  'ls | sh',
  'echo $(id)',
  'echo `id`',
  '$(echo id)',
  'cat <(id)',
  'echo${IFS}x;id',
  '"l"s -la > x',
  'ls>x',
  'echo x >> ~/.bashrc',
  'find . -exec id \\;',
  "find . -exec id ';'",
  'find . -delete',
  'find . -fprint x',
  'find . -ok id',
  'find -L .',
  'rg --pre=id x',
  'rg -z x',
  "sed 'w x'",
  'sed -i s/a/b/ f',
  "sed -n '1e id' f",
  'sed -n 1p -i f',
  'sort -o x f',
  'sort --compress-program=id f',
  'base64 -o x',
  'git -c core.pager=id log',
  "git -c alias.x='!id' x",
  'git diff --ext-diff',
  'git fetch --upload-pack=id',
  'git status',
  'git log',
  'tar cf a --checkpoint=1 --checkpoint-action=exec=id f',
  'xargs id',
  'env id',
  'nohup id',
  'timeout 1 id',
  'watch id',
  'man -P id ls',
  'less f',
  "vim -c '!id'",
  'ssh -oProxyCommand=id x',
  'curl -o x',
  'curl -K f',
  'curl file:///etc/passwd',
  'wget -O x',
  'tee x',
  'cp a ../b',
  'ln -s / r',
  'cd .metona && echo x > agent.db',
  'pushd ..; rm x',
  'make -C ..',
  'npm run x',
  'npx x',
  "node -e 'x'",
  'python -c x',
  'perl -e x',
  'bash f.sh',
  '. ./f',
  'eval x',
  'exec x',
  'source f',
  'export PATH=.',
  'alias ls=id',
  'LD_PRELOAD=x ls',
  'sudo ls',
  'rm -rf "$X/"',
  'chmod -R 777 .',
  ':(){ :|:& };:',
  'ls \u202e',
  'ⅼs',
  'dir & calc',
  'dir ^& calc',
  'uniq a b',
  'tail -f x',
  'grep -r KEY .',
  'grep -f x y',
  'grep -R x .',
  './ls',
  '/tmp/ls',
  'date -s 2020-01-01',
  'node x.js',
  'file -C -m x',
  'diff -r a b',
  'cd',
  'cd -',
  'cd a b',
  'sha256sum -c x',
  'ls --hyperlink',
  'cat --help',
  'awk \'BEGIN{system("id")}\'',
  'test -e x',
  'printf -v x y',
  'head -f',
  'find . -name x -exec id',
]
test.each(DANGEROUS)('%j is not waved through', async (line) => {
  expect(await looksHarmless(line)).toBe(false)
})

test.each([
  'ls',
  'ls -la src',
  'cat a.txt b.txt',
  'head -n 20 x',
  'head -20 x',
  'tail -n +5 x',
  'wc -l a',
  "grep -n 'TODO' src/a.ts",
  'grep -ne x f',
  'find . -name x.ts -type f',
  'sort -k2 -n f | uniq -c',
  "cut -d ',' -f 1,2 data.csv",
  "sed -n '1,5p' f",
  'pwd',
  'echo hello world',
  'node --version',
  'git --version',
  'cd src && ls',
  'diff a b',
  'date +%s',
  'du -sh src',
  'ls 2>/dev/null',
])('%j only looks', async (line) => {
  expect(await looksHarmless(line)).toBe(true)
})

/** What the grammar finds beside: [line, why it asks, the commands a forbidding rule is compared with]. */
test.each<[string, string, string[][] | undefined]>([
  ['(ls); { id; }', 'subshell', [['ls'], ['id']]],
  ['echo "$(git push)" `id`', 'variable', [['echo', '"$(git push)"', '`id`'], ['git', 'push'], ['id']]],
  ['f() { rm x; }; f', 'subshell', [['rm', 'x'], ['f']]],
  ['for i in a b; do rm "$i"; done', 'shell_word', [['rm', '"$i"']]],
  ['if a; then b; else c; fi', 'shell_word', [['a'], ['b'], ['c']]],
  ['cat <<E\n$(id)\nE', 'input', [['cat'], ['id']]],
  ['diff <(a) <(b)', 'input', [['diff', '<(a)', '<(b)'], ['a'], ['b']]],
  ['ls > x & rm y', 'output', [['ls'], ['rm', 'y']]],
  ['X=1 a b', 'assignment', [['a', 'b']]],
  ['ls 2>/dev/null x', 'output', undefined],
  ['$X y', 'variable', undefined],
  ['{a,b} c', 'braces', undefined],
  ['time ls', 'shell_word', undefined],
  ['g\\it push', 'backslash', undefined],
  ['ls | | x', 'operator', undefined],
  ['echo a%(b', 'subshell', undefined],
])('%j asks because of %s', async (line, reason, commands) => {
  expect(await readCommandLine(line)).toEqual({ ok: false, reason, ...(commands === undefined ? {} : { commands }) })
})

test('a line deeper or longer than anything a person writes only asks', async () => {
  const deep = `${'('.repeat(1900)}ls${')'.repeat(1900)}`
  expect([await readCommandLine(deep), await readCommandLine('a'.repeat(5000))]).toEqual([
    { ok: false, reason: 'subshell' },
    { ok: false, reason: 'length' },
  ])
})

test.each([
  ['npm test', true],
  ['npm run build', true],
  ['cargo test', true],
  ['vitest run x', true],
  ['npm exec x', false],
  ['npm install x', false],
  ['npx x', false],
  ['bash x.sh', false],
  ['python3.12 x.py', false],
  ['rm x', false],
  ['git commit', false],
  ['./x.sh', false],
  ['env x', false],
  ['xargs x', false],
  ['sudo x', false],
])('a grant for %j may be offered: %s', (line, allowed) => {
  expect(mayBeGranted(line.split(' '))).toBe(allowed)
})
