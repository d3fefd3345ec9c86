/** DeepSeek, on its Chat Completions endpoint. */
import type { Diagnosis } from '#contracts/llm/provider-descriptor.ts'
import { sayDiagnosis } from '../diagnose.ts'
import { OpenAiChatAdapter } from './openai-chat.ts'
import type { ChatDialect } from './openai-chat-request.ts'
import type { AdapterSettings, ProviderInfo, ProviderModule } from './provider-module.ts'
import type { WireContext } from './wire-parser.ts'

const info: ProviderInfo = {
  id: 'deepseek',
  displayName: 'DeepSeek',
  keyVariable: 'DEEPSEEK_API_KEY',
  keyRequired: true,
  defaultBaseUrl: 'https://api.deepseek.com',
  baseUrlVariable: 'DEEPSEEK_BASE_URL',
  defaultModel: 'deepseek-flash',
  concurrency: 64,
}

const dialect: ChatDialect = {
  maxTokensField: 'max_tokens',
  emptyContent: '',
  // With tools in the request every earlier thought must come back, also of turns without a call; without
  // tools it is ignored, so it is left out.
  reasoningBack: ({ request }) => (request.tools?.length ?? 0) > 0,
  jsonSchema: false,
  streamOptions: true,
  // With thinking on both are taken and ignored.
  sampling: ({ request }) => !request.params.thinkingEnabled,
  extra: ({ request: { params } }) => ({
    // The server's default is on, so it is always said.
    thinking: { type: params.thinkingEnabled ? 'enabled' : 'disabled' },
    ...(params.thinkingEnabled && params.thinkingEffort !== undefined
      ? { reasoning_effort: params.thinkingEffort === 'low' ? 'low' : 'high' }
      : {}),
  }),
}

class DeepSeekAdapter extends OpenAiChatAdapter {
  // The API stands at the root; `/v1` answers too. A queued request gets comments for up to ten minutes.
  protected override readonly baseUrlRule = { versionPath: '', keepOwnPath: true }
  protected override readonly deadlines = { firstByteMs: 600_000 }

  protected dialect(): ChatDialect {
    return dialect
  }

  /** The list answers also when the balance is gone. */
  protected override async checkAccount(): Promise<Diagnosis | undefined> {
    const answer = await this.getJson('/user/balance')
    // A compatible server in between need not have it.
    if (!answer.ok) return undefined
    const { is_available: available, balance_infos: balances } = answer.body as {
      is_available?: unknown
      balance_infos?: { currency?: string; total_balance?: string }[]
    }
    const amounts = Array.isArray(balances)
      ? balances.map((entry) => `${entry.total_balance ?? '?'} ${entry.currency ?? ''}`.trim()).join(', ')
      : ''
    if (available === false)
      return sayDiagnosis(
        info,
        'no_balance',
        'The key is fine, but the DeepSeek account has no balance left. Requests are refused. Top it up.',
        '密钥有效，但 DeepSeek 账户余额不足，请求会被拒绝。请充值。',
        amounts,
      )
    return sayDiagnosis(info, 'ok', 'DeepSeek works.', 'DeepSeek 可以使用。', amounts)
  }

  protected override onServedModel(served: string, context: WireContext): void {
    const family = (name: string): string => (/pro/i.test(name) ? 'pro' : 'flash')
    if (family(served) !== family(context.model))
      context.builder.notice({
        code: 'model_rerouted',
        message: `${context.model} was asked for, ${served} answered`,
        params: { asked: context.model, served },
      })
  }
}

export const provider: ProviderModule = { info, create: (settings: AdapterSettings) => new DeepSeekAdapter(info, settings) }
