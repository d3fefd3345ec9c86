/** Pictures and files that go along with the next message of a session; kept as its text is. */
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import * as z from 'zod'
import { usePageStateStore } from './page-state.ts'

const AttachmentSchema = z.object({
  id: z.string(),
  kind: z.enum(['image', 'file']),
  name: z.string(),
  bytes: z.number(),
  mediaType: z.string(),
  base64: z.string(),
})
export type Attachment = Readonly<z.infer<typeof AttachmentSchema>>

const PREFIX = 'draft-files:'
const NONE: readonly Attachment[] = []

export const useDraftFilesStore = defineStore('draft-files', () => {
  const page = usePageStateStore()
  const lists = shallowRef<ReadonlyMap<string, readonly Attachment[]>>(new Map())
  const asked = new Set<string>()

  const get = (key: string): readonly Attachment[] => lists.value.get(key) ?? NONE

  /** Brings what was kept for this session, once. */
  async function load(key: string): Promise<void> {
    if (asked.has(key)) return
    asked.add(key)
    try {
      const text = (await page.read(PREFIX + key)).get('')
      const kept = text === undefined ? undefined : z.array(AttachmentSchema).safeParse(JSON.parse(text)).data
      if (kept !== undefined) put(key, [...kept, ...get(key)])
    } catch {
      asked.delete(key)
    }
  }

  function set(key: string, list: readonly Attachment[]): void {
    put(key, list)
    page.write(PREFIX + key, list.length === 0 ? null : JSON.stringify(list))
  }

  function put(key: string, list: readonly Attachment[]): void {
    lists.value = new Map(lists.value).set(key, list)
  }

  /** Takes what is there along to another place. */
  function move(from: string, to: string): void {
    const list = get(from)
    if (list.length === 0) return
    set(from, NONE)
    set(to, [...list, ...get(to)])
  }

  return { get, load, set, move }
})
