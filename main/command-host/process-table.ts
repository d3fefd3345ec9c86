/** What processes exist, and which of them belong to a command. Linux reads /proc; elsewhere `ps` is asked. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Distinguishes a process from a later one with the same id; 0 where unknown. */
  readonly startedAt: number
  readonly zombie: boolean
}

/** How a command's processes are known: by the group and session it leads, by markers in their environment, by descent. */
export interface ProcessFamily {
  readonly leader: number
  /** `NAME=value` entries that must all stand in a process's environment. */
  readonly markers: readonly string[]
}

export async function listProcesses(lowestPid = 0): Promise<ProcessRow[]> {
  return process.platform === 'linux' ? readProc(lowestPid) : process.platform === 'win32' ? [] : runPs()
}

/** Members of the family that are alive (zombies are dead), `known` ones included even when nothing but their id ties them to it. */
export function familyMembers(rows: readonly ProcessRow[], family: ProcessFamily, known: ReadonlyMap<number, number>): ProcessRow[] {
  const members = new Set<number>()
  const isMember = (row: ProcessRow): boolean =>
    row.pid === family.leader || row.group === family.leader || row.session === family.leader || known.get(row.pid) === row.startedAt || (row.pid !== process.pid && hasMarkers(row.pid, family.markers))
  for (const row of rows) if (isMember(row)) members.add(row.pid)
  for (let grew = true; grew; ) {
    grew = false
    for (const row of rows) {
      if (members.has(row.pid) || !members.has(row.parent)) continue
      members.add(row.pid)
      grew = true
    }
  }
  return rows.filter((row) => members.has(row.pid) && !row.zombie)
}

function readProc(lowestPid: number): ProcessRow[] {
  const rows: ProcessRow[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || pid < lowestPid) continue
    const stat = readOrEmpty(`/proc/${pid}/stat`).toString('latin1')
    // The command name in parentheses may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields.length < 20) continue
    rows.push({ pid, zombie: fields[0] === 'Z' || fields[0] === 'X', parent: Number(fields[1]), group: Number(fields[2]), session: Number(fields[3]), startedAt: Number(fields[19]) })
  }
  return rows
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
          return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session), startedAt: 0, zombie: state.startsWith('Z') }]
        }),
      )
    })
  })
}
