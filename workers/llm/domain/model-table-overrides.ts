/** The person's own corrections to the model table: `models.json` in the profile folder. */
import * as z from 'zod'
import { MetonaPricingSchema } from '#contracts/metona/metona-adapter.ts'

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

export interface ModelOverrides {
  /** Provider → ISO 4217 code of the price list to use, where the provider has several. */
  readonly currency: Readonly<Record<string, string>>
  /** `provider/model` → what replaces the built-in value. */
  readonly models: Readonly<Record<string, ModelOverride>>
}

export const noOverrides: ModelOverrides = { currency: {}, models: {} }

/** `where` is a path inside the file, for example `models["openai/x"].contextWindow`. */
export interface OverrideProblem {
  readonly where: string
  readonly message: string
}

const FileSchema = z.strictObject({
  currency: z.record(z.string(), z.string().regex(/^[A-Z]{3}$/, 'must be a three-letter currency code such as "USD"')).optional(),
  models: z.record(z.string(), z.unknown()).optional(),
})

/**
 * Reads the file's text. Never throws: a bad entry is left out and named in `problems`, the good ones
 * hold; a file that is no JSON at all gives one problem and no overrides.
 */
export function parseModelOverrides(text: string): { overrides: ModelOverrides; problems: OverrideProblem[] } {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return { overrides: noOverrides, problems: [{ where: 'models.json', message: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` }] }
  }
  const file = FileSchema.safeParse(value)
  if (!file.success) return { overrides: noOverrides, problems: describeIssues(file.error.issues, '') }
  const problems: OverrideProblem[] = []
  const models: Record<string, ModelOverride> = {}
  for (const [name, entry] of Object.entries(file.data.models ?? {})) {
    const where = `models[${JSON.stringify(name)}]`
    if (!/^[^/\s]+\/\S+$/.test(name)) {
      problems.push({ where, message: 'must be named provider/model, for example "openai/gpt-6-sol"' })
      continue
    }
    const parsed = ModelOverrideSchema.safeParse(entry)
    if (parsed.success) models[name] = parsed.data
    else problems.push(...describeIssues(parsed.error.issues, where))
  }
  return { overrides: { currency: file.data.currency ?? {}, models }, problems }
}

function describeIssues(issues: readonly z.core.$ZodIssue[], prefix: string): OverrideProblem[] {
  return issues.map((issue) => ({ where: `${prefix}${pathText(issue.path, prefix === '')}` || 'models.json', message: issue.message }))
}

function pathText(path: readonly PropertyKey[], first: boolean): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : first && index === 0 ? String(part) : /^[A-Za-z_]\w*$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`)).join('')
}
