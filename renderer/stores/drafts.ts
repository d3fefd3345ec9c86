/** Unsent text per session. Survives switching, reloading and a lost connection. */
import { defineStore } from 'pinia'
import { ref } from 'vue'
import * as z from 'zod'
import { recall, remember } from './local-state.ts'

const KEPT = 50
const WRITE_DELAY_MS = 300

export const useDraftsStore = defineStore('drafts', () => {
  const drafts = ref<Record<string, string>>(recall('drafts', z.record(z.string(), z.string())) ?? {})
  let timer: ReturnType<typeof setTimeout> | undefined

  const get = (key: string): string => drafts.value[key] ?? ''

  function set(key: string, text: string): void {
    if (text === '') delete drafts.value[key]
    else drafts.value[key] = text
    clearTimeout(timer)
    timer = setTimeout(write, WRITE_DELAY_MS)
  }

  /** Puts a message back that could not be sent; never over what was typed since. */
  function restore(key: string, text: string): void {
    const typed = get(key)
    set(key, typed === '' ? text : `${text}\n\n${typed}`)
  }

  /** Takes what is there along to another place; never over what was typed there. */
  function move(from: string, to: string): void {
    const text = get(from)
    if (text === '') return
    set(from, '')
    restore(to, text)
  }

  function write(): void {
    remember('drafts', Object.fromEntries(Object.entries(drafts.value).slice(-KEPT)))
  }

  return { get, set, restore, move, write }
})

/** Where text for a session that does not exist yet is kept. */
export const newSessionDraft = (workspace: string | undefined): string => `new:${workspace ?? ''}`
