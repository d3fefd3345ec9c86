/** The memory methods of the storage service. Loaded on first use. */
import { randomBytes } from 'node:crypto'
import type { MemoryEntry } from '#contracts/metona/memory-entry.ts'
import { LONGEST_MEMORY, LONGEST_SUMMARY } from '#contracts/metona/memory-entry.ts'
import type { storageService } from '#contracts/storage/storage-service.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { ServiceHandlers } from '#contracts/wire/define-service.ts'
import { parseMemory } from '../domain/memory-document.ts'
import { sentItems } from '../domain/sent-items.ts'
import type { StoredMemory } from '../logs/workspace-record.ts'
import { listMemories, nextPosition, purgeMemoryIndex, readMemory, readRecalls, sameMemory, toEntry } from '../queries/memories.ts'
import type { Workspaces } from '../workspaces.ts'
import type { Workspace } from '../workspace.ts'
import { checkMemoryText, holdsSecret } from './check-memory-text.ts'
import type { MemoryFileStore } from './memory-file-store.ts'
import { fitForModel, itemProblems } from './fit-for-model.ts'
import { memoryFileOf } from './memory-files.ts'
import { searchMemories } from './search-memories.ts'
import { viewMemoryFile } from './view-memory-file.ts'

type Handlers = ServiceHandlers<typeof storageService>
export type MemoryHandlers = Pick<Handlers, Extract<keyof Handlers, `memory${string}`>>

/** A working memory whose task never ends by itself. */
const WORKING_LIFE_MS = 14 * 86_400_000

const USUAL_IMPORTANCE = 0.5

const PAGE = 1_000

