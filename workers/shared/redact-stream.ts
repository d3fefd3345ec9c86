import type { Redactor } from './redact.ts'
import { vendorKeyStarts } from './vendor-keys.ts'

/** Longest text held back while it might still turn out to be a vendor's key. */
const LONGEST_KEY = 4096
const KEY_CHARACTERS = /[A-Za-z0-9_.-]*$/

export interface RedactStream {
  /** The part of what came so far that is safe to pass on. */
  push(chunk: string): string
  /** The rest, at the end of the stream. */
  flush(): string
}

/** Redacts text that comes in pieces: whatever could be the beginning of a secret waits for the next piece. */
export function redactStream(redactor: Redactor): RedactStream {
  let held = ''
  return {
    push: (chunk) => {
      // Whole values go first, so that one that ends like it begins is not cut in two.
      const text = redactor.known(held + chunk)
      const keep = Math.max(formStart(text, redactor.forms), keyStart(text))
      held = text.slice(text.length - keep)
      return redactor.vendor(text.slice(0, text.length - keep))
    },
    flush: () => {
      const rest = redactor.text(held)
      held = ''
      return rest
    },
  }
}

/** Length of the longest end of `text` that begins one of the forms. */
function formStart(text: string, forms: readonly string[]): number {
  let longest = 0
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(form.slice(0, length))) {
        longest = length
        break
      }
    }
  }
  return longest
}

/** Length of the end of `text` that may be a vendor's key still being written. */
function keyStart(text: string): number {
  const block = text.lastIndexOf('-----BEGIN ')
  if (block >= 0 && text.length - block < 8000 && !text.includes('-----END ', block)) return text.length - block
  const tail = KEY_CHARACTERS.exec(text.slice(-LONGEST_KEY))?.[0] ?? ''
  for (const start of vendorKeyStarts) {
    const at = tail.indexOf(start)
    if (at >= 0) return tail.length - at
  }
  for (let length = Math.min(11, text.length); length > 0; length--) {
    const end = text.slice(-length)
    if (vendorKeyStarts.some((start) => start.startsWith(end))) return length
  }
  return 0
}
