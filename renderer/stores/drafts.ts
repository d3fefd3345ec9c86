/** Unsent text per session. Survives switching, reloading, a lost connection and a restart. */
import { defineStore } from 'pinia'
import { ref } from 'vue'
import { useConnectionStore } from './connection.ts'
import { usePageStateStore } from './page-state.ts'

const PREFIX = 'draft:'

export const useDraftsStore = defineStore('drafts', () => {
  const page = usePageStateStore()
  const drafts = ref<Record<string, string>>({})
  /** Typed in this page: what was kept before does not come over it. */
  const typed = new Set<string>()
  let loaded = false

  useConnectionStore().onReady(load)
  void load()

  async function load(): Promise<void> {
    if (loaded) return
    try {
      for (const [key, text] of await page.read(PREFIX)) if (!typed.has(key)) drafts.value[key] = text
      loaded = true
    } catch {
      // The next connection asks again; what is typed meanwhile counts.
    }
  }

  const get = (key: string): string => drafts.value[key] ?? ''

  function set(key: string, text: string): void {
    typed.add(key)
    if (text === '') delete drafts.value[key]
    else drafts.value[key] = text
    page.write(PREFIX + key, text === '' ? null : text)
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
