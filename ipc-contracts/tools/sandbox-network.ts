/** The person's setting of what sandboxed commands may reach, `security.sandboxNetwork`. */
import * as z from 'zod'
import { ALLOWED_DOMAIN } from './allowed-domains.ts'

/** `folder` is a real path; without it the domain holds everywhere. */
export const SandboxNetworkSchema = z
  .array(z.strictObject({ domain: z.string().regex(ALLOWED_DOMAIN), folder: z.string().min(1).optional() }))
  .max(200)
export type SandboxNetwork = z.infer<typeof SandboxNetworkSchema>
