/** Whatever our reading of a command line says it starts is what the shells start: seen by strace, with stub programs. */
// long: hundreds of traced shells
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { proof } from '#tests/helpers/proof.ts'
import { PROGRAMS, shellLines } from './shell-lines.ts'
import { readCommandLine } from '#workers/tools/commands/read-command-line.ts'

const STRACE = spawnSync('/bin/sh', ['-c', 'command -v strace'], { encoding: 'utf8' }).stdout.trim()
if (STRACE === '') process.stderr.write('not run: shell fuzz (strace is missing)\n')

let base: string
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'metona-shell-')))
  mkdirSync(join(base, 'bin'))
  mkdirSync(join(base, 'work'))
  for (const program of PROGRAMS) {
    writeFileSync(join(base, 'bin', program), '#!/bin/true\n')
    chmodSync(join(base, 'bin', program), 0o755)
  }
})
afterAll(() => rmSync(base, { recursive: true, force: true }))

/** Every program a shell starts for this line, with its arguments, as the kernel was asked. */
function started(shell: string, line: string): string[] {
  const log = join(base, 'log')
  spawnSync(
    STRACE,
    [
      '-f',
      '-qq',
      '-s',
      '500',
      '-o',
      log,
      '-e',
      'trace=execve',
      shell,
      ...(shell.endsWith('bash') ? ['--noprofile', '--norc'] : []),
      '-c',
      line,
    ],
    { cwd: join(base, 'work'), env: { PATH: join(base, 'bin'), LC_ALL: 'C.UTF-8' }, stdio: 'ignore', timeout: 20_000 },
  )
  return readFileSync(log, 'latin1')
    .split('\n')
    .flatMap((entry) => {
      const match = /execve\("([^"]*)", \[(.*?)\], 0x[0-9a-f]+ .*\) = 0$/.exec(entry)
      if (match === null || match[1] === shell) return []
      const argv = [...(match[2] ?? '').matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((word) => unescape_(word[1] ?? ''))
      return [JSON.stringify([(match[1] ?? '').split('/').at(-1), ...argv.slice(1)])]
    })
}

/** strace writes bytes beyond ASCII as octal escapes. */
function unescape_(text: string): string {
  const bytes = text.replace(/\\([0-7]{1,3}|x[0-9a-f]{2}|.)/g, (_all, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : ({ n: '\n', t: '\t', r: '\r', v: '\v', f: '\f' }[code] ?? code),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

const SEED = 20261130
const generateLine = shellLines(20261130)

describe.runIf(STRACE !== '' || process.env['CI'] === 'true')('the reading and the shells agree', () => {
  const shells = ['/bin/bash', '/bin/dash', '/bin/sh']
    .filter((shell) => existsSync(shell))
    .map((shell) => realpathSync(shell))
    .filter((shell, index, all) => all.indexOf(shell) === index)

  test('every program started, with its arguments, is one that was read', { timeout: 1_800_000 }, async () => {
    const count = proof(5000, 500)
    let read = 0
    for (let index = 0; index < count; index++) {
      const line = generateLine()
      const reading = await readCommandLine(line)
      if (!reading.ok) continue
      read++
      const shown = new Set(reading.parts.map((part) => JSON.stringify(part.argv)))
      for (const shell of shells)
        for (const program of started(shell, line))
          expect(shown.has(program), `${shell} ran ${program} for ${JSON.stringify(line)}, read as ${[...shown].join(' ')}`).toBe(true)
    }
    process.stderr.write(`shell lines: ${count}, read as plain: ${read}, seed ${SEED}\n`)
    expect(read / count).toBeGreaterThan(0.3)
    expect(read / count).toBeLessThan(0.7)
  })

  test(
    'of a line that asks, every program started is one that a forbidding rule would have been shown',
    { timeout: 1_800_000 },
    async () => {
      const count = proof(5000, 200)
      let listed = 0
      for (let index = 0; index < count; index++) {
        const line = generateLine()
        const reading = await readCommandLine(line)
        if (reading.ok || reading.commands === undefined) continue
        listed++
        const names = new Set(reading.commands.map(([name]) => name))
        const hidden = started('/bin/bash', line).filter((program) => !names.has((JSON.parse(program) as string[])[0]))
        expect(hidden, `${JSON.stringify(line)}, listed as ${[...names].join(' ')}`).toEqual([])
      }
      process.stderr.write(`shell lines that ask: ${count}, commands listed: ${listed}\n`)
      expect(listed / count).toBeGreaterThan(0.1)
    },
  )

  test('control: the oracle sees what a substitution starts', () => {
    expect(started('/bin/bash', 'ls "$(evil x)"')).toContain(JSON.stringify(['evil', 'x']))
    expect(execFileSync('/bin/bash', ['-c', 'echo seen'], { encoding: 'utf8' })).toBe('seen\n')
  })
})
