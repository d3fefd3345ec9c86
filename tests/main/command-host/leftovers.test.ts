/** A run of which everything was killed at once: the next start ends what it left, and nothing else. Real processes, read from /proc. */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { reapLeftovers, writeHostRecord } from '#main/command-host/leftovers.ts'
import { livingProcesses } from './living-processes.ts'
import { settles } from './settles.ts'

const ENTRY = new URL('../../../main/command-host/entry.ts', import.meta.url).pathname
const APP = new URL('./app-that-runs-a-command.ts', import.meta.url).pathname

let folder: string
const started: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'metona-records-'))
})
afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const unique = (name: string): string => `${name}_${process.pid}_${Math.trunc(performance.now())}`

/** An app with a command that has left its group. @returns ids of the app and its command host. */
async function runApp(id: string): Promise<{ app: ChildProcess; host: number }> {
  const app = fork(APP, [ENTRY, id, folder], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  started.push(app)
  const { pid } = await new Promise<{ pid: number }>((resolve) => app.once('message', resolve as never))
  await settles(() => expect(livingProcesses(`METONA_CALL=${id}`).length).toBeGreaterThanOrEqual(3))
  return { app, host: pid }
}

/** From /proc, read without any code of the app. */
const parentOf = (pid: number): number => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])

/** Everything at once: nobody is left who could tidy up. */
async function killAll({ app, host }: { app: ChildProcess; host: number }): Promise<void> {
  const guards = livingProcesses('metona-guard').filter((pid) => parentOf(pid) === host)
  for (const pid of [...guards, app.pid ?? 0, host]) process.kill(pid, 'SIGKILL')
  await settles(() => expect(() => process.kill(host, 0)).toThrow(/ESRCH/))
}

describe.skipIf(process.platform !== 'linux')('after a run that was killed', () => {
  test('killed with its guard, a run leaves processes; the next start ends them and forgets the run', { timeout: 30_000 }, async () => {
    const id = unique('left')
    await killAll(await runApp(id))
    // The control: without the reaping they stay.
    const left = livingProcesses(`METONA_CALL=${id}`)
    expect(left.length).toBeGreaterThan(0)
    expect(await reapLeftovers(folder)).toBe(left.length)
    expect([livingProcesses(`METONA_CALL=${id}`), await readdir(folder)]).toEqual([[], []])
  })

  test('a run that lives keeps its commands', { timeout: 30_000 }, async () => {
    const id = unique('lives')
    await runApp(id)
    expect(await reapLeftovers(folder)).toBe(0)
    expect([livingProcesses(`METONA_CALL=${id}`).length, (await readdir(folder)).length]).toEqual([expect.any(Number), 1])
    expect(livingProcesses(`METONA_CALL=${id}`).length).toBeGreaterThanOrEqual(3)
  })

  test('a record that a starting host has not written to its end stays', async () => {
    const stat = await readFile('/proc/self/stat', 'latin1')
    const startedAt = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    await writeFile(join(folder, `${process.pid}-${startedAt}.json`), '{"marker":')
    await writeFile(join(folder, `${process.pid}-1.json`), '{"marker":')
    await reapLeftovers(folder)
    expect(await readdir(folder)).toEqual([`${process.pid}-${startedAt}.json`])
  })

  test('where no record can be written that is said, and the host goes on', async () => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await writeFile(join(folder, 'file'), '')
    const forget = await writeHostRecord(join(folder, 'file', 'below'), `METONA_HOST=${'0'.repeat(32)}`)
    await forget()
    expect(said.mock.calls[0]?.[0]).toMatch(/ENOTDIR/)
    said.mockRestore()
  })

  test('whoever got the host’s old id since is not touched, and a record of another start of the machine ends nothing', async () => {
    const marker = `METONA_HOST=${'0'.repeat(31)}1`
    const stranger = spawn('/bin/sleep', ['600'], { stdio: 'ignore' })
    const marked = spawn('/bin/sleep', ['600'], { stdio: 'ignore', env: { METONA_HOST: '0'.repeat(31) + '1' } })
    started.push(stranger, marked)
    await settles(() => expect(livingProcesses(marker)).toEqual([marked.pid]))
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
    const record = (of: string) => JSON.stringify({ marker, boot: of, pid: stranger.pid, startedAt: 1 })
    await writeFile(join(folder, 'a.json'), record('another'))
    await writeFile(join(folder, 'b.json'), '{"marker":"PATH=/usr/bin"}')
    expect([await reapLeftovers(folder), livingProcesses(marker)]).toEqual([0, [marked.pid]])
    await writeFile(join(folder, 'c.json'), record(boot))
    expect(await reapLeftovers(folder)).toBe(1)
    expect([livingProcesses(marker), stranger.exitCode, stranger.signalCode]).toEqual([[], null, null])
    expect(await readdir(folder)).toEqual([])
  })
})
