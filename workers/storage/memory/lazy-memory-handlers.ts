import type { Database } from 'better-sqlite3'
import { memoryMethods } from '#contracts/storage/memory-methods.ts'
import type { CallContext } from '#contracts/wire/define-service.ts'
import { memoryCount } from '../queries/memory-frequencies.ts'
import type { Workspaces } from '../workspaces.ts'
import type { MemoryHandlers } from './memory-handlers.ts'

/** The memory methods, whose code is loaded when one of them is called: most starts of the app do without. */
export function lazyMemoryHandlers(workspaces: Workspaces): MemoryHandlers {
  let loading: Promise<MemoryHandlers> | undefined
  const handlers = (): Promise<MemoryHandlers> =>
    (loading ??= import('./memory-handlers.ts').then((module) => module.memoryHandlers(workspaces)))
  const lazy = Object.keys(memoryMethods).map((name) => [
    name,
    async (input: never, context: CallContext) => (await handlers())[name as keyof MemoryHandlers](input, context),
  ])
  const all = Object.fromEntries(lazy) as MemoryHandlers
  return {
    ...all,
    // Every message asks; where nothing is remembered the answer needs none of that code.
    memorySearch: async (input, context) => {
      const empty = loading === undefined && (await workspaces.get(input.workspace).read(hasNoMemories))
      return empty ? { hits: [] } : all.memorySearch(input, context)
    },
  }
}

function hasNoMemories(database: Database): boolean {
  return memoryCount(database) === 0
}
