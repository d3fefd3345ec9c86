/** Pictures and files that go along with the next message of a session; kept as its text is. */
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import * as z from 'zod'
import { useConnectionStore } from './connection.ts'
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

/** One that another version wrote and this one cannot read counts as none. */
const KeptSchema = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue('no JSON')
      return z.NEVER
    }
  })
  .pipe(z.array(AttachmentSchema))
const PREFIX = 'draft-files:'
const NONE: readonly Attachment[] = []

export const useDraftFilesStore = defineStore('draft-files', () => {
  const page = usePageStateStore()
  const lists = shallowRef<ReadonlyMap<string, readonly Attachment[]>>(new Map())
  /** By session: whether what was kept for it is here. */
  const loaded = new Map<string, boolean>()

  useConnectionStore().onReady(async () => {
    await Promise.all([...loaded].map(([key, here]) => (here ? undefined : bring(key))))
  })

  const get = (key: string): readonly Attachment[] => lists.value.get(key) ?? NONE

  /** Brings what was kept for this session, once. */
  async function load(key: string): Promise<void> {
    if (loaded.has(key)) return
    loaded.set(key, false)
    await bring(key)
  }

  async function bring(key: string): Promise<void> {
    let text: string | undefined
    try {
      text = (await page.read(PREFIX + key)).get('')
    } catch {
      // The next connection asks again; what is attached meanwhile is put behind what was kept.
      return
    }
    if (loaded.get(key) === true) return
    loaded.set(key, true)
    const added = lists.value.get(key)
    const kept = KeptSchema.safeParse(text).data ?? NONE
    if (added === undefined) put(key, kept)
    else set(key, [...kept, ...added])
  }

  function set(key: string, list: readonly Attachment[]): void {
    put(key, list)
    void load(key)
    const keep = loaded.get(key) === true ? page.write : page.hold
    keep(PREFIX + key, list.length === 0 ? null : JSON.stringify(list))
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
