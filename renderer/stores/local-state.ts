/** Small things this page remembers by itself. Never anything secret, never anything the host must know. */
import type * as z from 'zod'

/**
 * Reads and checks a remembered value. A missing, damaged or foreign one counts as absent, and so does a
 * page without storage (private mode): nothing that is kept here is needed to work.
 */
export function recall<T>(key: string, schema: z.ZodType<T>): T | undefined {
  try {
    const text = localStorage.getItem(prefixed(key))
    if (text === null) return undefined
    const parsed = schema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}

/** Keeps a value for the next visit. @returns whether it is kept: where storage is full or forbidden that costs comfort only. */
export function remember(key: string, value: unknown): boolean {
  try {
    localStorage.setItem(prefixed(key), JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(prefixed(key))
  } catch {
    // Forbidden storage holds nothing.
  }
}

const prefixed = (key: string): string => `metona.${key}`
