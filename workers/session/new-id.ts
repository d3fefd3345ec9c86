/** Ids: a prefix and 16 of [0-9a-z], 80 bits from the system's generator. */
import { randomBytes } from 'node:crypto'

export function newId(prefix: 's' | 'r' | 'm' | 'e' | 'tc' | 'mcp'): string {
  let number = 0n
  for (const byte of randomBytes(10)) number = (number << 8n) | BigInt(byte)
  return `${prefix}_${number.toString(36).padStart(16, '0')}`
}
