/** A provider's failure → one of the 17 codes. The body decides before the status: it knows more. */
import type { MetonaError, MetonaErrorCode } from '#contracts/metona/metona-response.ts'

export interface FailureReport {
  readonly provider: string
  readonly model: string
  /** Absent for an error inside a stream that began with 200. */
  readonly status?: number | undefined
  /** Lower-case names. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** The body or the `error` object as parsed, or its text. */
  readonly body: unknown
  /** From Retry-After, already read and capped. */
  readonly retryAfterMs?: number | undefined
}

/** What an error body says, whatever its dialect. */
export interface ErrorText {
  readonly message: string
  readonly type: string
  readonly code: string
  readonly detailCode: string
}

/** Finds message, type and code in `{error:{…}}`, `{error:"…"}`, `{message}`, `{detail}`, or plain text. */
export function readErrorText(body: unknown): ErrorText {
  if (typeof body === 'string') return { message: body.trim(), type: '', code: '', detailCode: '' }
  if (typeof body !== 'object' || body === null) return { message: '', type: '', code: '', detailCode: '' }
  const outer = body as Record<string, unknown>
  if (typeof outer['error'] === 'string')
    return { message: outer['error'], type: text(outer['type']), code: text(outer['code']), detailCode: '' }
  const inner = (typeof outer['error'] === 'object' && outer['error'] !== null ? outer['error'] : outer) as Record<string, unknown>
  const details = (typeof inner['details'] === 'object' && inner['details'] !== null ? inner['details'] : {}) as Record<string, unknown>
  const message = [inner['message'], outer['message'], outer['detail'], inner['error']].find(
    (value) => typeof value === 'string' && value !== '',
  )
  return { message: text(message), type: text(inner['type']), code: text(inner['code']), detailCode: text(details['error_code']) }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

interface Sign {
  readonly code: MetonaErrorCode
  readonly retryable: boolean
  /** Tested against type, code and detail code, each whole. */
  readonly names?: readonly string[]
  /** Tested against the message in lower case. */
  readonly says?: RegExp
}

/** First match wins. Quota stands before rate: both come as 429. */
const signs: readonly Sign[] = [
  {
    code: 'context_length_exceeded',
    retryable: false,
    names: ['context_length_exceeded', 'exceed_context_size_error', 'model_context_window_exceeded', 'request_too_large'],
    says: /maximum context length|context window|context length|context size|prompt is too long|prompt too long|exceeds the available context|input length exceeds|exceeded max context|exceed context limit/,
  },
  {
    code: 'quota_exceeded',
    retryable: false,
    names: [
      'insufficient_quota',
      'credit_balance_exhausted',
      'billing_hard_limit_reached',
      'billing_error',
      'enforced_spend_limit_reached',
      'insufficient_user_quota',
      'quota_exceeded',
    ],
    says: /insufficient balance|insufficient_quota|credit balance is too low|spend limit|usage limits|token plan|quota exceeded|exceeded your current quota|余额不足/,
  },
  { code: 'content_filtered', retryable: false, names: ['content_filter', 'content_policy_violation', 'bio_policy', 'refusal'] },
  {
    code: 'rate_limited',
    retryable: true,
    names: ['rate_limit_exceeded', 'rate_limit_error', 'rate_limit_check_failed'],
    says: /rate_limit_check_failed|rate limit reached/,
  },
  {
    code: 'model_overloaded',
    retryable: true,
    names: ['overloaded_error', 'server_overloaded', 'overloaded', 'slow_down', 'insufficient_system_resource'],
    says: /overloaded|server busy|maximum pending requests/,
  },
  {
    code: 'auth_invalid',
    retryable: false,
    names: ['invalid_api_key', 'authentication_error'],
    says: /authentication fails|incorrect api key|invalid x-api-key|^unauthorized/,
  },
  {
    code: 'model_not_found',
    retryable: false,
    names: ['model_not_found'],
    says: /model not exist|model .{0,200}not found|the model .{0,200}does not exist|no available channel for model|model .{0,200}is not available/,
  },
]

/** Never throws. The vendor's own sentence is kept: for a request we built wrong it is all there is. */
export function mapFailure(report: FailureReport): MetonaError {
  const said = readErrorText(report.body)
  const names = [said.code, said.type, said.detailCode].map((name) => name.toLowerCase())
  const message = said.message.toLowerCase()
  const sign = signs.find((candidate) => candidate.names?.some((name) => names.includes(name)) || candidate.says?.test(message))
  let { code, retryable } = sign ?? byStatus(report, message, names)
  if (code === 'auth_invalid' && /expired|revoked|过期/.test(message)) code = 'auth_expired'
  const override = report.headers?.['x-should-retry']
  if (override === 'true' || override === 'false') retryable = override === 'true'
  const providerCode = said.code || said.type || (report.status === undefined ? '' : String(report.status))
  return {
    code,
    message: shortened(said.message) || statusSentence(report.status),
    provider: report.provider,
    ...(providerCode === '' ? {} : { providerCode }),
    retryable,
    ...(retryable && report.retryAfterMs !== undefined ? { retryAfterMs: report.retryAfterMs } : {}),
  }
}

function byStatus(report: FailureReport, message: string, names: readonly string[]): { code: MetonaErrorCode; retryable: boolean } {
  const status = report.status
  // A gateway may pass the status of its back end as a code of digits.
  const named = status === undefined ? Number(names.find((name) => /^\d{3}$/.test(name))) : status
  switch (named) {
    case 401:
    case 403:
      return { code: 'auth_invalid', retryable: false }
    case 402:
      return { code: 'quota_exceeded', retryable: false }
    case 404: {
      const namesModel = names.includes('not_found_error')
        ? /model/.test(message)
        : report.model !== '' && message.includes(report.model.toLowerCase())
      return { code: namesModel ? 'model_not_found' : 'unknown', retryable: false }
    }
    case 408:
    case 504:
    case 522:
    case 524:
      return { code: 'network_timeout', retryable: true }
    case 409:
      return { code: 'unknown', retryable: true }
    case 413:
      return { code: 'context_length_exceeded', retryable: false }
    case 429:
      return { code: 'rate_limited', retryable: true }
    case 499:
      return { code: 'network_error', retryable: false }
    case 502:
    case 520:
      return { code: 'network_error', retryable: true }
    case 503:
    case 529:
      return { code: 'model_overloaded', retryable: true }
    default:
      if (names.includes('timeout_error')) return { code: 'network_timeout', retryable: true }
      return { code: 'unknown', retryable: named >= 500 || names.some((name) => name === 'api_error' || name === 'server_error') }
  }
}

const sentences: Readonly<Record<number, string>> = {
  400: 'the provider refused the request (400)',
  401: 'the provider refused the key (401)',
  402: 'the account has no balance left (402)',
  403: 'the provider does not allow this (403)',
  404: 'the provider has nothing at this address (404): check the base URL and the model',
  413: 'the request is too large (413), usually because of images',
  429: 'too many requests (429)',
  503: 'the provider is overloaded (503)',
}

function statusSentence(status: number | undefined): string {
  if (status === undefined) return 'the provider reported an error without a text'
  return sentences[status] ?? `the provider answered with status ${status}`
}

/** A body that is a web page is never shown as one. */
export function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body|<\?xml)/i.test(text)
}

/** At most 200 characters of a page, tags gone. */
export function htmlExcerpt(text: string): string {
  const plain = text
    .replace(/<(script|style)[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return [...plain].slice(0, 200).join('')
}

function shortened(message: string): string {
  const plain = looksLikeHtml(message) ? htmlExcerpt(message) : message
  const points = [...plain]
  return points.length > 2_000 ? `${points.slice(0, 2_000).join('')}…` : plain
}
