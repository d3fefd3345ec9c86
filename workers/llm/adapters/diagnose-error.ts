/** Why a provider cannot be used, as a code for the localised sentence and an English one. */
import type { Diagnosis } from '#contracts/llm/llm-service.ts'
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import type { ProviderInfo } from './provider-module.ts'

export interface DiagnosisFacts {
  readonly info: ProviderInfo
  readonly baseUrl: string
  readonly model?: string | undefined
  /** Ids of the live list; absent when it could not be had. */
  readonly models?: readonly string[] | undefined
  readonly error?: MetonaError | undefined
}

export function diagnoseError(facts: DiagnosisFacts): Diagnosis {
  const { info, error, model, models } = facts
  const say = (code: string, message: string, details?: string): Diagnosis => ({ provider: info.id, ok: code === 'ok', code, message, ...(details === undefined ? {} : { details }) })
  if (error === undefined) {
    if (model !== undefined && models !== undefined && models.length > 0 && !models.includes(model)) return say('model_missing', `${info.displayName} works, but has no model "${model}"`, models.slice(0, 50).join(', '))
    return say('ok', `${info.displayName} works`)
  }
  switch (error.providerCode) {
    case 'NO_KEY':
      return say('no_key', error.message)
    case 'ECONNREFUSED':
      return say('not_running', `nothing listens at ${facts.baseUrl}: is the server running?`, error.message)
    case 'HTML':
    case 'REDIRECT':
    case 'BASE_URL_INVALID':
      return say('wrong_base_url', `${facts.baseUrl} is not the address of an API`, error.message)
    case undefined:
    default:
      break
  }
  switch (error.code) {
    case 'auth_invalid':
    case 'auth_expired':
      return say('key_refused', `${info.displayName} does not accept the key`, error.message)
    case 'quota_exceeded':
      return say('no_balance', `the account at ${info.displayName} has no balance or quota left`, error.message)
    case 'rate_limited':
      return say('rate_limited', `${info.displayName} limits the requests for now; the key itself may be fine`, error.message)
    case 'model_overloaded':
      return say('overloaded', `${info.displayName} is overloaded for now`, error.message)
    case 'model_not_found':
      return say('model_missing', `${info.displayName} does not have this model`, error.message)
    case 'network_error':
    case 'network_timeout':
      return say('unreachable', `${info.displayName} cannot be reached at ${facts.baseUrl}`, error.message)
    default:
      return say(error.message.includes('(404)') ? 'wrong_base_url' : 'unknown', error.message)
  }
}
