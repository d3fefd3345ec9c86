/** What processes exist, and which of them belong to a command. Linux reads /proc; elsewhere `ps` is asked. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Distinguishes a process from a later one with the same id; 0 where unknown. */
  readonly startedAt: number
  readonly zombie: boolean
}

const LANES = 64

/** How a command's processes are known: by the group and session it leads, by markers in their environment, by descent. */
export interface ProcessFamily {
  readonly leader: number
  /** `NAME=value` entries that must all stand in a process's environment. */
  readonly markers: readonly string[]
  /** The leader is a sandbox around the command. */
  readonly sandboxed?: boolean
}

/** Looks for the members of one family; remembers what it saw, so that a second look costs less and loses nobody. */
export interface FamilyWatch {
  /** Members that are alive now (zombies are dead). With `lowestPid`, processes with smaller ids are not looked at. */
  look(lowestPid?: number): Promise<ProcessRow[]>
  /** How many were ever seen alive. */
  seen(): number
}

export function watchFamily(family: ProcessFamily): FamilyWatch {
  const members = new Map<number, number>()
  const strangers = new Map<number, number>()

  const isMember = async (row: ProcessRow): Promise<boolean> => {
    if (row.pid === process.pid) return false
    if (row.pid === family.leader || row.group === family.leader || row.session === family.leader) return true
    if (members.get(row.pid) === row.startedAt) return true
    if (strangers.get(row.pid) === row.startedAt) return false
    if (await hasMarkers(row.pid, family.markers)) return true
    strangers.set(row.pid, row.startedAt)
    return false
  }

  return {
    seen: () => members.size,
    look: async (lowestPid = 0) => {
      const rows = await listProcesses(lowestPid)
      const found = new Set<number>()
      await eachOf(rows, async (row) => void ((await isMember(row)) && found.add(row.pid)))
      for (let grew = true; grew;) {
        grew = false
        for (const row of rows) {
          if (found.has(row.pid) || !found.has(row.parent)) continue
          found.add(row.pid)
          grew = true
        }
      }
      const alive = rows.filter((row) => found.has(row.pid) && !row.zombie)
      for (const row of alive) members.set(row.pid, row.startedAt)
      return alive
    },
  }
}

async function listProcesses(lowestPid: number): Promise<ProcessRow[]> {
  return process.platform === 'linux' ? readProc(lowestPid) : process.platform === 'win32' ? [] : runPs()
}

async function readProc(lowestPid: number): Promise<ProcessRow[]> {
  const ids = (await readdir('/proc')).map(Number).filter((pid) => Number.isInteger(pid) && pid >= lowestPid)
  const rows: ProcessRow[] = []
  await eachOf(ids, async (pid) => {
    const row = await readProcess(pid)
    if (row !== undefined) rows.push(row)
  })
  return rows
}

/** Linux only. @returns undefined where there is no such process. */
export async function readProcess(pid: number): Promise<ProcessRow | undefined> {
  const stat = (await readOrEmpty(`/proc/${pid}/stat`)).toString('latin1')
  // The command name in parentheses may hold spaces and parentheses itself.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 20) return undefined
  return {
    pid,
    zombie: fields[0] === 'Z' || fields[0] === 'X',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    startedAt: Number(fields[19]),
  }
}

/** Some at a time: on a machine with tens of thousands of processes all at once would not fit into this small heap. */
async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}

async function hasMarkers(pid: number, markers: readonly string[]): Promise<boolean> {
  if (process.platform !== 'linux' || markers.length === 0) return false
  const environment = await readOrEmpty(`/proc/${pid}/environ`)
  return markers.every((marker) => {
    const at = environment.indexOf(marker)
    if (at < 0 || (at > 0 && environment[at - 1] !== 0)) return false
    const end = at + Buffer.byteLength(marker)
    return end === environment.length || environment[end] === 0
  })
}

/** A process may end between two looks, and those of other users cannot be read: both read as empty. */
async function readOrEmpty(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ESRCH' || code === 'EACCES' || code === 'EPERM') return Buffer.alloc(0)
    throw error
  }
}

function runPs(): Promise<ProcessRow[]> {
  return new Promise((resolve) => {
    execFile('/bin/ps', ['-axo', 'pid=,ppid=,pgid=,sess=,stat='], { env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } }, (error, stdout) => {
      if (error !== null) return resolve([])
      resolve(
        stdout.split('\n').flatMap((line) => {
          const [pid, parent, group, session, state] = line.trim().split(/\s+/)
          if (pid === undefined || state === undefined) return []
          return [
            {
              pid: Number(pid),
              parent: Number(parent),
              group: Number(group),
              session: Number(session),
              startedAt: 0,
              zombie: state.startsWith('Z'),
            },
          ]
        }),
      )
    })
  })
}
