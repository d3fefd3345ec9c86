/** Messages a worker may send the host per second; it has reason for a few dozen. Beyond it the host's own loop would suffer. */
const LIMIT = 5_000
const WINDOW_MS = 1_000

/** @returns a function to call per message; true once the sender is flooding. */
export function floodGate(now: () => number): () => boolean {
  let windowStart = now()
  let count = 0
  return () => {
    count += 1
    if (count <= LIMIT) return false
    const at = now()
    const flooding = at - windowStart < WINDOW_MS
    windowStart = at
    count = 0
    return flooding
  }
}
