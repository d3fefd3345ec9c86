/** `models.json` in the profile folder: the person's own corrections to the model table. */
import * as z from 'zod'
import { MetonaPricingSchema } from '../metona/metona-adapter.ts'

export const ModelOverrideSchema = z.strictObject({
  displayName: z.string().min(1).optional(),
  /** Tokens. */
  contextWindow: z.number().int().positive().optional(),
  /** Tokens. */
  maxOutput: z.number().int().positive().optional(),
  supportsStreaming: z.boolean().optional(),
  supportsThinking: z.boolean().optional(),
  supportsImages: z.boolean().optional(),
  supportsToolCalling: z.boolean().optional(),
  supportsStructuredOutput: z.boolean().optional(),
  /** `null` says that the price is not known, whatever the built-in table has. */
  pricing: z.strictObject(MetonaPricingSchema.shape).nullable().optional(),
})
export type ModelOverride = z.infer<typeof ModelOverrideSchema>

/** The entries of `models` are checked one by one, so that one mistake does not cost the others. */
export const ModelOverridesFileSchema = z.strictObject({
  /** Provider → which of its price lists to use. */
  currency: z.record(z.string(), z.string().regex(/^[A-Z]{3}$/, 'must be a three-letter currency code such as "USD"')).optional(),
  /** `provider/model` → what replaces the built-in value. */
  models: z.record(z.string(), z.unknown()).optional(),
})
