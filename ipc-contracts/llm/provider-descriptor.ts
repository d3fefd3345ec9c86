/** What people see of a provider: its settings, and whether it works. */
import * as z from 'zod'

/** Settings a person gives a provider; the settings form and the docs are made from these. */
export const ProviderDescriptorSchema = z.object({
  id: z.string(),
  displayName: z.string(),
  /** Environment variable of the key; absent where none is needed. */
  keyVariable: z.string().optional(),
  keyRequired: z.boolean(),
  defaultBaseUrl: z.string(),
  baseUrlVariable: z.string().optional(),
  hasKey: z.boolean(),
  /** Where the key comes from; absent without one. */
  keyFrom: z.enum(['environment', 'secret_store', 'this_run']).optional(),
  /** The key was kept for an earlier run only and is gone. */
  keyLost: z.boolean().optional(),
  /** The address the person set, when it is in force; the environment's wins over it. */
  baseUrl: z.string().optional(),
  /** The address comes from the environment. */
  baseUrlFromEnvironment: z.string().optional(),
  /** The key that is set cannot be one (a space, a line break); a sentence for people. */
  keyProblem: z.string().optional(),
  defaultModel: z.string().optional(),
  concurrency: z.number().int(),
  /** Requests per minute; absent means no cap. */
  perMinute: z.number().int().optional(),
})
export type ProviderDescriptor = z.infer<typeof ProviderDescriptorSchema>

/** A human answer to "does this provider work?". `code` chooses the localised sentence. */
export const DiagnosisSchema = z.object({
  provider: z.string(),
  ok: z.boolean(),
  /** ok, no_key, key_malformed, key_refused, no_balance, not_running, model_missing, no_tools, wrong_base_url, rate_limited, overloaded, unreachable, unknown */
  code: z.string(),
  /** English: what happened, what it means, what to do. */
  message: z.string(),
  /** The same as `message`, in each language. */
  sentences: z.object({ en: z.string(), zh: z.string() }).optional(),
  /** The provider's own words, a list of models and the like. */
  details: z.string().optional(),
})
export type Diagnosis = z.infer<typeof DiagnosisSchema>
