/** The one redactor before every sink: logs, database, traces, exports, error texts. Pure: the secrets are arguments. */
import { secretForms, type Secret } from './secret-forms.ts'
import { vendorKeyPatterns } from './vendor-keys.ts'

export type { Secret } from './secret-forms.ts'

export interface Redactor {
  text(text: string): string
  /** A deep copy with every string redacted, keys too; the value itself when nothing had to be. */
  value<T>(value: T): T
  /** For the streaming redactor: the first known value from a place on, with what is written instead; */
  findKnown(text: string, from: number): { readonly start: number; readonly end: number; readonly mark: string } | undefined
  /** vendors' keys alone; */
  vendor(text: string): string
  /** and all forms that are looked for as they are. */
  readonly forms: readonly string[]
}

/** Leaves everything as it is: the control of the tests that look for secrets. */
export const noRedactor: Redactor = { text: same, value: same, findKnown: () => undefined, vendor: same, forms: [] }

function same<T>(value: T): T {
  return value
}

export function createRedactor(secrets: readonly Secret[]): Redactor {
  const names = new Map<string, string>()
  for (const secret of secrets) {
    for (const form of secretForms(secret.value)) if (!names.has(form)) names.set(form, secret.name)
  }
  // Longest first: a form may begin with another one.
  const forms = [...names.keys()].sort((left, right) => right.length - left.length)
  const formPattern = forms.length === 0 ? undefined : new RegExp(forms.map(escapePattern).join('|'), 'g')
  const keyPattern = new RegExp(vendorKeyPatterns.map((pattern) => `(${pattern.source})`).join('|'), 'g')

  const known = (input: string): string =>
    formPattern === undefined ? input : input.replace(formPattern, (found) => mark(names.get(found) ?? 'secret'))
  const vendor = (input: string): string =>
    input.replace(keyPattern, (...found: unknown[]) => {
      const index = found.slice(1, vendorKeyPatterns.length + 1).findIndex((group) => group !== undefined)
      return mark(vendorKeyPatterns[index]?.name ?? 'secret')
    })
  const findKnown: Redactor['findKnown'] = (input, from) => {
    if (formPattern === undefined) return undefined
    formPattern.lastIndex = from
    const found = formPattern.exec(input)
    return found === null
      ? undefined
      : { start: found.index, end: found.index + found[0].length, mark: mark(names.get(found[0]) ?? 'secret') }
  }
  const text = (input: string): string => vendor(known(input))
  return { text, value: (input) => redactValue(input, text), findKnown, vendor, forms }
}

const SECRET_NAME = /(?:(?:^|_)(?:(?:api|access|secret|private|auth)_?key|token|secret|passwd|passphrase)|password)$/i
const SECRET_PARAMETER =
  /^(?:.*[-_.])?(?:(?:api|access|secret|private|auth|subscription)[-_.]?key|key|token|secret|password|signature|sig|auth|code)$/i

/** A variable of this name is taken to hold a secret, whatever its value looks like. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name)
}

/** Environment variables that hold keys by their name, and what is secret in addresses (a proxy's password, a key in a base URL). */
export function secretsOfEnvironment(environment: Readonly<Record<string, string | undefined>>): Secret[] {
  const secrets: Secret[] = []
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined) continue
    if (SECRET_NAME.test(name)) secrets.push({ name, value })
    else secrets.push(...secretsOfUrl(name, value))
  }
  return secrets
}

/** The password of an address and those parameters that hold a key by their name; `name` is shown in their place. */
export function secretsOfUrl(name: string, text: string): Secret[] {
  if (!text.includes('://')) return []
  const values: string[] = []
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@:]*:([^/?#@]+)@/i.exec(text)?.[1]
  if (password !== undefined) values.push(password)
  for (const part of (/\?([^#]*)/.exec(text)?.[1] ?? '').split('&')) {
    const [parameter, value] = [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]
    if (part.includes('=') && value !== '' && SECRET_PARAMETER.test(parameter)) values.push(value)
  }
  return values.flatMap((value) => [...new Set([value, decoded(value)])].map((form) => ({ name, value: form })))
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // No percent-encoding after all: the text is what it is.
    return text
  }
}

/** How every mark that stands in place of a secret begins. */
export const REDACTED_MARK = '[redacted '

function mark(name: string): string {
  return `${REDACTED_MARK}${name}]`
}

function redactValue<T>(value: T, text: (input: string) => string): T {
  if (typeof value === 'string') return text(value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    let changed = false
    const copy = value.map((item: unknown) => {
      const clean = redactValue(item, text)
      if (clean !== item) changed = true
      return clean
    })
    return changed ? (copy as T) : value
  }
  let changed = false
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const cleanKey = text(key)
    const clean = redactValue(item, text)
    if (cleanKey !== key || clean !== item) changed = true
    return [cleanKey, clean]
  })
  return changed ? (Object.fromEntries(entries) as T) : value
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
