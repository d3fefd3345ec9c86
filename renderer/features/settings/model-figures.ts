/** A model's figures as a person types them, and back. An empty price is not known, which is not the same as free. */
import { ModelOverrideSchema, type ModelOverride } from '#contracts/llm/model-overrides.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'

export type FigureField =
  | 'contextWindow'
  | 'maxOutput'
  | 'currency'
  | 'inputPerMillion'
  | 'outputPerMillion'
  | 'cacheHitPerMillion'
  | 'cacheWritePerMillion'

const text = (value: number | undefined): string => (value === undefined ? '' : String(value))

export function fieldsOf({ contextWindow, maxOutput, pricing }: MetonaModelInfo): Record<FigureField, string> {
  return {
    contextWindow: text(contextWindow),
    maxOutput: text(maxOutput),
    currency: pricing?.currency ?? 'USD',
    inputPerMillion: text(pricing?.inputPerMillion),
    outputPerMillion: text(pricing?.outputPerMillion),
    cacheHitPerMillion: text(pricing?.cacheHitPerMillion),
    cacheWritePerMillion: text(pricing?.cacheWritePerMillion),
  }
}

/** Only what differs from the model as it is. @returns undefined for figures that cannot be. */
export function overrideOf(typed: Readonly<Record<FigureField, string>>, model: MetonaModelInfo): ModelOverride | undefined {
  const before = fieldsOf(model)
  const differs = (...fields: FigureField[]): boolean => fields.some((field) => typed[field].trim() !== before[field])
  const number = (field: FigureField): number => Number(typed[field].trim().replace(',', '.'))
  const given = (field: FigureField): boolean => typed[field].trim() !== ''
  const optional = (field: FigureField): Record<string, number> => (given(field) ? { [field]: number(field) } : {})
  const override: Record<string, unknown> = {}
  if (differs('contextWindow')) override['contextWindow'] = number('contextWindow')
  if (differs('maxOutput')) override['maxOutput'] = number('maxOutput')
  if (differs('currency', 'inputPerMillion', 'outputPerMillion', 'cacheHitPerMillion', 'cacheWritePerMillion')) {
    override['pricing'] =
      given('inputPerMillion') || given('outputPerMillion')
        ? {
            currency: typed.currency.trim().toUpperCase(),
            inputPerMillion: given('inputPerMillion') ? number('inputPerMillion') : Number.NaN,
            outputPerMillion: given('outputPerMillion') ? number('outputPerMillion') : Number.NaN,
            ...optional('cacheHitPerMillion'),
            ...optional('cacheWritePerMillion'),
          }
        : null
  }
  const parsed = ModelOverrideSchema.safeParse(override)
  const currency = parsed.data?.pricing?.currency
  return parsed.success && (currency === undefined || /^[A-Z]{3}$/.test(currency)) ? parsed.data : undefined
}
