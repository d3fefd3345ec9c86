/** What a request that does not fit consists of, for the sentence that tells a person. */
import type { Irreducible, RequestPart } from '#contracts/context/compaction.ts'
import type { MetonaMessage, MetonaSystemPrompt } from '#contracts/metona/metona-request.ts'
import type { Language } from './prompt-texts.ts'

const MOST_NAMED = 5

export interface PartsInput {
  readonly systemPrompt: MetonaSystemPrompt
  readonly tools: number
  readonly messages: readonly MetonaMessage[]
  readonly tokensOf: (message: MetonaMessage) => number
  readonly count: (text: string) => number
}

const FILES: readonly (readonly [keyof MetonaSystemPrompt, string])[] = [
  ['roleDefinition', 'SOUL.md'],
  ['behaviorRules', 'AGENTS.md'],
  ['userProfile', 'USERS.md'],
  ['memory', 'MEMORY.md'],
]

export function largestParts(input: PartsInput): RequestPart[] {
  const parts: RequestPart[] = []
  for (const [partition, name] of FILES) {
    const text = input.systemPrompt[partition]
    if (text !== undefined) parts.push({ name, tokens: input.count(text) })
  }
  if (input.tools > 0) parts.push({ name: 'tools', tokens: input.tools })
  for (const message of input.messages) parts.push({ name: nameOf(message), tokens: input.tokensOf(message) })
  return parts.toSorted((left, right) => right.tokens - left.tokens).slice(0, MOST_NAMED)
}

export function irreducible(tokens: number, limit: number, parts: readonly RequestPart[], language: Language): Irreducible {
  const named = parts.map((part) => `${part.name} ≈ ${part.tokens}`).join(language === 'zh' ? '，' : ', ')
  const message =
    language === 'zh'
      ? `请求约 ${tokens} token，压缩后仍超过模型可接受的 ${limit}，没有发送。最大的部分：${named}。缩短它们，或换一个上下文窗口更大的模型。`
      : `The request is about ${tokens} tokens; even compacted it is over the ${limit} the model takes, so it was not sent. Largest parts: ${named}. Shorten them or use a model with a larger window.`
  return { message, tokens, limit, parts: [...parts] }
}

function nameOf(message: MetonaMessage): string {
  const id = message.id ?? message.toolResult?.toolCallId ?? ''
  return message.toolResult === undefined ? `${message.role} ${id}`.trim() : `${message.toolResult.toolName} ${id}`.trim()
}
