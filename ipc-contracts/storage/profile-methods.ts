/** What the storage worker does with the profile: settings, trust, grants, where providers are and where their keys were put. */
import * as z from 'zod'
import { GrantSchema } from '../session/grant-commands.ts'
import { SetDomainSchema } from '../tools/sandbox-network.ts'
import { ConfigEntrySchema } from '../workspace/config-keys.ts'

export const TrustEntrySchema = z.object({ path: z.string(), trustedAt: z.string() })
export type TrustEntry = z.infer<typeof TrustEntrySchema>

export const ProviderSettingsSchema = z.object({ provider: z.string(), baseUrl: z.string() })

export const KeyPlaceSchema = z.enum(['secret_store', 'this_run'])
export type KeyPlace = z.infer<typeof KeyPlaceSchema>

const GrantKeySchema = GrantSchema.pick({ workspace: true, tool: true, prefix: true, sandbox: true })
export type GrantKey = z.infer<typeof GrantKeySchema>

const workspace = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 60_000) => ({ input, output, deadlineMs })

export const profileMethods = {
  /** Effective values: workspace over profile over default; `profile` scope and tightening rules applied. */
  configList: method(z.object({ workspace: workspace.optional() }), z.object({ entries: z.array(ConfigEntrySchema) })),
  /** The same values alone: what a turn needs, without what describes them to a person. `profileVersion` is another one after another process wrote to the profile. */
  configValues: method(
    z.object({ workspace: workspace.optional() }),
    z.object({ values: z.record(z.string(), z.unknown()), profileVersion: z.number().int() }),
  ),
  configSet: method(z.object({ workspace: workspace.optional(), key: z.string(), value: z.unknown() }), ConfigEntrySchema),
  /** As `config.setDomain` in commands. */
  configSetDomain: method(SetDomainSchema, z.object({ changed: z.boolean(), entry: ConfigEntrySchema })),
  trustAdd: method(z.object({ path: z.string() }), TrustEntrySchema),
  trustRemove: method(z.object({ path: z.string() }), z.object({ removed: z.boolean() })),
  trustList: method(nothing, z.object({ entries: z.array(TrustEntrySchema) })),
  /** Permanent permissions, in the profile only. The same one given again holds from then on. */
  grantAdd: method(GrantKeySchema, GrantSchema),
  /** Whether one covers exactly this, given in this very folder. */
  grantCovers: method(GrantKeySchema, z.object({ covered: z.boolean() })),
  grantList: method(z.object({ workspace: workspace.optional() }), z.object({ grants: z.array(GrantSchema) })),
  grantRemove: method(z.object({ id: z.number().int() }), z.object({ removed: z.boolean() })),
  recentWorkspaces: method(
    nothing,
    z.object({ workspaces: z.array(z.object({ path: z.string(), openedAt: z.string(), trusted: z.boolean() })) }),
  ),

  /** Base URLs are authority and live in the profile only. `baseUrl: null` removes the entry. */
  providerSettingsList: method(nothing, z.object({ providers: z.array(ProviderSettingsSchema) })),
  providerSettingsSet: method(z.object({ provider: z.string(), baseUrl: z.string().nullable() }), nothing),
  /** Where the key of a provider was put, so that one that is gone after a restart is missed. Never the key. */
  keyPlaces: method(nothing, z.object({ places: z.record(z.string(), KeyPlaceSchema) })),
  keyPlaceSet: method(z.object({ provider: z.string(), place: KeyPlaceSchema.nullable() }), nothing),
}
