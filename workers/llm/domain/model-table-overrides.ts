/** The person's own corrections to the model table: `models.json` in the profile folder. */
import { ModelOverrideSchema, ModelOverridesFileSchema, type ModelOverride } from '#contracts/llm/model-overrides.ts'

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

/**
 * Reads the file's text. Never throws: a bad entry is left out and named in `problems`, the good ones
 * hold; a file that is no JSON at all gives one problem and no overrides.
 */
export function parseModelOverrides(text: string): { overrides: ModelOverrides; problems: OverrideProblem[] } {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return {
      overrides: noOverrides,
      problems: [{ where: 'models.json', message: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` }],
    }
  }
  const file = ModelOverridesFileSchema.safeParse(value)
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

function describeIssues(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
  prefix: string,
): OverrideProblem[] {
  return issues.map((issue) => ({ where: `${prefix}${pathText(issue.path, prefix === '')}` || 'models.json', message: issue.message }))
}

function pathText(path: readonly PropertyKey[], first: boolean): string {
  return path
    .map((part, index) =>
      typeof part === 'number'
        ? `[${part}]`
        : first && index === 0
          ? String(part)
          : /^[A-Za-z_]\w*$/.test(String(part))
            ? `.${String(part)}`
            : `[${JSON.stringify(String(part))}]`,
    )
    .join('')
}
