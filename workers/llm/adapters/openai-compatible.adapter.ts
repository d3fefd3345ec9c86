/** Any server that speaks Chat Completions, at a base URL of the person's choice. */
import type { MetonaError } from '#contracts/metona/metona-response.ts'
import { OpenAiChatAdapter } from './openai-chat.ts'
import type { ChatDialect } from './openai-chat-request.ts'
import type { AdapterSettings, ProviderInfo, ProviderModule } from './provider-module.ts'
import type { WireContext } from './wire-parser.ts'

const info: ProviderInfo = {
  id: 'openai-compatible',
  displayName: 'OpenAI-compatible server',
  keyVariable: 'OPENAI_COMPATIBLE_API_KEY',
  keyRequired: false,
  defaultBaseUrl: 'http://localhost:8000/v1',
  baseUrlVariable: 'OPENAI_COMPATIBLE_BASE_URL',
  concurrency: 64,
}

/** Families whose tool loops need their own thoughts back, whoever serves them. */
const WANTS_REASONING = /deepseek|kimi|glm|minimax|mimo/i
/** Families that write their thoughts into the text when the server does not take them out. */
const WRITES_TAGS = /(?:^|[/:_-])(?:deepseek-r1|qwq|r1-distill)/i

class OpenAiCompatibleAdapter extends OpenAiChatAdapter {
  // A bare host gets `/v1`; a root with a path of its own is taken as it is.
  protected override readonly baseUrlRule = { versionPath: '/v1', keepOwnPath: true }
  protected override readonly deadlines = { firstByteMs: 600_000 }
  #maxTokensField: ChatDialect['maxTokensField'] = 'max_tokens'
  #emptyContent: ChatDialect['emptyContent'] = ''
  #streamOptions = true

  protected dialect(): ChatDialect {
    return {
      maxTokensField: this.#maxTokensField,
      emptyContent: this.#emptyContent,
      reasoningBack: ({ request, model }) => (request.tools?.length ?? 0) > 0 && WANTS_REASONING.test(model),
      jsonSchema: true,
      streamOptions: this.#streamOptions,
      sampling: () => true,
      extra: () => ({}),
    }
  }

  protected override writesThinkTags({ model }: WireContext): boolean {
    return WRITES_TAGS.test(model)
  }

  /** What such a server accepts is learned from its refusals. */
  protected override learnFrom(error: MetonaError): boolean {
    const said = error.message
    if (this.#maxTokensField === 'max_tokens' && /max_completion_tokens/.test(said)) this.#maxTokensField = 'max_completion_tokens'
    else if (this.#streamOptions && /stream_options/.test(said)) this.#streamOptions = false
    else if (this.#emptyContent === '' && /content/i.test(said) && /empty|null|blank/i.test(said)) this.#emptyContent = null
    else return false
    return true
  }
}

export const provider: ProviderModule = { info, create: (settings: AdapterSettings) => new OpenAiCompatibleAdapter(info, settings) }
