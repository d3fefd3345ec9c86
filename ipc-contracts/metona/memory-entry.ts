/** A remembered item as it is kept and shown: the standard's `MetonaMemoryItem` and what people do with it. */
import * as z from 'zod'
import { MetonaMemoryItemSchema } from './metona-memory.ts'

export const LONGEST_MEMORY = 2000
/** What is sent at all, characters. */
const MOST_SENT = 1_000_000
export const LONGEST_SUMMARY = 300

/** When an item was last put before a model, and why. */
export const MemoryRecallSchema = z.object({
  sessionId: z.string(),
  seq: z.number().int(),
  turn: z.number().int().optional(),
  /** The item's `relevanceScore` then; 0 for one that came because it is pinned. */
  score: z.number(),
  /** The words of it that met the question; empty for a pinned one, or for one that stood beside a match. */
  words: z.array(z.string()),
  ts: z.string(),
})
export type MemoryRecall = z.infer<typeof MemoryRecallSchema>

export const MemoryEntrySchema = MetonaMemoryItemSchema.extend({
  /** Put before the model once in every session, whatever is asked. */
  pinned: z.boolean(),
  updatedAt: z.number(),
})
export type MemoryEntry = z.infer<typeof MemoryEntrySchema>

export const MemoryHitSchema = MemoryEntrySchema.extend({ relevanceScore: z.number(), words: z.array(z.string()) })
export type MemoryHit = z.infer<typeof MemoryHitSchema>

/** A new item. `working` needs a session and goes with its task. */
export const MemoryDraftSchema = z.object({
  type: MetonaMemoryItemSchema.shape.type.default('semantic'),
  /** Empty or longer than `LONGEST_MEMORY` is refused as `MEMORY_TEXT`, with the reason. */
  content: z.string().trim().max(MOST_SENT),
  summary: z.string().trim().min(1).max(LONGEST_SUMMARY).optional(),
  source: MetonaMemoryItemSchema.shape.source,
  /** 0.5 when absent. */
  importance: z.number().min(0).max(1).optional(),
  pinned: z.boolean().optional(),
  sessionId: z.string().optional(),
  /** Counts for imported items alone, and never later than now. */
  createdAt: z.number().optional(),
  expiresAt: z.number().optional(),
})
export type MemoryDraft = z.input<typeof MemoryDraftSchema>

/** Fields that are absent stay, null takes the value away; a summary stands for its content and goes with it. */
export const MemoryChangesSchema = z.object({
  content: MemoryDraftSchema.shape.content.optional(),
  summary: z.string().trim().min(1).max(LONGEST_SUMMARY).nullable().optional(),
  importance: z.number().min(0).max(1).optional(),
  pinned: z.boolean().optional(),
  expiresAt: z.number().nullable().optional(),
})
export type MemoryChanges = z.infer<typeof MemoryChangesSchema>
