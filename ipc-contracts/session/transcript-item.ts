/** One thing in a conversation as it is shown. */
import * as z from 'zod'
import { MetonaImageSchema } from '../metona/metona-request.ts'
import { MetonaErrorSchema, MetonaUsageSchema } from '../metona/metona-response.ts'
import { MetonaThinkingSchema } from '../metona/metona-thinking.ts'
import { CostSchema } from './cost.ts'
import { EndReasonSchema } from './session-enums.ts'

export const ToolItemStatusSchema = z.enum(['proposed', 'awaiting_approval', 'running', 'done', 'failed', 'denied', 'aborted', 'unknown'])

export const TranscriptItemSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('user'),
    id: z.string(),
    turn: z.number(),
    seq: z.number(),
    at: z.string(),
    content: z.string(),
    images: z.array(MetonaImageSchema).optional(),
    steering: z.boolean().optional(),
    /** A rewind left it behind: no longer sent. */ superseded: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('assistant'),
    /** The messageId. */
    id: z.string(),
    turn: z.number(),
    iteration: z.number(),
    /** Absent while it streams. */
    seq: z.number().optional(),
    at: z.string(),
    text: z.string(),
    thinking: MetonaThinkingSchema.optional(),
    status: z.enum(['streaming', 'done', 'interrupted', 'failed']),
    model: z.string().optional(),
    usage: MetonaUsageSchema.optional(),
    cost: CostSchema.optional(),
    error: MetonaErrorSchema.optional(),
    superseded: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('tool'),
    /** The toolCallId. */
    id: z.string(),
    turn: z.number(),
    iteration: z.number(),
    name: z.string(),
    args: z.record(z.string(), z.unknown()),
    /** Raw argument text while the model still writes it. */
    argumentsText: z.string().optional(),
    status: ToolItemStatusSchema,
    startedAt: z.string().optional(),
    durationMs: z.number().optional(),
    /** The last 64 KiB of live output; replaced by the result. */
    liveOutput: z.string().optional(),
    progress: z.object({ done: z.number(), total: z.number().optional(), unit: z.string() }).optional(),
    summary: z.string().optional(),
    result: z.unknown().optional(),
    error: z.string().optional(),
    display: z.record(z.string(), z.unknown()).optional(),
    decision: z
      .object({
        decision: z.enum(['allow', 'deny']),
        by: z.string(),
        reason: z.string(),
        reasonParams: z.record(z.string(), z.string()).optional(),
        at: z.string(),
      })
      .optional(),
    superseded: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('notice'),
    id: z.string(),
    seq: z.number(),
    at: z.string(),
    superseded: z.boolean().optional(),
    level: z.enum(['info', 'error']),
    code: z.string(),
    message: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
  z.object({
    kind: z.literal('turn_end'),
    id: z.string(),
    turn: z.number(),
    seq: z.number(),
    at: z.string(),
    reason: EndReasonSchema,
    iterations: z.number(),
    durationMs: z.number(),
    usage: MetonaUsageSchema.optional(),
    cost: CostSchema.optional(),
    error: MetonaErrorSchema.optional(),
    detail: z.string().optional(),
    superseded: z.boolean().optional(),
  }),
])
export type TranscriptItem = z.infer<typeof TranscriptItemSchema>
