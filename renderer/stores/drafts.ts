/** Unsent text per session. Survives switching, reloading, a lost connection and a restart. */
import { defineStore } from 'pinia'
import { ref } from 'vue'
import { useConnectionStore } from './connection.ts'
import { usePageStateStore } from './page-state.ts'

const PREFIX = 'draft:'

export const useDraftsStore = defineStore('drafts', () => {
  const page = usePageStateStore()
  const drafts = ref<Record<string, string>>({})
  /** Typed before what was kept could be read. */
  const early = new Set<string>()
  let loaded = false

  useConnectionStore().onReady(load)
  void load()

  async function load(): Promise<void> {
    if (loaded) return
    try {
      const kept = await page.read(PREFIX)
      if (loaded) return
      loaded = true
      for (const [key, text] of kept) {
        if (early.has(key)) restore(key, text)
        else drafts.value[key] = text
      }
      for (const key of early) set(key, get(key))
    } catch {
      // The next connection asks again; what is typed meanwhile is put behind what was kept.
    }
  }

  const get = (key: string): string => drafts.value[key] ?? ''

  function set(key: string, text: string): void {
    if (text === '') delete drafts.value[key]
    else drafts.value[key] = text
    if (!loaded) early.add(key)
    const keep = loaded ? page.write : page.hold
    keep(PREFIX + key, text === '' ? null : text)
  }

  /** Puts a message back that could not be sent; never over what was typed since. */
  function restore(key: string, text: string): void {
    const present = get(key)
    set(key, present === '' ? text : `${text}\n\n${present}`)
  }

  /** Takes what is there along to another place; never over what was typed there. */
  function move(from: string, to: string): void {
    const text = get(from)
    if (text === '') return
    set(from, '')
    restore(to, text)
  }

  return { get, set, restore, move }
})

/** Where text for a session that does not exist yet is kept. */
export const newSessionDraft = (workspace: string | undefined): string => `new:${workspace ?? ''}`
