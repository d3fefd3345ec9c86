/** Client calls about permanent permissions: what the person allowed for good, to be shown and taken back. */
import * as z from 'zod'

/** One "always allow". It lives in the profile and covers a call only when workspace, tool and prefix are exactly these. */
export const GrantSchema = z.object({
  id: z.number().int(),
  /** Real path; another folder put in its place has no grants. */
  workspace: z.string(),
  tool: z.string(),
  /** As it was shown when it was given; for `run_command` the whole command. */
  prefix: z.string(),
  /** `auto`: given for a call held by the sandbox, and does not hold without it. */
  sandbox: z.enum(['auto', 'off']),
  /** ISO 8601. */
  grantedAt: z.string(),
  /** From then on it is asked again. ISO 8601. */
  expiresAt: z.string(),
})
export type Grant = z.infer<typeof GrantSchema>

export const grantCommands = {
  /** Newest first; of one workspace, or of all. */
  'grants.list': {
    input: z.object({ workspace: z.string().optional() }),
    output: z.object({ grants: z.array(GrantSchema) }),
    deadlineMs: 30_000,
  },
  /** Holds at once, in turns that run as well. */
  'grants.remove': {
    input: z.object({ id: z.number().int() }),
    output: z.object({ removed: z.boolean() }),
    deadlineMs: 30_000,
  },
}
