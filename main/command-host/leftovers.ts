/**
 * What a run leaves behind when all of it is killed at once, the guard too: a record beside the profile says under which mark
 * its commands run, and the next start ends what still carries it. A mark is random and stands in a process's own environment,
 * so a process that merely got an old id is never taken for one of ours. Linux only: elsewhere no environment can be read.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killTree } from './kill-tree.ts'
import { readProcess } from './process-table.ts'

interface HostRecord {
  readonly marker: string
  /** Of the machine's start: after another one nothing of the run is left. */
  readonly boot: string
  readonly pid: number
  /** Clock ticks since the machine's start; with `pid` it names the command host itself. */
  readonly startedAt: number
}

/**
 * Never rejects: a disk that is full or may not be written to says so on stderr, and commands run all the same.
 * @param folder made where missing.
 * @returns removes the record: the host has ended everything itself.
 */
export async function writeHostRecord(folder: string, marker: string): Promise<() => Promise<void>> {
  const startedAt = startOf(process.pid)
  const boot = await bootId()
  if (folder === '' || boot === undefined || startedAt === undefined) return () => Promise.resolve()
  const path = join(folder, `${process.pid}-${startedAt}.json`)
  const record: HostRecord = { marker, boot, pid: process.pid, startedAt }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(path, JSON.stringify(record), { mode: 0o600 })
  } catch (error) {
    process.stderr.write(`metona command host: what outlives a crash will not be ended by the next start: ${String(error)}\n`)
  }
  return () => rm(path, { force: true }).catch((error: unknown) => void process.stderr.write(`metona command host: ${String(error)}\n`))
}

/** Ends what dead command hosts left and forgets them; those that live are let be. @returns how many processes were ended. */
export async function reapLeftovers(folder: string): Promise<number> {
  const boot = await bootId()
  if (boot === undefined) return 0
  let ended = 0
  for (const name of await readdir(folder).catch((): string[] => [])) {
    // Its record may be half written.
    if (isOfLivingHost(name)) continue
    const path = join(folder, name)
    const record = readRecord(await readFile(path, 'utf8').catch(() => ''))
    if (record !== undefined && record.boot === boot) {
      if (startOf(record.pid) === record.startedAt) continue
      ended += (await killTree({ leader: NOBODY, markers: [record.marker] }, 0)).killed
    }
    await rm(path, { force: true })
  }
  return ended
}

function isOfLivingHost(name: string): boolean {
  const [, pid = '', startedAt] = /^(\d+)-(\d+)\.json$/.exec(name) ?? []
  return startedAt !== undefined && startOf(Number(pid)) === Number(startedAt)
}

/** No process, group or session has this id. */
const NOBODY = -1

/** A record that says nothing exact names nobody. */
function readRecord(text: string): HostRecord | undefined {
  try {
    const { marker, boot, pid, startedAt } = JSON.parse(text) as Record<string, unknown>
    const fits = typeof marker === 'string' && /^METONA_HOST=[0-9a-f]{32}$/.test(marker)
    if (!fits || typeof boot !== 'string' || typeof pid !== 'number' || typeof startedAt !== 'number') return undefined
    return { marker, boot, pid, startedAt }
  } catch {
    return undefined
  }
}

async function bootId(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined))?.trim()
}

function startOf(pid: number): number | undefined {
  const row = readProcess(pid)
  return row === undefined || row.zombie ? undefined : row.startedAt
}
