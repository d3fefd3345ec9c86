/** What a configuration key is. */
import * as z from 'zod'

export const ConfigCategorySchema = z.enum(['llm', 'agent', 'tools', 'security', 'logging', 'mcp', 'ui'])

export interface ConfigKey {
  readonly schema: z.ZodType
  readonly category: z.infer<typeof ConfigCategorySchema>
  readonly scope: 'profile' | 'both'
  readonly defaultValue: unknown
  readonly description: { readonly en: string; readonly zh: string }
}

/** @param en,zh what it is for, in each language */
export const key = (
  schema: z.ZodType,
  category: ConfigKey['category'],
  scope: ConfigKey['scope'],
  defaultValue: unknown,
  en: string,
  zh: string,
): ConfigKey => ({ schema, category, scope, defaultValue, description: { en, zh } })
