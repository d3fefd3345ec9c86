/** What events of a session are made of: the fields every one of them has, and those that several share. */
import * as z from 'zod'
import { PermissionModeSchema } from './session-enums.ts'

const head = <const E extends string>(event: E) => ({
  /** Gapless from 0 within the session. */
  seq: z.number().int().min(0),
  /** ISO 8601 in UTC with milliseconds. Order is by `seq`, never by this. */
  ts: z.string(),
  event: z.literal(event),
  sessionId: z.string(),
})
/** `eventId` makes a repeated commit harmless. `turn` counts prompts from 1; absent outside a turn. */
const tail = { turn: z.number().int().min(1).optional(), eventId: z.string() }
export const iteration = z.number().int().min(1)
export const define = <const E extends string, const F extends z.ZodRawShape>(event: E, fields: F) =>
  z.object({ ...head(event), ...fields, ...tail })

/** What a session is set to. */
export const settings = {
  title: z.string().optional(),
  model: z.string().optional(),
  permission: PermissionModeSchema.optional(),
  sandbox: z.enum(['auto', 'off']).optional(),
  maxIterations: z.number().int().optional(),
  baseUrl: z.string().optional(),
  /** Made with a key of the profile over permission, sandbox and baseUrl as they are from here on; without it they are not believed. */
  seal: z.string().optional(),
  taskGoal: z.string().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  forkedFrom: z.object({ sessionId: z.string(), seq: z.number().int() }).optional(),
}

/** Memories put before the model, each with why: how well it met the question, and by which words. */
export const RecalledMemoriesSchema = z.array(z.object({ id: z.string(), score: z.number(), words: z.array(z.string()) }))
export const memories = RecalledMemoriesSchema.optional()
