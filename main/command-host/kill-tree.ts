/** Ends a command with everything it started, and says what was found. */
import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { watchFamily, type ProcessFamily, type ProcessRow } from './process-table.ts'

export interface KillReport {
  /** Processes that were alive when asked, and those that appeared meanwhile. */
  readonly found: number
  readonly killed: number
  /** Ids still alive at the end: not ours to signal, or stuck in the kernel. */
  readonly survivors: number[]
}

const POLL_MS = 20
/** How long killed processes may take to disappear before they count as survivors. */
const KILL_WAIT_MS = 1500
/** Nothing can leave a sandbox; thousands of processes or gigabytes of memory take the kernel a while. */
const SANDBOX_WAIT_MS = 15_000

/**
 * TERM to the group and to every process that left it, KILL to what is left after `graceMs`.
 * Looks again after each round, so a process started while others die is found too.
 */
export async function killTree(family: ProcessFamily, graceMs: number): Promise<KillReport> {
  if (process.platform === 'win32') return killWindowsTree(family.leader)
  const watch = watchFamily(family)
  const look = (): Promise<ProcessRow[]> => watch.look()
  // With its first process the kernel ends all of a sandbox at once; looking first would give a fork bomb time.
  if (family.sandboxed === true && graceMs === 0) send(-family.leader, 'SIGKILL')
  let alive = await look()
  if (alive.length > 0 && graceMs > 0) {
    // A sandbox that is asked to end takes its command down at once; the command is asked, and the sandbox ends after it.
    const group = family.sandboxed === true ? undefined : family.leader
    const asked = group === undefined ? alive.filter((row) => row.pid !== family.leader) : alive
    signalAll(asked, group, 'SIGTERM')
    // A stopped process takes TERM only once it runs again.
    signalAll(asked, group, 'SIGCONT')
    alive = await waitUntilGone(look, graceMs)
  }
  for (
    const end = performance.now() + (family.sandboxed === true ? SANDBOX_WAIT_MS : KILL_WAIT_MS);
    alive.length > 0 && performance.now() < end;
  ) {
    signalAll(alive, family.leader, 'SIGKILL')
    await delay(POLL_MS)
    alive = await look()
  }
  const survivors = alive.map((row) => row.pid)
  return { found: watch.seen(), killed: watch.seen() - survivors.length, survivors }
}

async function waitUntilGone(look: () => Promise<ProcessRow[]>, milliseconds: number): Promise<ProcessRow[]> {
  const end = performance.now() + milliseconds
  for (;;) {
    const alive = await look()
    if (alive.length === 0 || performance.now() >= end) return alive
    await delay(POLL_MS)
  }
}

function signalAll(rows: readonly ProcessRow[], group: number | undefined, signal: NodeJS.Signals): void {
  // The group at once first: its members cannot fork away between two signals of ours.
  if (group !== undefined && rows.some((row) => row.group === group)) send(-group, signal)
  for (const row of rows) if (row.group !== group) send(row.pid, signal)
}

/** Gone already is what was wanted; a process of another user is reported as a survivor by the next look. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

/** Not run anywhere yet: written from the documentation of taskkill. */
function killWindowsTree(pid: number): Promise<KillReport> {
  return new Promise((resolve) => {
    execFile('taskkill', ['/T', '/F', '/PID', String(pid)], { windowsHide: true }, (error, stdout) => {
      const killed = (stdout.match(/SUCCESS/g) ?? []).length
      resolve({ found: killed, killed, survivors: error !== null && killed === 0 ? [pid] : [] })
    })
  })
}
