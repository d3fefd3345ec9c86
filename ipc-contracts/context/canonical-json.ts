/** One byte form per value: object keys sorted, `undefined` left out, no spaces. What `messagesHash` is taken over. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortKeys) ?? 'null'
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const record = value as Record<string, unknown>
  const sorted: [string, unknown][] = []
  for (const key of Object.keys(record).sort()) sorted.push([key, record[key]])
  return Object.fromEntries(sorted)
}
