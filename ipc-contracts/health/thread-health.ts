/** What a thread says of itself: how busy, how late, how large, and for whom. */
import * as z from 'zod'

/** Milliseconds beyond the sampling interval. */
export const LoopDelaySchema = z.object({ meanMs: z.number(), p99Ms: z.number(), maxMs: z.number() })
export type LoopDelay = z.infer<typeof LoopDelaySchema>

/** Milliseconds; quantiles are exact to a fifth of an octave. */
export const SpreadSchema = z.object({ p50Ms: z.number(), p99Ms: z.number(), maxMs: z.number() })
export type Spread = z.infer<typeof SpreadSchema>

export const MethodHealthSchema = z.object({
  method: z.string(),
  count: z.number(),
  /** Between being sent and being taken up. */
  wait: SpreadSchema,
  /** From then to the answer. */
  took: SpreadSchema,
  totalMs: z.number(),
})
export type MethodHealth = z.infer<typeof MethodHealthSchema>

export const PortHealthSchema = z.object({ port: z.string(), messages: z.number(), /** Estimated. */ bytes: z.number() })

export const SessionShareSchema = z.object({
  sessionId: z.string(),
  calls: z.number(),
  waitMs: z.number(),
  tookMs: z.number(),
  bytes: z.number(),
})
export type SessionShare = z.infer<typeof SessionShareSchema>

export const ThreadHealthSchema = z.object({
  name: z.string(),
  threadId: z.number(),
  /** False: nothing but CPU and heap is known. */
  metered: z.boolean(),
  upMs: z.number(),
  cpuMs: z.number(),
  heapBytes: z.number(),
  externalBytes: z.number(),
  /** Of the last seconds in which the thread worked; absent before the first sample. */
  loopDelay: LoopDelaySchema.optional(),
  /** Those that took most time first. */
  methods: z.array(MethodHealthSchema),
  ports: z.array(PortHealthSchema),
  sessions: z.array(SessionShareSchema),
})
export type ThreadHealth = z.infer<typeof ThreadHealthSchema>
