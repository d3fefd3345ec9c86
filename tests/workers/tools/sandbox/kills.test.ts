// needs: bwrap
// long: a host is started for each kill
/** Whoever is killed: no sandboxed process is left two seconds later, and nothing in the folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { proof } from '#tests/helpers/proof.ts'
import { folderState } from './folder-state.ts'
import { openSandboxBench, removeBundles, removeUser, testUsers, type SandboxBench } from './sandbox-bench.ts'

vi.setConfig({ testTimeout: 900_000 })
const users = missingProgram('bwrap', 'kills of sandboxed commands') ? [] : testUsers()
const ROUNDS = proof(50, 10)
/** Nothing depends on being root here but the ids; in the small tier it gets fewer. */
const roundsFor = (user: { uid: number }): number => (user.uid === 0 && users.length > 1 ? proof(50, 1) : ROUNDS)
/** Ways to stay behind, all at once. */
const COMMAND = `setsid sleep 600 & nohup sleep 600 >/dev/null 2>&1 & (trap '' TERM; while :; do sleep 0.2; done) & perl -e 'fork and exit; sleep 600' & echo up; sleep 600`

afterAll(async () => {
  for (const user of users.slice(1)) removeUser(user)
  await removeBundles()
})

/** Mark of the command host in the environment of all it starts, as a process of a running command has it. */
const marks = new Map<SandboxBench, string>()

/**
 * Every process of any sandbox of the bench: their arguments name its folder, or they have the mark of a call or of the host
 * in their environment, as sandboxes have that wait for a command.
 */
function inside(bench: SandboxBench): number[] {
  const base = dirname(bench.workspace)
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== bench.pid)
    .filter((pid) => {
      try {
        if (/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))) return false
        const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
        const ofCall = environment.includes(`METONA_CALL=tc_bench${process.pid}x`)
        const mark = /METONA_HOST=[0-9a-f]{32}/.exec(environment)?.[0]
        if (ofCall && mark !== undefined) marks.set(bench, mark)
        return ofCall || (mark !== undefined && mark === marks.get(bench)) || readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(base)
      } catch {
        return false
      }
    })
}

const victims = {
  'the process of the tools': (bench: SandboxBench) => bench.pid,
  'the command host': (bench: SandboxBench) => bench.hosts.at(-1)?.pid ?? -1,
}

describe.each(users.map((user) => [user.uid === 0 ? 'root' : 'an ordinary user', user] as const))('as %s', (_name, user) => {
  test.each(Object.entries(victims))(`SIGKILL of %s, ${roundsFor(user)} times`, async (_victim, pidOf) => {
    let slowest = 0
    for (let round = 0; round < roundsFor(user); round++) {
      const bench = await openSandboxBench(user)
      try {
        await mkdir(join(bench.workspace, 'src'))
        await writeFile(join(bench.workspace, 'src', 'a'), 'a')
        await chown(join(bench.workspace, 'src'), user.uid, user.gid)
        const before = await folderState(bench.workspace)
        await bench.start(COMMAND)
        await eventually('the command is up', () => inside(bench).length >= 8)
        expect((await folderState(bench.workspace)).length).toBeGreaterThan(before.length)
        process.kill(pidOf(bench), 'SIGKILL')
        const killed = performance.now()
        await eventually('nothing is left', () => inside(bench).length === 0, 10_000)
        slowest = Math.max(slowest, performance.now() - killed)
        await eventually(
          'the folder is as before',
          async () => JSON.stringify(await folderState(bench.workspace).catch(() => [])) === JSON.stringify(before),
          10_000,
        )
        for (const host of bench.hosts) await eventually('the socket is gone', () => !existsSync(dirname(host.socketPath)), 10_000)
      } finally {
        await bench.close()
      }
    }
    process.stdout.write(`slowest end after a kill: ${Math.round(slowest)} ms\n`)
    expect(slowest).toBeLessThan(2_000)
  })

  test('what a host left that was killed with its guard is taken over and gone after the next command', async () => {
    const bench = await openSandboxBench(user)
    try {
      await bench.run('true')
      const before = await folderState(bench.workspace)
      await bench.start('sleep 600')
      await eventually('the command is up', () => inside(bench).length >= 3)
      const host = bench.hosts.at(-1)?.pid ?? -1
      const guards = readdirSync('/proc')
        .map(Number)
        .filter((pid) => Number.isInteger(pid) && guardOf(pid, bench.hosts.at(-1)?.socketPath ?? ''))
      expect(guards).toHaveLength(1)
      for (const pid of [...guards, host]) process.kill(pid, 'SIGKILL')
      await eventually('the command is gone', () => inside(bench).length === 0)
      expect((await folderState(bench.workspace)).length).toBeGreaterThan(before.length)
      await bench.run('true')
      expect(await folderState(bench.workspace)).toEqual(before)
      expect(groupsOf(host)).toEqual([])
    } finally {
      await bench.close()
      for (const { socketPath } of bench.hosts) await rm(dirname(socketPath), { recursive: true, force: true })
    }
  })
})

/** Control groups that a host made for its commands. */
function groupsOf(host: number): string[] {
  return ['/sys/fs/cgroup', '/sys/fs/cgroup/pids']
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).filter((name) => name.startsWith(`metona-${host}-`)))
}

function guardOf(pid: number, socketPath: string): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
    return line.includes('metona-guard') && line.includes(dirname(socketPath))
  } catch {
    return false
  }
}