export function memoryHandlers(workspaces: Workspaces): MemoryHandlers {
  const now = (): number => Date.parse(workspaces.now())
  const check = (content: string | undefined, summary: string | null | undefined): void => {
    if (content !== undefined) checkMemoryText(content, LONGEST_MEMORY, workspaces.redactor)
    if (typeof summary === 'string') checkMemoryText(summary, LONGEST_SUMMARY, workspaces.redactor)
  }
  const isSecret = (text: string): boolean => holdsSecret(text, workspaces.redactor)
  const isFit = fitForModel(() => workspaces.redactor)
  const pins = () => workspaces.profile.pins
  const fileOf = (workspace: Workspace): MemoryFileStore => memoryFileOf(workspaces, workspace)

  return {
    memoryAdd: async ({ workspace, item: draft }, { signal }) => {
      check(draft.content, draft.summary)
      if (draft.type === 'working' && draft.sessionId === undefined)
        throw new AppError({ code: 'BAD_INPUT', message: 'a working memory belongs to a session' })
      const answer = await workspaces.get(workspace).recordAll<{ item: MemoryEntry; added: boolean; changed: boolean }>((database) => {
        const at = now()
        const present = sameMemory(database, draft, at)
        if (present !== undefined) {
          const isPinned = pins().of(workspace)(present)
          const item = withWishes(present, draft, at, isPinned)
          const pinned = draft.source === 'user_input' && draft.pinned !== undefined ? draft.pinned : isPinned
          return {
            drafts: item === present ? [] : [{ event: 'memory_set', item }],
            answer: { item: toEntry(item, pinned), added: false, changed: item !== present || pinned !== isPinned },
          }
        }
        const expiresAt = draft.expiresAt ?? (draft.type === 'working' ? at + WORKING_LIFE_MS : undefined)
        const item: StoredMemory = {
          id: `mem_${newId()}`,
          type: draft.type,
          content: draft.content.toWellFormed(),
          ...(draft.summary === undefined ? {} : { summary: draft.summary.toWellFormed() }),
          source: draft.source,
          importance: draft.importance ?? USUAL_IMPORTANCE,
          ...(draft.sessionId === undefined ? {} : { sessionId: draft.sessionId, position: nextPosition(database, draft.sessionId) }),
          createdAt: draft.source === 'imported' ? Math.min(at, draft.createdAt ?? at) : at,
          updatedAt: at,
          ...(expiresAt === undefined ? {} : { expiresAt }),
          pinned: draft.pinned ?? false,
        }
        const pinned = draft.source === 'user_input' && item.pinned
        return { drafts: [{ event: 'memory_set', item }], answer: { item: toEntry(item, pinned), added: true, changed: false } }
      }, signal)
      // A tool can ask for a pin only in the model's name.
      if (draft.source === 'user_input' && (answer.added || draft.pinned !== undefined)) pins().saved(workspace, answer.item)
      return answer
    },

    memoryUpdate: async ({ workspace, id, changes, since }, { signal }) => {
      check(changes.content, changes.summary)
      // Rewording an item that came pinned does not pin it.
      let pinned = changes.pinned !== undefined
      const answer = await workspaces.get(workspace).recordAll<{ item: MemoryEntry }>((database) => {
        const present = readMemory(database, id)
        if (present === undefined) throw new AppError({ code: 'MEMORY_NOT_FOUND', message: `there is no memory ${id}`, params: { id } })
        if (since !== undefined && present.updatedAt !== since)
          throw new AppError({
            code: 'MEMORY_CHANGED',
            message: `memory ${id} was changed meanwhile`,
            params: { text: present.content, updatedAt: present.updatedAt },
          })
        pinned ||= pins().of(workspace)(present)
        const item = withChanges(present, changes, now())
        return { drafts: [{ event: 'memory_set', item }], answer: { item: toEntry(item, pinned && item.pinned) } }
      }, signal)
      if (pinned) pins().saved(workspace, answer.item)
      return answer
    },

    memoryDelete: async ({ workspace, ids }, { signal }) => {
      const open = workspaces.get(workspace)
      const answer = await open.recordAll<{ deleted: number }>(
        (database) => {
          const present = [...new Set(ids)].filter((id) => readMemory(database, id) !== undefined)
          return {
            drafts: present.length === 0 ? [] : [{ event: 'memory_removed', ids: present, reason: 'deleted' }],
            answer: { deleted: present.length },
          }
        },
        signal,
        () => purgeMemoryIndex(open.database),
      )
      pins().removed(workspace, ids)
      // Until then the pages of before stand in the file. Whoever is reading puts it off to the next one.
      try {
        if (answer.deleted > 0) open.database.pragma('wal_checkpoint(TRUNCATE)')
      } catch (error) {
        // The deletion is done all the same.
        workspaces.log(`the pages of deleted memories are not overwritten yet: ${String(error)}`)
      }
      return answer
    },

    memoryList: async ({ workspace, type, limit, offset }) =>
      workspaces.get(workspace).read((database) => {
        const { items, total } = listMemories(database, { type, limit, offset, now: now() })
        const isPinned = pins().of(workspace)
        return { items: items.map((item) => toEntry(item, isPinned(item))), total }
      }),

    memorySearch: async ({ workspace, query, purpose, sessionId, exclude, limit }) => {
      const open = workspaces.get(workspace)
      // What MEMORY.md says stands in the system prompt, as far as the person agreed to it and it is sent.
      const known = purpose === 'relevant' ? sentItems(parseMemory(workspaces.agreed.textOf(open.layout.root, 'MEMORY.md'))) : []
      const pinned = { isPinned: pins().of(workspace), pinnedIds: pins().ids(workspace) }
      const about = { query, purpose, sessionId, exclude, known, limit, now: now(), isFit, ...pinned }
      return { hits: await open.read((database) => searchMemories(database, about)) }
    },

    memoryRecalls: async ({ workspace, id, limit }) => workspaces.get(workspace).read((database) => readRecalls(database, id, limit)),

    memoryFileRead: async ({ workspace, items }) => {
      const open = workspaces.get(workspace)
      const file = viewMemoryFile(fileOf(open).read(), isSecret)
      for (let offset = 0; items; offset += PAGE) {
        // Page by page, so that others have their turn.
        const page = await open.read((database) => listMemories(database, { type: undefined, limit: PAGE, offset, now: now() }).items)
        file.problems.push(...itemProblems(page, isFit, pins().of(workspace)))
        if (page.length < PAGE) break
      }
      return file
    },

    memoryFileChange: async ({ workspace, operation }) => {
      const open = workspaces.get(workspace)
      if (open.readOnly)
        throw new AppError({ code: 'READ_ONLY', message: `${workspace} is open for reading only`, params: { path: workspace } })
      const file = fileOf(open)
      const { changed } = await file.change(operation)
      return { changed, file: viewMemoryFile(file.read(), isSecret) }
    },
  }
}

type Changes = Parameters<MemoryHandlers['memoryUpdate']>[0]['changes']

type Draft = Parameters<MemoryHandlers['memoryAdd']>[0]['item']

/** What a person asks for of a text that is there already; the very item when that is nothing new. A model's wishes are not enough. */
function withWishes(present: StoredMemory, draft: Draft, at: number, isPinned: boolean): StoredMemory {
  const { source, pinned, importance, expiresAt } = draft
  if (source !== 'user_input') return present
  // A pin seals the text: that is what the person typed, not the spelling and the summary that somebody else left there.
  const content = draft.content.toWellFormed()
  const summary = draft.summary?.toWellFormed()
  const typed = pinned === true && !isPinned && (content !== present.content || summary !== present.summary)
  const wishes = {
    ...(typed ? { content, summary: summary ?? null } : {}),
    ...(pinned === undefined || pinned === present.pinned ? {} : { pinned }),
    ...(importance === undefined || importance === present.importance ? {} : { importance }),
    ...(expiresAt === undefined || expiresAt === present.expiresAt ? {} : { expiresAt }),
  }
  return Object.keys(wishes).length === 0 ? present : withChanges(present, wishes, at)
}

function withChanges(present: StoredMemory, changes: Changes, at: number): StoredMemory {
  const { summary, expiresAt, ...kept } = present
  // A summary is sent in place of its content: it must not go on saying what was corrected.
  const standing = changes.content === undefined || changes.content === present.content ? summary : undefined
  const nextSummary = changes.summary === undefined ? standing : (changes.summary ?? undefined)
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
