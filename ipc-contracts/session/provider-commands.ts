/** Addresses of providers and the person's own model figures. Part of `commands`. */
import * as z from 'zod'
import { ModelOverrideSchema } from '../llm/model-overrides.ts'

export const providerCommands = {
  /** Kept in the profile; null goes back to the provider's own. Errors: `BAD_BASE_URL`, `SECRET_IN_CONFIG`. */
  'providers.setBaseUrl': {
    input: z.object({ provider: z.string(), baseUrl: z.string().nullable() }),
    output: z.object({}),
    deadlineMs: 30_000,
  },
  /** What the person's `models.json` says, by `provider/model`. */
  'models.overrides': {
    input: z.object({}),
    output: z.object({ overrides: z.record(z.string(), ModelOverrideSchema) }),
    deadlineMs: 30_000,
  },
  /** Replaces the entry of one model; null takes it out. Error `MODELS_FILE_DAMAGED`: the file is no JSON; it was left as it is. */
  'models.setOverride': {
    input: z.object({ model: z.string().regex(/^[^/\s]+\/\S+$/), override: ModelOverrideSchema.nullable() }),
    output: z.object({}),
    deadlineMs: 30_000,
  },
}
