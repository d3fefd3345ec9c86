/** Of a longer list only that many elements are looked at, evenly spread; the rest is taken to be like them. */
const LOOK_AT = 32
const DEEPEST = 12

/**
 * About how many bytes a message takes on its way between threads. Exact sizes would mean writing it twice. Looks at
 * plain data only: a port in it counts nothing.
 */
export function estimateBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return isWide(value) ? 2 * value.length : value.length
  if (typeof value !== 'object' || value === null) return 8
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (depth > DEEPEST) return 8
  if (Array.isArray(value)) return bytesOfList(value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return 8
  let bytes = 8
  for (const key in value) bytes += key.length + estimateBytes((value as Record<string, unknown>)[key], depth + 1)
  return bytes
}

/** A text with a character beyond Latin-1 is written with two bytes for each unit of all of it. */
function isWide(text: string): boolean {
  const step = Math.max(1, Math.floor(text.length / LOOK_AT))
  for (let at = 0; at < text.length; at += step) if (text.charCodeAt(at) > 0xff) return true
  return false
}

function bytesOfList(list: readonly unknown[], depth: number): number {
  if (list.length <= LOOK_AT) return list.reduce<number>((sum, element) => sum + estimateBytes(element, depth + 1), 8)
  let bytes = 0
  for (let look = 0; look < LOOK_AT; look++) bytes += estimateBytes(list[Math.floor((look * list.length) / LOOK_AT)], depth + 1)
  return Math.round((bytes * list.length) / LOOK_AT)
}
