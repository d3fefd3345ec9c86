import type { Redactor } from './redact.ts'
import { vendorKeyStarts } from './vendor-keys.ts'

/** Longest text held back while it might still turn out to be a vendor's key. */
const LONGEST_KEY = 4096
const KEY_END = /-----END [A-Z0-9 ]*PRIVATE KEY-----/
const KEY_END_LAST = /-----END [A-Z0-9 ]*PRIVATE KEY-----$/
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
      const { text, settled } = replaceKnown(redactor, held + chunk)
      const keep = Math.max(text.length - settled, keyStart(text))
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

/** Replaces whole values from the left. What is behind `settled` may be the beginning of one that is still to come. */
function replaceKnown(redactor: Redactor, text: string): { text: string; settled: number } {
  const forms = formsOf(redactor)
  let done = ''
  for (let at = 0; ;) {
    const partial = text.length - formStart(text.slice(at), forms)
    const found = redactor.findKnown(text, at)
    // Of two that overlap the one that begins first counts; a whole one may also be the beginning of a longer one.
    if (found === undefined || found.start >= partial) {
      const settled = done.length + partial - at
      return { text: done + text.slice(at), settled }
    }
    done += text.slice(at, found.start) + found.mark
    at = found.end
  }
}

/** Length of the longest end of `text` that begins one of the forms and is not whole. */
function formStart(text: string, forms: FormsByFirst): number {
  for (let at = Math.max(0, text.length - forms.longest + 1); at < text.length; at++) {
    const candidates = forms.byFirst.get(text.charAt(at))
    if (candidates === undefined) continue
    const end = text.slice(at)
    if (candidates.some((form) => form.length > end.length && form.startsWith(end))) return end.length
  }
  return 0
}

interface FormsByFirst {
  readonly byFirst: ReadonlyMap<string, readonly string[]>
  readonly longest: number
}

const byRedactor = new WeakMap<Redactor, FormsByFirst>()

/** This runs for every piece of every stream: only forms that begin with the right character are looked at. */
function formsOf(redactor: Redactor): FormsByFirst {
  const known = byRedactor.get(redactor)
  if (known !== undefined) return known
  const forms = {
    byFirst: Map.groupBy(redactor.forms, (form) => form.charAt(0)),
    longest: Math.max(0, ...redactor.forms.map((form) => form.length)),
  }
  byRedactor.set(redactor, forms)
  return forms
}

/** Length of the end of `text` that may be a vendor's key still being written. */
function keyStart(text: string): number {
  if (KEY_END_LAST.test(text)) return 0
  const block = text.lastIndexOf('-----BEGIN ')
  if (block >= 0 && text.length - block < 8000 && !KEY_END.test(text.slice(block))) return text.length - block
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
