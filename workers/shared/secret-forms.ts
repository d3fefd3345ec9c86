/** A value that must not be written anywhere. `name` is shown in its place, for example the environment variable's. */
export interface Secret {
  readonly name: string
  readonly value: string
}

/** Shorter values would blank out ordinary words. */
const SHORTEST = 8

/** The ways in which a value turns up in text: as it is, JSON-escaped (once and twice), URL-encoded, and inside base64. */
export function secretForms(value: string): string[] {
  const forms = new Set<string>()
  for (const raw of new Set([value, value.trim()])) {
    if (raw.length < SHORTEST) continue
    const escaped = JSON.stringify(raw).slice(1, -1)
    forms.add(raw)
    forms.add(escaped)
    forms.add(JSON.stringify(escaped).slice(1, -1))
    const wellFormed = raw.toWellFormed()
    const encoded = encodeURIComponent(wellFormed)
    forms.add(encoded)
    forms.add(encoded.replaceAll('%20', '+'))
    forms.add(encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))
    forms.add(encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`))
    for (const form of base64Forms(wellFormed)) forms.add(form)
  }
  return [...forms].filter((form) => form.length >= SHORTEST)
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Base64 of the value as part of a longer text, for each of the three places it may begin at within a group of
 * three bytes. Characters that also depend on the neighbours are left out. Both alphabets.
 */
function base64Forms(value: string): string[] {
  const bytes = utf8(value)
  const forms: string[] = []
  for (const shift of [0, 1, 2]) {
    const bits = shift * 8
    const first = Math.ceil(bits / 6)
    const last = Math.floor((bits + bytes.length * 8) / 6)
    let text = ''
    for (let position = first; position < last; position++) {
      let group = 0
      for (let bit = 0; bit < 6; bit++) {
        const at = position * 6 + bit - bits
        group = (group << 1) | (((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1)
      }
      text += ALPHABET[group] ?? ''
    }
    forms.push(text, urlAlphabet(text))
    if (shift === 0) {
      // Alone, the last character is known as well, and the filling behind it.
      const rest = bytes.length % 3
      const end = rest === 0 ? '' : (ALPHABET[rest === 1 ? ((bytes.at(-1) ?? 0) & 3) << 4 : ((bytes.at(-1) ?? 0) & 15) << 2] ?? '')
      const filling = '='.repeat((3 - rest) % 3)
      forms.push(`${text}${end}`, `${text}${end}${filling}`, urlAlphabet(`${text}${end}`), urlAlphabet(`${text}${end}${filling}`))
    }
  }
  return forms
}

function urlAlphabet(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_')
}

function utf8(text: string): number[] {
  const bytes: number[] = []
  for (const part of encodeURIComponent(text).matchAll(/%([0-9A-F]{2})|(.)/g)) {
    bytes.push(part[1] === undefined ? (part[2] ?? '').charCodeAt(0) : Number.parseInt(part[1], 16))
  }
  return bytes
}
