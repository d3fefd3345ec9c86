import { classifyFault } from './database-errors.ts'

const PAUSE_MS = 20

/**
 * Repeats short work on the profile, which several programs share, until the other one lets go. Blocks the thread:
 * what is waited for takes milliseconds.
 */
export function waitForLock<T>(work: () => T, deadlineMs = 10_000): T {
  const deadline = performance.now() + deadlineMs
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (classifyFault(error) !== 'busy' || performance.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}
