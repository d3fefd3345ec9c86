/** Usage and cost over all open workspaces, or one. Part of `commands`. */
import * as z from 'zod'
import { UsageEntrySchema, UsageQuerySchema } from '../storage/usage.ts'

export const usageCommands = {
  /** Newest day first. Sessions that were deleted are not in it. */
  'usage.read': {
    input: UsageQuerySchema.extend({ workspace: z.string().optional() }),
    output: z.object({ entries: z.array(UsageEntrySchema) }),
    deadlineMs: 60_000,
  },
}
