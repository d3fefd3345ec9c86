/**
 * What outlasts this page: kept in the profile, because the page's own storage goes with its port. What could not be
 * handed over yet (the host is away, the page closes) waits in that storage and goes with the next connection.
 */
import { defineStore } from 'pinia'
import { onScopeDispose } from 'vue'
import * as z from 'zod'
import { useConnectionStore } from './connection.ts'
import { recall, remember } from './local-state.ts'
import { forgetOlderPage, leftByOlderPage } from './older-page.ts'
import { toProblem } from './to-problem.ts'

const WRITE_DELAY_MS = 300
/** Longer values (pictures) are not kept in the browser's small storage. */
const MOST_KEPT_HERE = 100_000
const WaitingSchema = z.record(z.string(), z.string().nullable())

export const usePageStateStore = defineStore('page-state', () => {
  const connection = useConnectionStore()
  /** Of `waiting`, what is only this page's part of a value: it goes when the rest was read and put to it. */
  const held = new Set<string>()
  /** Not with the host yet; `null` forgets. */
  const waiting = new Map<string, string | null>(Object.entries(recall('unsaved', WaitingSchema) ?? {}))
  let timer: ReturnType<typeof setTimeout> | undefined

  connection.onReady(flush)
  onScopeDispose(() => clearTimeout(timer))
  if (typeof window !== 'undefined') window.addEventListener('pagehide', leave)

  /** As it was when asked for, by what follows the prefix. Rejects where the host cannot be asked. */
  async function read(prefix: string): Promise<ReadonlyMap<string, string>> {
    const ahead = [...waiting].filter(([key]) => key.startsWith(prefix) && !held.has(key))
    const { entries } = await connection.call('page.read', { prefix })
    const found = new Map(entries.map(({ key, value }) => [key, value]))
    for (const [key, value] of ahead) {
      if (value === null) found.delete(key)
      else found.set(key, value)
    }
    takeOver(prefix, found)
    return new Map([...found].map(([key, value]) => [key.slice(prefix.length), value]))
  }

  /** What the profile has is newer than what a page of an earlier version left in this browser. */
  function takeOver(prefix: string, found: Map<string, string>): void {
    const left = leftByOlderPage(prefix).filter(([key]) => !found.has(key) && !waiting.has(key))
    for (const [key, value] of left) {
      found.set(key, value)
      write(key, value)
    }
    // Until the host has it, it waits with the rest; where there is no room for both, the old one stays for the next page.
    if (left.length === 0 || keepHere()) forgetOlderPage(prefix)
  }

  function write(key: string, value: string | null): void {
    held.delete(key)
    waiting.set(key, value)
    timer ??= setTimeout(() => void flush(), WRITE_DELAY_MS)
  }

  /** Of a value whose kept part is not read yet: it waits here, so that it cannot take the place of the whole. */
  function hold(key: string, part: string | null): void {
    write(key, part)
    held.add(key)
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    await Promise.all([...waiting].filter(([key]) => !held.has(key)).map(([key, value]) => hand(key, value)))
    keepHere()
  }

  async function hand(key: string, value: string | null): Promise<void> {
    try {
      await connection.call('page.write', { key, value })
    } catch (error) {
      // The next connection, or the next change, tries again; until then it waits here.
      if (toProblem(error).code !== 'BAD_INPUT') return
      console.error(`${key.slice(0, 80)} cannot be kept and lasts as long as this page:`, error)
    }
    if (waiting.get(key) === value && !held.has(key)) waiting.delete(key)
  }

  function keepHere(): boolean {
    return remember('unsaved', Object.fromEntries([...waiting].filter(([, value]) => (value?.length ?? 0) <= MOST_KEPT_HERE)))
  }

  function leave(): void {
    keepHere()
    void flush()
  }

  return { read, write, hold, flush }
})
