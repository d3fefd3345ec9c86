/** The memory methods of the storage service. Loaded on first use. */
import { randomBytes } from 'node:crypto'
import type { MemoryEntry } from '#contracts/metona/memory-entry.ts'
import { LONGEST_MEMORY, LONGEST_SUMMARY } from '#contracts/metona/memory-entry.ts'
import type { storageService } from '#contracts/storage/storage-service.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { ServiceHandlers } from '#contracts/wire/define-service.ts'
import type { StoredMemory } from '../logs/workspace-record.ts'
import { listMemories, nextPosition, readMemory, readRecalls, sameMemory, toEntry } from '../queries/memories.ts'
import type { Workspaces } from '../workspaces.ts'
import { checkMemoryText } from './check-memory-text.ts'
import { searchMemories } from './search-memories.ts'

type Handlers = ServiceHandlers<typeof storageService>
export type MemoryHandlers = Pick<Handlers, Extract<keyof Handlers, `memory${string}`>>

/** A working memory whose task never ends by itself. */
const WORKING_LIFE_MS = 14 * 86_400_000

export function memoryHandlers(workspaces: Workspaces): MemoryHandlers {
  const now = (): number => Date.parse(workspaces.now())
  const check = (content: string | undefined, summary: string | null | undefined): void => {
    if (content !== undefined) checkMemoryText(content, LONGEST_MEMORY, workspaces.redactor)
    if (typeof summary === 'string') checkMemoryText(summary, LONGEST_SUMMARY, workspaces.redactor)
  }

  return {
    memoryAdd: async ({ workspace, item: draft }, { signal }) => {
      check(draft.content, draft.summary)
      if (draft.type === 'working' && draft.sessionId === undefined)
        throw new AppError({ code: 'BAD_INPUT', message: 'a working memory belongs to a session' })
      return workspaces.get(workspace).recordAll<{ item: MemoryEntry; added: boolean }>((database) => {
        const present = sameMemory(database, draft)
        if (present !== undefined) return { drafts: [], answer: { item: toEntry(present), added: false } }
        const at = now()
        const expiresAt = draft.expiresAt ?? (draft.type === 'working' ? at + WORKING_LIFE_MS : undefined)
        const item: StoredMemory = {
          id: `mem_${newId()}`,
          type: draft.type,
          content: draft.content.toWellFormed(),
          ...(draft.summary === undefined ? {} : { summary: draft.summary.toWellFormed() }),
          source: draft.source,
          importance: draft.importance,
          ...(draft.sessionId === undefined ? {} : { sessionId: draft.sessionId, position: nextPosition(database, draft.sessionId) }),
          createdAt: at,
          updatedAt: at,
          ...(expiresAt === undefined ? {} : { expiresAt }),
          pinned: draft.pinned,
        }
        return { drafts: [{ event: 'memory_set', item }], answer: { item: toEntry(item), added: true } }
      }, signal)
    },

    memoryUpdate: async ({ workspace, id, changes }, { signal }) => {
      check(changes.content, changes.summary)
      return workspaces.get(workspace).recordAll<{ item: MemoryEntry }>((database) => {
        const present = readMemory(database, id)
        if (present === undefined) throw new AppError({ code: 'MEMORY_NOT_FOUND', message: `there is no memory ${id}`, params: { id } })
        const item = withChanges(present, changes, now())
        return { drafts: [{ event: 'memory_set', item }], answer: { item: toEntry(item) } }
      }, signal)
    },

    memoryDelete: async ({ workspace, ids }, { signal }) =>
      workspaces.get(workspace).recordAll((database) => {
        const present = [...new Set(ids)].filter((id) => readMemory(database, id) !== undefined)
        return {
          drafts: present.length === 0 ? [] : [{ event: 'memory_removed', ids: present, reason: 'deleted' }],
          answer: { deleted: present.length },
        }
      }, signal),

    memoryList: async ({ workspace, type, limit, offset }) =>
      workspaces.get(workspace).read((database) => {
        const { items, total } = listMemories(database, { type, limit, offset, now: now() })
        return { items: items.map(toEntry), total }
      }),

    memorySearch: async ({ workspace, query, purpose, sessionId, exclude, limit }) => ({
      hits: await workspaces
        .get(workspace)
        .read((database) => searchMemories(database, { query, purpose, sessionId, exclude, known: [], limit, now: now() })),
    }),

    memoryRecalls: async ({ workspace, id, limit }) => workspaces.get(workspace).read((database) => readRecalls(database, id, limit)),
  }
}

type Changes = Parameters<MemoryHandlers['memoryUpdate']>[0]['changes']

function withChanges(present: StoredMemory, changes: Changes, at: number): StoredMemory {
  const { summary, expiresAt, ...kept } = present
  const nextSummary = changes.summary === undefined ? summary : (changes.summary ?? undefined)
  const nextExpiry = changes.expiresAt === undefined ? expiresAt : (changes.expiresAt ?? undefined)
  return {
    ...kept,
    ...(changes.content === undefined ? {} : { content: changes.content.toWellFormed() }),
    ...(changes.importance === undefined ? {} : { importance: changes.importance }),
    ...(changes.pinned === undefined ? {} : { pinned: changes.pinned }),
    ...(nextSummary === undefined ? {} : { summary: nextSummary.toWellFormed() }),
    ...(nextExpiry === undefined ? {} : { expiresAt: nextExpiry }),
    updatedAt: at,
  }
}

/** 16 characters of 0-9a-z. */
function newId(): string {
  return Array.from(randomBytes(16), (byte) => (byte % 36).toString(36)).join('')
}
