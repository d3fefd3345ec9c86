/**
 * What outlasts this page: kept in the profile, because the page's own storage goes with its port. What could not be
 * handed over yet (the host is away, the page closes) waits in that storage and goes with the next connection.
 */
import { defineStore } from 'pinia'
import * as z from 'zod'
import { useConnectionStore } from './connection.ts'
import { recall, remember } from './local-state.ts'

const WRITE_DELAY_MS = 300
/** Longer values (pictures) are not kept in the browser's small storage. */
const MOST_KEPT_HERE = 100_000
const WaitingSchema = z.record(z.string(), z.string().nullable())

export const usePageStateStore = defineStore('page-state', () => {
  const connection = useConnectionStore()
  /** Not with the host yet; `null` forgets. */
  const waiting = new Map<string, string | null>(Object.entries(recall('unsaved', WaitingSchema) ?? {}))
  let timer: ReturnType<typeof setTimeout> | undefined

  connection.onReady(flush)
  if (typeof window !== 'undefined') window.addEventListener('pagehide', leave)

  /** By what follows the prefix. Rejects where the host cannot be asked. */
  async function read(prefix: string): Promise<ReadonlyMap<string, string>> {
    const { entries } = await connection.call('page.read', { prefix })
    const found = new Map(entries.map(({ key, value }) => [key, value]))
    for (const [key, value] of waiting) {
      if (!key.startsWith(prefix)) continue
      if (value === null) found.delete(key)
      else found.set(key, value)
    }
    return new Map([...found].map(([key, value]) => [key.slice(prefix.length), value]))
  }

  function write(key: string, value: string | null): void {
    waiting.set(key, value)
    timer ??= setTimeout(() => void flush(), WRITE_DELAY_MS)
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    try {
      for (const [key, value] of [...waiting]) {
        await connection.call('page.write', { key, value })
        if (waiting.get(key) === value) waiting.delete(key)
      }
    } catch {
      // The next connection, or the next change, tries again; until then it waits here.
    }
    keepHere()
  }

  function keepHere(): void {
    remember('unsaved', Object.fromEntries([...waiting].filter(([, value]) => (value?.length ?? 0) <= MOST_KEPT_HERE)))
  }

  function leave(): void {
    keepHere()
    void flush()
  }

  return { read, write, flush }
})
