/** The options that `run` and `batch` share, checked and turned into what a session is made with. */
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import { UsageError, type OptionTable, type ParsedArguments } from './arguments.ts'

export const SESSION_OPTIONS = {
  model: { kind: 'text', short: 'm' },
  'base-url': { kind: 'text' },
  permission: { kind: ['plan', 'ask', 'auto_edit', 'full_access'] },
  sandbox: { kind: ['auto', 'off'] },
  trust: { kind: 'flag' },
} as const satisfies OptionTable

/** `provider/model`, split at the first slash; the provider has no space, the model no line break. */
const MODEL = /^[^/\s]+\/\S.*$/

export function isModel(value: string): boolean {
  return MODEL.test(value)
}

/** @throws UsageError BAD_MODEL, BAD_BASE_URL, OUT_OF_RANGE */
export function sessionSettings({ values, numbers }: ParsedArguments): SessionSettings {
  const { model, sandbox, permission, 'base-url': baseUrl } = values
  const maxIterations = numbers['max-iterations']
  const timeoutSeconds = numbers['timeout']
  if (model !== undefined && !isModel(model)) throw new UsageError('BAD_MODEL', { value: model })
  if (baseUrl !== undefined && !isHttpUrl(baseUrl)) throw new UsageError('BAD_BASE_URL', { value: baseUrl })
  if (maxIterations !== undefined && (maxIterations < 1 || maxIterations > 1000))
    throw new UsageError('OUT_OF_RANGE', { option: '--max-iterations', least: '1', most: '1000' })
  return {
    ...(model === undefined ? {} : { model }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(permission === undefined ? {} : { permission: permission as PermissionMode }),
    ...(sandbox === undefined ? {} : { sandbox: sandbox as 'auto' | 'off' }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  }
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol)
}
