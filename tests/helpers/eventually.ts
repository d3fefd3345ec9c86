/** Waits on a condition with a deadline, the only kind of waiting tests do. */

/**
 * Runs `probe` until it gives something other than `undefined` or `false`, and gives that.
 * @throws naming `what` after `deadlineMs`.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  deadlineMs = 30_000,
): Promise<T> {
  const end = performance.now() + deadlineMs
  for (;;) {
    const value = await probe()
    if (value !== undefined && value !== false) return value
    if (performance.now() > end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
