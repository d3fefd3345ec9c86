/** The schema of an error that crosses a boundary. Apart from `app-error.ts`, which start-up loads and which needs no zod. */
import * as z from 'zod'

export const AppErrorDataSchema = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().optional(),
  params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  details: z.unknown().optional(),
})
