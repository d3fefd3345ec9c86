/** Repeats assertions until they hold, with a generous deadline; gives what they return. */
import { vi } from 'vitest'

export function settles<T>(assertions: () => T | Promise<T>, deadlineMs = 30_000): Promise<T> {
  return vi.waitFor(assertions, { timeout: deadlineMs, interval: 25 }) as Promise<T>
}
