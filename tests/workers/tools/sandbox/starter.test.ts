// needs: bwrap
/** A sandbox is started before its command is known: what it then gets, what it is held by, and what it does when nothing comes. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { proof } from '#tests/helpers/proof.ts'
import { currentUser, openSandboxBench, removeBundles, type SandboxBench } from './sandbox-bench.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
const without = missingProgram('bwrap', 'the start of sandboxes')
const GROUPS = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((place) => existsSync(join(place, 'cgroup.procs')))

let bench: SandboxBench
beforeAll(async () => {
  if (!without) bench = await openSandboxBench(currentUser())
})
afterAll(async () => {
  if (without) return
  await bench.close()
  await removeBundles()
})

interface Row {
  readonly pid: number
  readonly arguments: readonly string[]
}
function processes(): Row[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      return [{ pid: Number(name), arguments: readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').slice(0, -1) }]
    } catch {
      // It ended meanwhile.
      return []
    }
  })
}
function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])
}
const hostPid = (): number => bench.hosts.at(-1)?.pid ?? -1
/** Sandboxes of the command host that have no process in them. */
function waiting(): Row[] {
  const all = processes().filter((row) => row.arguments[1] === '--args')
  return all.filter((row) => parentOf(row.pid) === hostPid() && !all.some((other) => parentOf(other.pid) === row.pid))
}

test.skipIf(without)('a command line comes as it was given, whatever is in it', async () => {
  const characters = Array.from({ length: 0x250 }, (_, code) => String.fromCodePoint(code + 1)).join('')
  const nasty = `${characters}文中…‰\u{1F600}\n-- '"'"' \\' $(touch a) \`touch b\` \${x} \\\\ \r ! * ~ METONA_SCRIPT`
  for (const text of [nasty, "'", '', nasty.repeat(60), nasty.repeat(90)]) {
    const wanted = text.replaceAll('\r', '')
    const { text: seen } = await bench.run(`cat <<'THE-END' | base64 -w0 | tail -c 200; echo\n${wanted}\nTHE-END`)
    expect(seen.trim()).toBe(Buffer.from(`${wanted}\n`).toString('base64').slice(-200))
  }
  expect(readdirSync(bench.workspace)).toEqual([])
})

test.skipIf(without)('the command sees nothing of how it was started', async () => {
  const { text } = await bench.run('env; tr "\\0" "\\n" < /proc/1/environ; ls /proc/self/fd')
  expect(text).not.toMatch(/METONA_(SCRIPT|COMPLETE)/)
  // Three streams and what lists them; the seccomp program and the options are closed.
  expect(
    text
      .trim()
      .split('\n')
      .filter((line) => /^[0-9]$/.test(line)),
  ).toEqual(['0', '1', '2', '3'])
})

test.skipIf(without || process.getuid?.() !== 0 || GROUPS === undefined)('as root every command is born in a control group', async () => {
  for (let round = 0; round < proof(40, 8); round++) {
    const seconds = `${1000 + round}.25`
    await bench.start(`sleep ${seconds} & wait`)
    const sleeper = await vi.waitUntil(() => processes().find((row) => row.arguments.includes(seconds) && row.arguments[0] === 'sleep'))
    const group = new RegExp(`/metona-${hostPid()}-\\d+$`, 'm').exec(readFileSync(`/proc/${sleeper.pid}/cgroup`, 'latin1'))?.[0]
    expect(group).toBeDefined()
    expect(readFileSync(`${GROUPS}${group}/pids.max`, 'latin1').trim()).toBe('1024')
    process.kill(sleeper.pid, 'SIGKILL')
  }
})

test.skipIf(without)('one that waits ends with the command host, and one that was ended is replaced', async () => {
  // Killed a moment ago it may look alive yet, above all while the machine is busy.
  for (let round = 0; round < proof(200, 50); round++) {
    await bench.run('true')
    const [first] = await vi.waitUntil(() => waiting().length > 0 && waiting(), { interval: 5 })
    process.kill(first?.pid as number, 'SIGKILL')
    expect((await bench.run('echo still')).text).toBe('still\n')
  }
  const [second] = await vi.waitUntil(() => waiting().length > 0 && waiting())
  process.kill(hostPid(), 'SIGKILL')
  await vi.waitUntil(() => !existsSync(`/proc/${second?.pid}`), { timeout: 5_000 })
  expect((await bench.run('echo again')).text).toBe('again\n')
})

test.skipIf(without)('options that stop before their end run nothing', async () => {
  await bench.run('true')
  const [row = { pid: 0, arguments: [] }] = await vi.waitUntil(() => waiting().length > 0 && waiting())
  const [program, ...words] = row.arguments
  const place = await mkdtemp(join(tmpdir(), 'metona-cut-'))
  const given = ['--bind', '/', '/', '--setenv', 'METONA_SCRIPT', `touch ${place}/ran`]
  const run = async (options: readonly string[]): Promise<unknown> => {
    const child = spawn(program as string, words, { stdio: ['ignore', 'ignore', 'ignore', 'ignore', 'pipe'] })
    ;(child.stdio[4] as Writable).on('error', () => undefined).end(options.map((option) => `${option}\0`).join(''))
    return new Promise((settle) => child.once('close', settle))
  }
  for (let length = 0; length <= given.length; length++) expect(await run(given.slice(0, length))).not.toBe(0)
  expect(readdirSync(place)).toEqual([])
  // The same with its end: the test sees what runs.
  expect(await run([...given, '--setenv', 'METONA_COMPLETE', 'yes'])).toBe(0)
  expect(readdirSync(place)).toEqual(['ran'])
  await rm(place, { recursive: true })
})

test.skipIf(without)('what a command leaves running makes no protected name while it is cleared up', async () => {
  for (let round = 0; round < proof(60, 12); round++) {
    await bench.run(
      'for n in 1 2 3; do env -i /bin/sh -c "while :; do echo x > .env; mkdir .vscode; done" >/dev/null 2>&1 & done; sleep 0.02',
    )
    expect(readdirSync(bench.workspace)).toEqual([])
  }
})
