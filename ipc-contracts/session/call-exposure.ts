/** What a call put before the model's eyes that matters for where later calls may reach. */
import * as z from 'zod'

export const CallExposureSchema = z.object({
  /** A path that may hold secrets. */
  secret: z.string().optional(),
  /** Text of strangers: pages, other people's programs. */
  outside: z.boolean().optional(),
})
export type CallExposure = z.infer<typeof CallExposureSchema>
