/** PATH on the desktop: the login shell's, asked once. A real shell program; only the app being a desktop app is said by the test. */
// needs: bash
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommandRunner } from '#workers/tools/commands/command-runner.ts'
import { createSearchPath } from '#workers/tools/commands/search-path.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'metona-home-'))
  // Says things of its own, as many do, and counts how often it was read.
  await writeFile(join(home, '.bash_profile'), 'echo welcome\nprintf x >> "$HOME/asked"\nexport PATH="/opt/tools/bin:$PATH"\n')
})
afterEach(() => rm(home, { recursive: true, force: true }))

const runner: CommandRunner = {
  warm: () => Promise.resolve(),
  close: () => undefined,
  start: ({ argv, cwd, env, onOutput }) => {
    const [program = '', ...rest] = argv
    const child = spawn(program, rest, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
    child.stdout.on('data', (bytes: Buffer) => onOutput('stdout', bytes))
    const report = { timedOut: false, found: 0, killed: 0, survivors: [] }
    const nothing = (): void => undefined
    return Promise.resolve({
      pid: child.pid ?? 0,
      exit: new Promise((resolve) => child.once('close', (exitCode, signal) => resolve({ kind: 'exit', exitCode, signal, ...report }))),
      credit: nothing,
      write: nothing,
      endInput: nothing,
      kill: () => void child.kill('SIGKILL'),
    })
  },
}
const environment = (): Record<string, string> => ({ HOME: home, SHELL: '/bin/bash', PATH: '/usr/bin:/bin' })
const asked = (): Promise<string> => readFile(join(home, 'asked'), 'utf8').catch(() => '')

test('what the login shell adds comes first, and it is asked once', async () => {
  const searchPath = createSearchPath(runner, environment(), true)
  const [first, second] = await Promise.all([searchPath(), searchPath()])
  // Between the two stands what the machine's own profile adds.
  expect(first).toMatch(/^\/opt\/tools\/bin:(.*:)?\/usr\/bin(:.*)?$/)
  expect([second, await searchPath(), await asked(), first.split(':').filter((folder) => folder === '/usr/bin').length]).toEqual([
    first,
    first,
    'x',
    1,
  ])
})

test('away from the desktop it is not asked at all', async () => {
  expect([await createSearchPath(runner, environment(), false)(), await asked()]).toEqual(['/usr/bin:/bin', ''])
})

test('a shell that cannot be run leaves PATH as it is', async () => {
  const missing = { ...environment(), SHELL: '/nowhere/shell' }
  const failing: CommandRunner = { ...runner, start: () => Promise.reject(new Error('ENOENT')) }
  expect(await createSearchPath(failing, missing, true)()).toBe('/usr/bin:/bin')
})
