/** Providers, their models, addresses and keys, and the person's own model figures. Part of `commands`. */
import * as z from 'zod'
import { ModelTokenStatsSchema } from '../context/token-stats.ts'
import { DiagnosisSchema, ProviderDescriptorSchema } from '../llm/provider-descriptor.ts'
import { ModelOverrideSchema } from '../llm/model-overrides.ts'
import { MetonaModelInfoSchema } from '../metona/metona-adapter.ts'

const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const providerCommands = {
  'models.list': method(
    z.object({ provider: z.string().optional(), live: z.boolean().default(true) }),
    z.object({ models: z.array(MetonaModelInfoSchema), problems: z.array(DiagnosisSchema) }),
    60_000,
  ),
  /** How well each model's prompts were estimated, from all runs of this profile. */
  'models.tokenStats': method(nothing, z.object({ models: z.array(ModelTokenStatsSchema) })),
  'providers.list': method(nothing, z.object({ providers: z.array(ProviderDescriptorSchema) })),
  'providers.diagnose': method(
    z.object({ provider: z.string(), baseUrl: z.string().optional(), apiKey: z.string().optional(), model: z.string().optional() }),
    DiagnosisSchema,
    60_000,
  ),
  /** Kept by the shell's secret store, or for this run only where there is none; the answer says which. */
  'providers.setKey': method(
    z.object({ provider: z.string(), apiKey: z.string().nullable(), baseUrl: z.string().optional() }),
    z.object({ stored: z.enum(['secret_store', 'this_run']) }),
  ),
  /** Kept in the profile; null goes back to the provider's own. Errors: `BAD_BASE_URL`, `SECRET_IN_CONFIG`. */
  'providers.setBaseUrl': method(z.object({ provider: z.string(), baseUrl: z.string().nullable() }), nothing),
  /** What the person's `models.json` says, by `provider/model`. */
  'models.overrides': method(nothing, z.object({ overrides: z.record(z.string(), ModelOverrideSchema) })),
  /** Replaces the entry of one model; null takes it out. Error `MODELS_FILE_DAMAGED`: the file is no JSON; it was left as it is. */
  'models.setOverride': method(z.object({ model: z.string().regex(/^[^/\s]+\/\S+$/), override: ModelOverrideSchema.nullable() }), nothing),
}
