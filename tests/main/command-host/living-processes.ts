/** The oracle of process tests: /proc, read without any code of the app. */
import { readdirSync, readFileSync } from 'node:fs'

/** Ids of living processes whose environment or arguments hold `text`; zombies are dead. */
export function livingProcesses(text: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        if (
          !readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text) &&
          !readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
        )
          return false
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'))
      } catch {
        return false
      }
    })
}

/** Resident memory of a process in MiB. */
export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024
}
