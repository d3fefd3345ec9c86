/** What is remembered in a folder: items with their search, when each was brought up, and the state of MEMORY.md. */
import type { MemoryChanges, MemoryEntry, MemoryRecall } from '#contracts/metona/memory-entry.ts'
import type { MemoryFile, MemoryOperation } from '#contracts/metona/memory-file.ts'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

/** `words` are those that matched a search. */
export type ShownMemory = MemoryEntry & { readonly words?: readonly string[] }

interface Found {
  readonly items: readonly ShownMemory[]
  readonly total: number
  readonly more: boolean
}
export interface ShownMemories extends Found {
  readonly workspace: string
  /** What was searched for; empty for the whole list. */
  readonly query: string
}

const PAGE = 100
/** Most that one call gives. */
const MOST_LISTED = 1000
const MOST_FOUND = 200

/** Said of a remembered item, not of a line of the file. */
export const isOfItem = ({ code }: MemoryFile['problems'][number]): boolean => code === 'foreign_pin' || code === 'withheld_memory'

export const useMemoriesStore = defineStore('memories', () => {
  const connection = useConnectionStore()
  const shown = shallowRef<ShownMemories>()
  const file = shallowRef<{ readonly workspace: string; readonly view: MemoryFile }>()
  /** What is said of single items, by id. */
  const notes = computed(() => new Map(file.value?.view.problems.filter(isOfItem).map(({ text, code }) => [text, code])))
  const recalls = shallowRef<ReadonlyMap<string, { readonly list: readonly MemoryRecall[]; readonly total: number }>>(new Map())
  const problem = shallowRef<Problem>()
  /** Counts questions, so that a slow answer does not take the place of a newer one. */
  let asked = 0

  async function load(workspace: string, query: string, most = PAGE): Promise<void> {
    const question = ++asked
    await guarded(async () => {
      const text = query.trim()
      const found = text === '' ? await list(workspace, most) : await search(workspace, text, most)
      if (question === asked) shown.value = { workspace, query: text, ...found }
    })
  }

  async function list(workspace: string, most: number): Promise<Found> {
    // By id: what is added meanwhile moves the rest on, so that some come twice.
    const items = new Map<string, ShownMemory>()
    for (let offset = 0; ;) {
      const limit = Math.min(MOST_LISTED, most - offset)
      const { items: next, total } = await connection.call('memory.list', { workspace, limit, offset })
      for (const item of next) items.set(item.id, item)
      offset += next.length
      if (next.length < limit || offset >= Math.min(most, total)) return { items: [...items.values()], total, more: offset < total }
    }
  }

  /** The best; how many match at all nobody counts. */
  async function search(workspace: string, query: string, most: number): Promise<Found> {
    const limit = Math.min(MOST_FOUND, most)
    const { hits } = await connection.call('memory.search', { workspace, query, purpose: 'everything', limit })
    return { items: hits, total: hits.length, more: hits.length === limit && limit < MOST_FOUND }
  }

  async function loadFile(workspace: string): Promise<void> {
    await guarded(async () => {
      file.value = { workspace, view: await connection.call('memory.file', { workspace, items: true }) }
    })
  }

  async function loadRecalls(workspace: string, id: string): Promise<void> {
    await guarded(async () => {
      const { recalls: list, total } = await connection.call('memory.recalls', { workspace, id, limit: 20 })
      recalls.value = new Map(recalls.value).set(id, { list, total })
    })
  }

  /** @returns what came of it; undefined where it was refused, and why stands in `problem`. */
  async function add(workspace: string, content: string): Promise<'added' | 'present' | undefined> {
    let added = false
    const done = await changed(workspace, async () => {
      added = (await connection.call('memory.add', { workspace, item: { content, source: 'user_input' } })).added
    })
    return done ? (added ? 'added' : 'present') : undefined
  }

  /**
   * @param since the item's `updatedAt` when the person began to change it
   * @returns whether it was done; why not stands in `problem`.
   */
  function update(workspace: string, id: string, changes: MemoryChanges, since?: number): Promise<boolean> {
    return changed(workspace, () => connection.call('memory.update', { workspace, id, changes, ...(since === undefined ? {} : { since }) }))
  }

  function remove(workspace: string, id: string): Promise<boolean> {
    return changed(workspace, () => connection.call('memory.delete', { workspace, ids: [id] }))
  }

  function changeFile(workspace: string, operation: MemoryOperation): Promise<boolean> {
    return guarded(async () => {
      file.value = { workspace, view: (await connection.call('memory.changeFile', { workspace, operation })).file }
    })
  }

  async function changed(workspace: string, work: () => Promise<unknown>): Promise<boolean> {
    if (!(await guarded(work))) return false
    await load(workspace, shown.value?.query ?? '', Math.max(PAGE, shown.value?.items.length ?? 0))
    // What was said of an item may hold no more. Looking at all of them again is only worth it then.
    if (file.value?.workspace === workspace && file.value.view.problems.some(isOfItem)) await loadFile(workspace)
    return true
  }

  async function guarded(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work()
      problem.value = undefined
      return true
    } catch (error) {
      problem.value = toProblem(error)
      return false
    }
  }

  return { shown, file, notes, recalls, problem, load, loadFile, loadRecalls, add, update, remove, changeFile }
})
