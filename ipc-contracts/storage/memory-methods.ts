/** What the storage worker does with memories: items in the database, and the workspace's MEMORY.md. */
import * as z from 'zod'
import { MemoryChangesSchema, MemoryDraftSchema, MemoryEntrySchema, MemoryHitSchema, MemoryRecallSchema } from '../metona/memory-entry.ts'
import { MemoryFileSchema, MemoryOperationSchema } from '../metona/memory-file.ts'
import { MetonaMemoryItemSchema } from '../metona/metona-memory.ts'

const workspace = z.string()
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const memoryMethods = {
  /**
   * Refused with a reason: `SECRET_IN_MEMORY`, `MEMORY_TEXT` (control characters, headings, fences: the text becomes part of a prompt).
   * Text that is there already is not stored twice: the answer is the present item, `added` false. What a person said of it besides
   * its text (pinned, importance, expiry) is then done to that item, and `changed` is true when it made a difference.
   */
  memoryAdd: method(
    z.object({ workspace, item: MemoryDraftSchema }),
    z.object({ item: MemoryEntrySchema, added: z.boolean(), changed: z.boolean() }),
  ),
  /** `MEMORY_NOT_FOUND`, `MEMORY_CHANGED` when it is no longer as it was at `since` (its `updatedAt`), and as `memoryAdd`. */
  memoryUpdate: method(
    z.object({ workspace, id: z.string(), changes: MemoryChangesSchema, since: z.number().optional() }),
    z.object({ item: MemoryEntrySchema }),
  ),
  /**
   * Takes items out of the store, its index and what is told of them to models. Not out of what is history: the workspace's log and
   * its table of events, the conversations they were put into, and the daily copies of the database, until those are replaced.
   */
  memoryDelete: method(z.object({ workspace, ids: z.array(z.string()).max(10_000) }), z.object({ deleted: z.number().int() })),
  /** Pinned first, then newest first; what has expired is left out. */
  memoryList: method(
    z.object({
      workspace,
      type: MetonaMemoryItemSchema.shape.type.optional(),
      limit: z.number().int().min(1).max(1000),
      offset: z.number().int().min(0).default(0),
    }),
    z.object({ items: z.array(MemoryEntrySchema), total: z.number().int() }),
  ),
  /**
   * `everything`: all that matches at all, for a person who searches. `relevant`: what is good enough to be brought up unasked,
   * pinned items first; nothing twice, nothing in `exclude`, nothing MEMORY.md says already. A session sees its own working
   * memories and no others'; a search for everything without a session sees all.
   */
  memorySearch: method(
    z.object({
      workspace,
      /** What stands behind 2,000 characters is not looked at. */
      query: z.string(),
      purpose: z.enum(['everything', 'relevant']),
      sessionId: z.string().optional(),
      exclude: z.array(z.string()).default([]),
      limit: z.number().int().min(1).max(200),
    }),
    z.object({ hits: z.array(MemoryHitSchema) }),
  ),
  /** When and why an item was put before a model, newest first. */
  memoryRecalls: method(
    z.object({ workspace, id: z.string(), limit: z.number().int().min(1).max(200) }),
    z.object({ recalls: z.array(MemoryRecallSchema), total: z.number().int() }),
  ),
  /** MEMORY.md as it stands on the disk, with what is not in its form; with `items` also which items of the database no model is given. */
  memoryFileRead: method(z.object({ workspace, items: z.boolean().default(false) }), MemoryFileSchema),
  /**
   * Changes one item of MEMORY.md. Errors, each with what to do: `MEMORY_FORM`, `MEMORY_TEXT`, `SECRET_IN_MEMORY`,
   * `MEMORY_ITEM_NOT_FOUND`, `MEMORY_ITEM_TWICE`, `MEMORY_READ_ONLY`, `MEMORY_FILE_UNSAFE`, `MEMORY_FILE_BUSY`.
   */
  memoryFileChange: method(
    z.object({ workspace, operation: MemoryOperationSchema }),
    z.object({ changed: z.boolean(), file: MemoryFileSchema }),
  ),
}
