/** Text from models, tools and files, made harmless for a terminal: it must not move the cursor, set titles or reach the clipboard. */

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Characters that reorder what is shown. */
const BIDI = /[\u202a-\u202e\u2066-\u2069]/g

export function plainText(text: string): string {
  return text.replace(CONTROL, '').replace(BIDI, '')
}

/** The first line, at most `limit` characters (never half a surrogate pair). */
export function firstLine(text: string, limit: number): string {
  const line = plainText(text.trim().split('\n', 1)[0] ?? '')
  const characters = [...line]
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line
}
