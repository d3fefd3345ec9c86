/** Sessions as such: making, opening, following, finding, changing, deleting. What happens in a turn is in `turn-commands.ts`. */
import * as z from 'zod'
import { PermissionModeSchema } from './session-enums.ts'
import { SessionEventSchema } from './session-event.ts'
import { SessionSnapshotSchema, SessionSummarySchema } from './session-snapshot.ts'
import { TranscriptItemSchema } from './transcript-item.ts'

const sessionId = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const SessionSettingsSchema = z.object({
  title: z.string().optional(),
  /** `provider/model`, split at the first slash. */
  model: z.string().optional(),
  permission: PermissionModeSchema.optional(),
  sandbox: z.enum(['auto', 'off']).optional(),
  maxIterations: z.number().int().min(1).optional(),
  /** Seconds for a whole turn. */
  timeoutSeconds: z.number().positive().optional(),
  baseUrl: z.string().optional(),
  taskGoal: z.string().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
})
export type SessionSettings = z.infer<typeof SessionSettingsSchema>

export const sessionCommands = {
  /** `interactive: false` (terminal without a person) makes every question a denial. */
  'session.create': method(
    SessionSettingsSchema.extend({ workspace: z.string(), interactive: z.boolean().default(true) }),
    z.object({ sessionId }),
  ),
  /** Takes up a stored session; a turn that was running when the app died is marked interrupted. */
  'session.open': method(
    SessionSettingsSchema.extend({ workspace: z.string(), sessionId, interactive: z.boolean().default(true) }),
    z.object({ sessionId }),
  ),
  'session.list': method(z.object({ workspace: z.string().optional() }), z.object({ sessions: z.array(SessionSummarySchema) })),
  'session.read': method(
    z.object({ workspace: z.string(), sessionId, fromSeq: z.number().int().default(0), limit: z.number().int().max(5000).default(1000) }),
    z.object({ events: z.array(SessionEventSchema) }),
  ),
  /** Posts with this session's parts follow the answer, starting at `rev` + 1. */
  'session.subscribe': method(
    z.object({
      sessionId,
      /** False: durable events only. */ deltas: z.boolean().default(true),
      /** So many of the newest items, and those of the turn that runs; `earlier` counts the others. Absent: all. */
      newest: z.number().int().min(1).optional(),
    }),
    z.object({ snapshot: SessionSnapshotSchema, rev: z.number().int() }),
  ),
  /** What a snapshot's `earlier` counts, as it is now: the last ones of the first `before` items. Only the running turn removes items, so the count stays true. */
  'session.items': method(
    z.object({ sessionId, before: z.number().int().min(1), limit: z.number().int().min(1).max(5000) }),
    z.object({ items: z.array(TranscriptItemSchema) }),
  ),
  'session.unsubscribe': method(z.object({ sessionId }), nothing),
  /** `list` messages follow for every session of every open workspace. */
  'session.subscribeList': method(nothing, z.object({ sessions: z.array(SessionSummarySchema) })),
  'session.update': method(SessionSettingsSchema.extend({ sessionId }), nothing),
  'session.delete': method(z.object({ workspace: z.string(), sessionId }), nothing),
  'session.fork': method(z.object({ workspace: z.string(), sessionId, atSeq: z.number().int().optional() }), z.object({ sessionId })),
  'session.search': method(
    z.object({ workspace: z.string().optional(), query: z.string(), limit: z.number().int().max(200).default(50) }),
    z.object({ hits: z.array(z.object({ sessionId, seq: z.number().int(), title: z.string(), snippet: z.string(), ts: z.string() })) }),
  ),
  /** Writes `session_end` with totals. */
  'session.close': method(z.object({ sessionId }), nothing),
}
