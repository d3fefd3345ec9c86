/** A failure from anywhere → the text for stderr and the exit code. */
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { UsageError } from './arguments.ts'
import { errorEntry } from './error-table.ts'
import type { ExitCode } from './exit-code.ts'
import { fill } from './fill.ts'
import type { Language } from './language.ts'
import type { Messages } from './messages-en.ts'

export interface Explanation {
  readonly exit: ExitCode
  /** One to four lines, without a line break at the end. */
  readonly text: string
}

export interface Speech {
  readonly language: Language
  readonly text: Messages
}

/** @param known values the place of the failure knows and the error may not carry (the path, the provider). */
export function explainError(thrown: unknown, speech: Speech, known: Readonly<Record<string, unknown>> = {}): Explanation {
  if (thrown instanceof UsageError)
    return explain(thrown.code, { ...known, ...thrown.params, ...extras(thrown.params, speech.language) }, '', speech)
  const data = toErrorData(thrown)
  const params = { ...known, ...data.params }
  const code = data.code === 'UNTRUSTED' && data.params?.['kind'] !== undefined ? 'NEEDS_STORED_TRUST' : data.code
  return explain(code, { ...params, ...extras({ ...params, details: data.details }, speech.language) }, data.message, speech)
}

/** The error a turn ended with. Our own code, where there is one, says more than the standard's. */
export function explainTurnError(error: MetonaError, speech: Speech, known: Readonly<Record<string, unknown>> = {}): Explanation {
  const own =
    error.providerCode !== undefined && error.providerCode !== 'INTERNAL' && errorEntry(error.providerCode) !== errorEntry('INTERNAL')
  return explain(own ? (error.providerCode as string) : error.code, { provider: error.provider ?? '', ...known }, error.message, speech)
}

function explain(code: string, params: Readonly<Record<string, unknown>>, message: string, { language, text }: Speech): Explanation {
  const found = errorEntry(code)
  const lines = fill(found[language], params)
    .split('\n')
    .filter((line) => line.trim() !== '')
  if (found.detail && message !== '') lines.push(fill(text.detailLabel, { detail: oneLine(message) }))
  return { exit: found.exit, text: lines.map((line, index) => (index === 0 ? `metona: ${line}` : `  ${line}`)).join('\n') }
}

/** Parts of sentences that are there or not. */
function extras(params: Readonly<Record<string, unknown>>, language: Language): Record<string, string> {
  const found = (params['details'] as { found?: unknown } | undefined)?.found
  const names = Array.isArray(found) && found.length > 0 ? found.map(String).join(', ') : ''
  const holder = typeof params['pid'] === 'number' || typeof params['pid'] === 'string' ? String(params['pid']) : ''
  const similar = typeof params['known'] === 'string' ? params['known'] : ''
  return {
    found: names === '' ? '' : language === 'zh' ? `其中有：${names}。` : ` It holds ${names}.`,
    holder: holder === '' ? '' : language === 'zh' ? `（进程 ${holder}）` : ` (process ${holder})`,
    suggestion: similar === '' ? '' : language === 'zh' ? `是否想用 ${similar}？` : `Did you mean ${similar}? `,
  }
}

const DETAIL_LIMIT = 600

function oneLine(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim()
  return line.length > DETAIL_LIMIT ? `${line.slice(0, DETAIL_LIMIT)}…` : line
}
