/** What holds commands back on this machine, as it was tried, and what is said of it. */
import * as z from 'zod'

/** Why there is none. */
export const SandboxReasonSchema = z.enum([
  /** `bwrap` is not installed. */
  'no_program',
  /** It is there and too old to forbid further user namespaces. */
  'too_old',
  /** The system forbids user namespaces to this user. */
  'namespaces_forbidden',
  /** It works only in part, as inside a container. */
  'mounts_forbidden',
  'failed',
  /** No sandbox is known for this system. */
  'platform',
])
export type SandboxReason = z.infer<typeof SandboxReasonSchema>

export const SandboxStateSchema = z.object({
  kind: z.enum(['bwrap', 'seatbelt', 'none']),
  reason: SandboxReasonSchema.optional(),
  /** What the program said. */
  detail: z.string().optional(),
})
export type SandboxState = z.infer<typeof SandboxStateSchema>
