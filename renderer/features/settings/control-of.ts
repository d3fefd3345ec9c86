/** Which control fits a value, read from its JSON schema. */
import * as z from 'zod'

export type Control =
  | { readonly kind: 'switch' }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | {
      readonly kind: 'number'
      readonly nullable: boolean
      readonly integer: boolean
      readonly minimum: number | undefined
      readonly maximum: number | undefined
    }
  | { readonly kind: 'text'; readonly nullable: boolean }
  /** A list or a table, written as JSON. */
  | { readonly kind: 'json' }

const SchemaShape = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.record(z.string(), z.unknown())).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})

/** Without a schema the value itself decides. Nullable comes as `anyOf` with a `null` branch. */
export function controlOf(schema: Readonly<Record<string, unknown>> | undefined, value: unknown): Control {
  const parsed = SchemaShape.safeParse(schema ?? {})
  if (!parsed.success) return byValue(value)
  const branches = parsed.data.anyOf
  if (branches === undefined) return single(parsed.data, false) ?? byValue(value)
  const nullable = branches.some((branch) => branch['type'] === 'null')
  const [branch] = branches.filter((candidate) => candidate['type'] !== 'null')
  const inner = SchemaShape.safeParse(branch ?? {})
  return (inner.success ? single(inner.data, nullable) : undefined) ?? byValue(value)
}

function single(schema: z.infer<typeof SchemaShape>, nullable: boolean): Control | undefined {
  const values = schema.enum?.filter((entry) => typeof entry === 'string')
  if (values !== undefined && values.length > 0) return { kind: 'choice', values }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (types.includes('array') || types.includes('object')) return { kind: 'json' }
  const mayBeNull = nullable || types.includes('null')
  if (types.includes('boolean')) return { kind: 'switch' }
  if (types.includes('integer') || types.includes('number'))
    return { kind: 'number', nullable: mayBeNull, integer: types.includes('integer'), minimum: schema.minimum, maximum: schema.maximum }
  return types.includes('string') ? { kind: 'text', nullable: mayBeNull } : undefined
}

function byValue(value: unknown): Control {
  if (typeof value === 'boolean') return { kind: 'switch' }
  if (typeof value === 'number') return { kind: 'number', nullable: false, integer: false, minimum: undefined, maximum: undefined }
  return { kind: 'text', nullable: value === null }
}
