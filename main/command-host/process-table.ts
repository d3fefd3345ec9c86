/**
 * What processes exist, and which of them belong to a command. Linux reads /proc; elsewhere `ps` is asked.
 * /proc is memory: a call that waits for its turn on another thread takes many times as long as the reading.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Distinguishes a process from a later one with the same id; 0 where unknown. */
  readonly startedAt: number
  readonly zombie: boolean
}

/** Processes looked at before others get a turn: there may be tens of thousands. */
const AT_A_TIME = 256

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

  const isMember = (row: ProcessRow): boolean => {
    if (row.pid === process.pid) return false
    if (row.pid === family.leader || row.group === family.leader || row.session === family.leader) return true
    if (members.get(row.pid) === row.startedAt) return true
    if (strangers.get(row.pid) === row.startedAt) return false
    if (hasMarkers(row.pid, family.markers)) return true
    strangers.set(row.pid, row.startedAt)
    return false
  }

  return {
    seen: () => members.size,
    look: async (lowestPid = 0) => {
      const rows = await listProcesses(lowestPid)
      const found = new Set<number>()
      await eachOf(rows, (row) => void (isMember(row) && found.add(row.pid)))
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
  const ids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid >= lowestPid)
  const rows: ProcessRow[] = []
  await eachOf(ids, (pid) => {
    const row = readProcess(pid)
    if (row !== undefined) rows.push(row)
  })
  return rows
}

/** Linux only. @returns undefined where there is no such process. */
export function readProcess(pid: number): ProcessRow | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`).toString('latin1')
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

/** In the flags of a process that is on its way out, as the kernel shows them. */
const EXITING = 0x4
/** In a set of signals. */
const KILL = 1n << 8n

/** Linux only. Whether it goes on: one that was just killed does not, though it takes its time until it is seen to have ended. */
export function livesOn(pid: number): boolean {
  const stat = readOrEmpty(`/proc/${pid}/stat`).toString('latin1')
  const [state = 'X', , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (stat === '' || state === 'Z' || state === 'X' || (Number(flags) & EXITING) !== 0) return false
  const pending = readOrEmpty(`/proc/${pid}/status`)
    .toString('latin1')
    .matchAll(/^S(?:ig|hd)Pnd:\s*([0-9a-f]+)$/gm)
  return [...pending].every(([, signals]) => (BigInt(`0x${signals}`) & KILL) === 0n)
}

/** Linux only. @returns the newest process id of this machine; 0 where that is not to be known. */
export function lastProcessId(): number {
  return Number(readOrEmpty('/proc/sys/kernel/ns_last_pid').toString('latin1'))
}

async function eachOf<T>(items: readonly T[], work: (item: T) => void): Promise<void> {
  for (let from = 0; from < items.length; from += AT_A_TIME) {
    if (from > 0) await turn()
    for (const item of items.slice(from, from + AT_A_TIME)) work(item)
  }
}

function hasMarkers(pid: number, markers: readonly string[]): boolean {
  if (process.platform !== 'linux' || markers.length === 0) return false
  const environment = readOrEmpty(`/proc/${pid}/environ`)
  return markers.every((marker) => {
    const at = environment.indexOf(marker)
    if (at < 0 || (at > 0 && environment[at - 1] !== 0)) return false
    const end = at + Buffer.byteLength(marker)
    return end === environment.length || environment[end] === 0
  })
}

/** A process may end between two looks, and those of other users cannot be read: both read as empty. */
function readOrEmpty(path: string): Buffer {
  try {
    return readFileSync(path)
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
