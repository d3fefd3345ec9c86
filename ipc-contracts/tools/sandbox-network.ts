/** The person's setting of what sandboxed commands may reach, `security.sandboxNetwork`. */
import * as z from 'zod'
import { ALLOWED_DOMAIN } from './allowed-domains.ts'

/** `folder` is a real path; without it the domain holds everywhere. */
const AllowedDomainSchema = z.strictObject({ domain: z.string().regex(ALLOWED_DOMAIN), folder: z.string().min(1).optional() })
export const SandboxNetworkSchema = z.array(AllowedDomainSchema).max(200)
/** One of them put in or taken out; the others stay as they are by then, whoever changed them. */
export const SetDomainSchema = AllowedDomainSchema.extend({ allowed: z.boolean() })
export type SetDomain = z.infer<typeof SetDomainSchema>
export type SandboxNetwork = z.infer<typeof SandboxNetworkSchema>
