/** Agnes AI, an OpenAI-compatible gateway with small request quotas. */
import { OpenAiChatAdapter } from './openai-chat.ts'
import type { ChatDialect } from './openai-chat-request.ts'
import type { AdapterSettings, ProviderInfo, ProviderModule } from './provider-module.ts'

const info: ProviderInfo = {
  id: 'agnes',
  displayName: 'Agnes AI',
  keyVariable: 'AGNES_API_KEY',
  keyRequired: true,
  defaultBaseUrl: 'https://apihub.agnes-ai.com/v1',
  baseUrlVariable: 'AGNES_BASE_URL',
  defaultModel: 'agnes-2.5-flash',
  concurrency: 64,
  perMinute: 20,
}

/** Below this a thinking model spends everything on the thought and answers nothing. */
const LEAST_WITH_THINKING = 2_048

const dialect: ChatDialect = {
  maxTokensField: 'max_tokens',
  emptyContent: '',
  reasoningBack: () => false,
  jsonSchema: true,
  streamOptions: true,
  sampling: () => true,
  extra: ({ request: { params }, info: model }) => ({
    ...(model.supportsThinking ? { chat_template_kwargs: { enable_thinking: params.thinkingEnabled } } : {}),
    ...(model.supportsThinking && params.thinkingEnabled && params.maxTokens !== undefined
      ? { max_tokens: Math.max(params.maxTokens, LEAST_WITH_THINKING) }
      : {}),
  }),
}

class AgnesAdapter extends OpenAiChatAdapter {
  protected dialect(): ChatDialect {
    return dialect
  }
}

export const provider: ProviderModule = { info, create: (settings: AdapterSettings) => new AgnesAdapter(info, settings) }
