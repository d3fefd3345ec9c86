/** How the pipeline fares, for the Pipeline page, `metona doctor --perf` and the bench. */
import * as z from 'zod'
import { PipelineHealthSchema } from '../health/pipeline-health.ts'

export const healthCommands = {
  /** Starts nothing: threads that nobody needed yet are not in it. */
  'health.pipeline': { input: z.object({}), output: PipelineHealthSchema, deadlineMs: 10_000 },
} as const
