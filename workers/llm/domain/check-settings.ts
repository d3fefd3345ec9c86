/** What can be wrong with a key or a base URL before any request is made. */
import type { MetonaError } from '#contracts/metona/metona-response.ts'

export interface KeyRule {
  readonly provider: string
  readonly displayName: string
  readonly required: boolean
  readonly variable: string | undefined
}

/** @returns the error to report instead of sending, or undefined. The key itself is in no message. */
export function checkKey(apiKey: string | undefined, rule: KeyRule): MetonaError | undefined {
  const where = rule.variable === undefined ? '' : ` (${rule.variable})`
  const wrong = (providerCode: string, message: string): MetonaError => ({
    code: 'auth_invalid',
    message,
    provider: rule.provider,
    providerCode,
    retryable: false,
  })
  if (apiKey === undefined || apiKey === '')
    return rule.required ? wrong('NO_KEY', `no API key for ${rule.displayName}: set ${rule.variable ?? 'its key'}`) : undefined
  if (/[\r\n]/.test(apiKey))
    return wrong('KEY_MALFORMED', `the API key for ${rule.displayName}${where} contains a line break: paste it again without one`)
  if (/\s/.test(apiKey))
    return wrong('KEY_MALFORMED', `the API key for ${rule.displayName}${where} contains a space: paste it again without it`)
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    return wrong('KEY_MALFORMED', `the API key for ${rule.displayName}${where} contains a character no key has: paste it again`)
  return undefined
}

export interface BaseUrlRule {
  /** What the API's paths stand under, for example `/v1`; empty when they stand at the root. */
  readonly versionPath: string
  /** Adds `versionPath` only to a bare host: other servers may have their own root. */
  readonly keepOwnPath: boolean
}

/**
 * The API root without trailing slash. Takes it with or without trailing slash or version, and an endpoint
 * pasted whole. @returns undefined when it is no http(s) URL.
 */
export function apiRoot(
  baseUrl: string,
  rule: BaseUrlRule,
  parse: (text: string) => { protocol: string; pathname: string; search: string; origin: string } | undefined,
): { root: string; search: string } | undefined {
  const url = parse(baseUrl.trim())
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  let path = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/(?:chat\/completions|completions|responses|messages|models|api\/chat|api\/tags)$/, '')
  if (rule.versionPath !== '' && path.endsWith(rule.versionPath)) path = path.slice(0, -rule.versionPath.length)
  const ownPath = rule.keepOwnPath && path !== '' && url.pathname.replace(/\/+$/, '') !== `${path}${rule.versionPath}`
  return { root: `${url.origin}${path}${ownPath ? '' : rule.versionPath}`, search: url.search }
}
