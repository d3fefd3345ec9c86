/** The whole pipeline's health: what the Pipeline page and `metona doctor --perf` show. */
import * as z from 'zod'
import { LoopDelaySchema, ThreadHealthSchema } from './thread-health.ts'

/** Where the time of a session's turns went so far, milliseconds. Commits overlap with the other parts. */
export const SessionTimesSchema = z.object({
  sessionId: z.string(),
  iterations: z.number(),
  contextMs: z.number(),
  /** Waiting for the provider's queue. */
  queueMs: z.number(),
  /** From the request to the first token, and from there to the last. */
  firstTokenMs: z.number(),
  streamMs: z.number(),
  approvalMs: z.number(),
  toolMs: z.number(),
  commitMs: z.number(),
})
export type SessionTimes = z.infer<typeof SessionTimesSchema>

/** As the host tells it. */
export const HostHealthSchema = z.object({
  workers: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      threadId: z.number().optional(),
      restarts: z.number(),
      startedInMs: z.number().optional(),
      utilization: z.number().optional(),
    }),
  ),
  clients: z.number(),
  commandHost: z.boolean(),
  loopDelay: LoopDelaySchema,
})
export type HostHealth = z.infer<typeof HostHealthSchema>

export const PipelineHealthSchema = z.object({
  /** Absent where the shell does not say. */
  host: HostHealthSchema.optional(),
  threads: z.array(ThreadHealthSchema),
  /** Started, but gave no answer in time: standing still, or busy with one long piece of work. */
  silent: z.array(z.string()),
  sessions: z.array(SessionTimesSchema),
})
export type PipelineHealth = z.infer<typeof PipelineHealthSchema>
