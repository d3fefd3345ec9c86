/** Whether a JSON schema may be sent with `strict: true`, which accepts only a subset and answers 400 for the rest. */

const KEYWORDS = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'description',
  'anyOf',
  'title',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'pattern',
])

export function fitsStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return false
  const node = schema as Record<string, unknown>
  if (Object.keys(node).some((keyword) => !KEYWORDS.has(keyword))) return false
  if (node['anyOf'] !== undefined && !(Array.isArray(node['anyOf']) && node['anyOf'].every(fitsStrict))) return false
  if (node['items'] !== undefined && !fitsStrict(node['items'])) return false
  if (node['type'] !== 'object' && node['properties'] === undefined)
    return node['type'] !== undefined || node['anyOf'] !== undefined || node['enum'] !== undefined || node['const'] !== undefined
  const properties = node['properties']
  if (node['additionalProperties'] !== false || typeof properties !== 'object' || properties === null) return false
  const required = Array.isArray(node['required']) ? node['required'] : []
  return Object.entries(properties).every(([name, property]) => required.includes(name) && fitsStrict(property))
}
