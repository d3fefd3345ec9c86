/** JSON text that is the same for equal values: object keys sorted, no spaces. For hashing. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value as Record<string, unknown>).filter(([, field]) => field !== undefined)
    fields.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(',')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
