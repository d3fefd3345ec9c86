/** Our ids of tool calls: unique over a session, whatever the provider calls them. */

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz'

/** `tc_` and 16 of [0-9a-z]. */
export function newToolCallId(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16))
  return `tc_${[...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')}`
}
