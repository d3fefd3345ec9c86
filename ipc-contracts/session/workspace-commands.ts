/** Workspaces, trust in them, and the settings that hold in them. */
import * as z from 'zod'
import { TrustEntrySchema } from '../storage/profile-methods.ts'
import { SetDomainSchema } from '../tools/sandbox-network.ts'
import { ConfigEntrySchema } from '../workspace/config-keys.ts'

const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const workspaceCommands = {
  /**
   * Opens a workspace. Errors: `UNTRUSTED` (nothing of the folder was read; `details` may hold
   * `{ found, creates, special }`: names of files in it that would influence an agent, of what opening
   * it would make, and whether it is `/`, the home folder or a network folder), `NOT_A_FOLDER`,
   * `NEEDS_STORED_TRUST` (`/`, home, network folder), `WORKSPACE_IN_USE` (after `waitMs`, names the holder).
   * Reading mode takes no lock, needs no trust and runs nothing.
   */
  'workspace.open': method(
    z.object({
      path: z.string(),
      trust: z.enum(['stored', 'once']).default('stored'),
      mode: z.enum(['write', 'read']).default('write'),
      waitMs: z.number().default(10_000),
    }),
    z.object({ workspace: z.string(), created: z.array(z.string()), readOnly: z.boolean() }),
    60_000,
  ),
  /** Makes the demonstration's sample folder where it is missing (never over an existing file) and stores trust in it. */
  'workspace.sample': method(z.object({ language: z.enum(['zh', 'en']).default('en') }), z.object({ path: z.string() })),
  'workspace.close': method(z.object({ workspace: z.string() }), nothing),
  'workspace.recent': method(
    nothing,
    z.object({ workspaces: z.array(z.object({ path: z.string(), openedAt: z.string(), trusted: z.boolean() })) }),
  ),
  'trust.add': method(z.object({ path: z.string() }), TrustEntrySchema),
  'trust.remove': method(z.object({ path: z.string() }), z.object({ removed: z.boolean() })),
  'trust.list': method(nothing, z.object({ entries: z.array(TrustEntrySchema) })),

  'config.list': method(z.object({ workspace: z.string().optional() }), z.object({ entries: z.array(ConfigEntrySchema) })),
  'config.set': method(z.object({ workspace: z.string().optional(), key: z.string(), value: z.unknown() }), ConfigEntrySchema),
  /** Of `security.sandboxNetwork`. `changed` is false where it was so already. */
  'config.setDomain': method(SetDomainSchema, z.object({ changed: z.boolean(), entry: ConfigEntrySchema })),
}
