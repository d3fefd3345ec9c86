import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'

/** Who holds a lock. A pid alone may since belong to another program; with its start time it cannot. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Start of the process, as the system counts it; empty where the system does not say. */
  readonly startTime: string
  readonly since: string
}

export function ownIdentity(now: string): ProcessIdentity {
  return { pid: process.pid, host: hostname(), startTime: startTimeOf(process.pid) ?? '', since: now }
}

/** Field 22 of /proc/<pid>/stat (clock ticks since boot) with the boot's id; undefined when there is no such process or no /proc. */
export function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return ticks === undefined ? undefined : `${boot}/${ticks}`
  } catch {
    // Gone, or a system without /proc: the operating system's own lock decides there.
    return undefined
  }
}
