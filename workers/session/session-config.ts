/** Settings of a turn and the choice of a model, from configuration values. */
import * as z from 'zod'
import { PermissionModeSchema, type PermissionMode } from '#contracts/session/session-enums.ts'
import { PermissionRuleSchema } from '#contracts/tools/permission-rule.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { SpendingLimits } from './domain/spending-limits.ts'
import type { Services } from './services.ts'
import { storedBaseUrl } from './stored-base-url.ts'
import { splitModel, type TurnConfig } from './turn-runner.ts'

/** By configuration key. */
export type ConfigValues = Readonly<Record<string, unknown>>

export interface SessionConfig extends TurnConfig {
  /** For a session that has no time limit of its own; Infinity without one. */
  readonly turnTimeoutMs: number
  readonly permission: PermissionMode
  readonly sandbox: 'auto' | 'off'
}

export function turnConfig(values: ConfigValues): SessionConfig {
  const number = (key: string): number | undefined => {
    const value = values[key]
    return typeof value === 'number' ? value : undefined
  }
  return {
    maxIterations: number('agent.maxIterations') ?? 50,
    approvalTimeoutMs: (number('security.approvalTimeoutSeconds') ?? 600) * 1000,
    thinkingEnabled: values['llm.thinking'] !== false,
    maxTokens: number('llm.maxTokens'),
    temperature: number('llm.temperature'),
    contextBudget: number('agent.contextBudget'),
    turnTimeoutMs: (number('agent.turnTimeoutSeconds') ?? Infinity) * 1000,
    limits: limitsOf(number),
    approval: {
      rules: z.array(PermissionRuleSchema).catch([]).parse(values['security.rules']),
      harmlessRuns: values['security.harmlessCommands'] === 'allow',
    },
    traces: values['logging.traces'] !== false,
    permission: PermissionModeSchema.catch('ask').parse(values['security.permission']),
    sandbox: values['security.sandbox'] === 'off' ? 'off' : 'auto',
  }
}

function limitsOf(number: (key: string) => number | undefined): SpendingLimits {
  const [turnTokens, sessionTokens] = [number('limits.turnTokens'), number('limits.sessionTokens')]
  const [turnMoney, sessionMoney] = [number('limits.turnMoney'), number('limits.sessionMoney')]
  return {
    ...(turnTokens === undefined ? {} : { turnTokens }),
    ...(sessionTokens === undefined ? {} : { sessionTokens }),
    ...(turnMoney === undefined ? {} : { turnMoney }),
    ...(sessionMoney === undefined ? {} : { sessionMoney }),
  }
}

/** `llm.model`, else the first provider that has its key (or needs none) and a default model. @throws AppError NO_MODEL */
export async function chooseModel(services: Services, values: ConfigValues): Promise<string> {
  const configured = values['llm.model']
  if (typeof configured === 'string') return configured
  const { providers } = await services.llm.ask((llm) => llm.listProviders({}))
  const withKey = providers.find((provider) => provider.keyRequired && provider.hasKey && provider.defaultModel !== undefined)
  if (withKey === undefined)
    throw new AppError({ code: 'NO_MODEL', message: 'no model was named, none is configured, and no provider has a key' })
  return `${withKey.id}/${withKey.defaultModel}`
}

/** @throws AppError UNKNOWN_PROVIDER, MISSING_MODEL or MISSING_KEY, before anything is written or sent. */
export async function requireModel(services: Services, model: string, baseUrl: string | undefined): Promise<void> {
  const { provider: id, model: name } = splitModel(model)
  // Of this one alone: the code of all others is not loaded for it.
  const [provider] = (await services.llm.ask((llm) => llm.listProviders({ provider: id }))).providers
  if (provider === undefined) throw await unknownProvider(services, id)
  if (name === '')
    throw new AppError({
      code: 'MISSING_MODEL',
      message: `a model is written provider/model; ${model} names no model`,
      params: { provider: id },
    })
  if (provider.keyRequired && !provider.hasKey && !isLoopback(baseUrl ?? (await storedBaseUrl(services, id))))
    throw new AppError({ code: 'MISSING_KEY', message: `no key for ${id}`, params: { provider: id, variable: provider.keyVariable ?? '' } })
}

async function unknownProvider(services: Services, id: string): Promise<AppError> {
  const { providers } = await services.llm.ask((llm) => llm.listProviders({}))
  const known = providers.map((entry) => entry.id).join(', ')
  return new AppError({ code: 'UNKNOWN_PROVIDER', message: `there is no provider ${id}`, params: { provider: id, known } })
}

/** A server on this machine may well need no key; it says so itself when it does. */
function isLoopback(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return false
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(baseUrl).hostname)
}
