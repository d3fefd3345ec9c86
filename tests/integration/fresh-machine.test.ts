// needs: git, npm
/**
 * The README's two commands on a fresh machine: a clean clone under a path with a space and Chinese characters, an
 * older Node first in PATH, no compiler. `PROOF=ci` with npm 10.8, `PROOF=full` also with npm 11. Takes minutes.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { bareMachine, COMPILERS, type BareMachine } from '#tests/helpers/bare-machine.ts'
import { processesWith } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { proof } from '#tests/helpers/proof.ts'

const root = join(import.meta.dirname, '..', '..')
const MINUTES = 60_000

let folder = ''
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function shell(command: string, cwd: string, machine: BareMachine, env: Record<string, string> = {}): Promise<Result> {
  return new Promise((resolve) => {
    const options = { cwd, env: { ...machine.environment, ...env }, maxBuffer: 64 * 1024 * 1024, timeout: 12 * MINUTES }
    const child = execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr })
    })
    child.stdin?.end()
  })
}

/** The set-up commands as the README prints them. */
async function readmeCommands(repository: string): Promise<string[]> {
  const text = await readFile(join(repository, 'README.md'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line.startsWith('    npm ci'))
    .map((line) => line.trim())
}

async function clone(machine: BareMachine): Promise<string> {
  const place = join(folder, '我的 projects')
  await mkdir(place)
  const { code, stderr } = await shell(`git clone --quiet --depth 1 'file://${root}' 'metona desktop 桌面'`, place, machine)
  expect([code, stderr]).toEqual([0, ''])
  return join(place, 'metona desktop 桌面')
}

/** As a browser does: the address is good once and is exchanged for a cookie. */
async function openPage(address: string): Promise<string> {
  const first = await fetch(address, { redirect: 'manual' })
  const cookie = first.headers
    .getSetCookie()
    .map((entry) => entry.split(';')[0])
    .join('; ')
  const place = first.headers.get('location')
  return (place === null ? first : await fetch(new URL(place, address), { headers: { cookie } })).text()
}

/** Starts the first command, waits for the address it prints, looks at the page and ends it with Ctrl+C. */
async function startAndLook(command: string, repository: string, machine: BareMachine, profile: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: repository,
    env: { ...machine.environment, METONA_HOME: profile },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const ended = once(child, 'close')
  try {
    const address = await eventually(
      `an address from ${command}`,
      () => {
        if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}:\n${printed}`)
        return /(http:\/\/127\.0\.0\.1:\S+)\s/.exec(printed)?.[1]
      },
      12 * MINUTES,
    )
    const page = await openPage(address)
    process.kill(-(child.pid ?? 0), 'SIGINT')
    await ended
    return page
  } finally {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
  }
}

describe.each(proof(['10.8.3', '11.6.2'], ['10.8.3']))('npm %s', (npmVersion) => {
  test('both commands of the README work', { timeout: 30 * MINUTES }, async () => {
    folder = await mkdtemp(join(tmpdir(), 'metona-fresh-'))
    const machine = await bareMachine(folder, npmVersion)
    process.stdout.write(`fresh machine: Node ${machine.nodeVersion}, npm ${machine.npmVersion}\n`)
    const there = await shell(`npm --version; ${COMPILERS.map((name) => `command -v ${name}`).join('; ')}; true`, folder, machine)
    expect(there.stdout).toBe(`${npmVersion}\n`)

    const repository = await clone(machine)
    const commands = await readmeCommands(repository)
    expect(commands).toEqual(['npm ci && npm start', 'npm ci && npm test'])

    const profile = join(folder, 'profile')
    const page = await startAndLook(commands[0] ?? '', repository, machine, profile)
    expect(page).toMatch(/<title>[^<]*Metona/i)
    await eventually('every process of the app to end', async () => (await processesWith(profile)).length === 0)
    expect(existsSync(join(repository, 'out', 'build.json'))).toBe(true)

    // The second command, with tests enough to see that they run: all of them would take this test with them.
    const tested = await shell(`${commands[1]} -- tests/helpers tests/ipc-contracts/wire`, repository, machine)
    expect(tested.stdout.trimEnd().split('\n').at(-1), tested.stderr).toMatch(/^[1-9]\d* passed, 0 failed$/)
    expect(tested.code).toBe(0)

    // On that machine's own, older Node: the launcher goes over to the one that came with `npm ci`.
    const workspace = join(folder, '表格 data')
    await mkdir(workspace)
    await writeFile(join(workspace, 'data.csv'), '姓名,城市\n小明,北京\n小红,上海\n小刚,广州\n')
    const metona = `node 'main/cli/metona.cjs' run -w '${workspace}' -m demo/scripted --trust '读取 data.csv 并分析内容'`
    const ran = await shell(metona, repository, machine, { METONA_HOME: profile })
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('analyze_csv')])
    expect(ran.stdout).toMatch(/3/)
    expect(ran.stdout).toContain('姓名')
    expect(ran.stdout).toContain('城市')
  })
})

test('control: without the Node that comes with npm ci, the older one says what to do', { timeout: 5 * MINUTES }, async () => {
  folder = await mkdtemp(join(tmpdir(), 'metona-fresh-'))
  const machine = await bareMachine(folder, '10.8.3')
  const repository = await clone(machine)
  const { code, stderr } = await shell('node main/cli/metona.cjs --version', repository, machine)
  // A machine whose oldest Node is 24 gets as far as the build tools, which are missing just as well.
  expect(code).toBe(3)
  expect(stderr).toMatch(/npm ci/)
})
