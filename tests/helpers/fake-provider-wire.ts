/** Turns a scripted chat answer into the byte pieces of a Chat Completions stream. */
import type { FakeChatAnswer } from './fake-provider-types.ts'

export interface WirePiece {
  readonly bytes: Buffer
  /** Content tokens in this piece; pacing counts them. */
  readonly tokens: number
}

/** Four code points are one token here. */
export function splitTokens(text: string): string[] {
  const points = [...text]
  const tokens: string[] = []
  for (let index = 0; index < points.length; index += 4) tokens.push(points.slice(index, index + 4).join(''))
  return tokens
}

function answerTokens(answer: FakeChatAnswer): string[] {
  if (answer.tokens === undefined) return splitTokens(answer.text ?? '')
  return Array.from({ length: answer.tokens }, (_, index) => `${answer.tokenPrefix ?? 'w'}${index} `)
}

/** Every piece of the answer, in order. Generated lazily so that 100,000 tokens need no memory. */
export function* chatPieces(answer: FakeChatAnswer, model: string, promptTokens: number): Generator<WirePiece> {
  const deepseek = answer.wire !== 'openai'
  const head = { id: 'chatcmpl-fake', object: 'chat.completion.chunk', created: 1_790_000_000, model }
  const line = (payload: unknown): Buffer => Buffer.from(`data: ${JSON.stringify(payload)}\n\n`)
  const chunk = (delta: unknown, finish: string | null = null, extra: object = {}): Buffer =>
    line({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...(deepseek ? { usage: null } : {}), ...extra })
  const thinking = splitTokens(answer.thinking ?? '')
  const text = answerTokens(answer)
  const calls = answer.toolCalls ?? []
  let callTokens = 0

  yield {
    bytes: chunk(
      deepseek && thinking.length > 0 ? { role: 'assistant', content: null, reasoning_content: '' } : { role: 'assistant', content: '' },
    ),
    tokens: 0,
  }
  for (const token of thinking)
    yield { bytes: chunk(deepseek ? { content: null, reasoning_content: token } : { reasoning_content: token }), tokens: 1 }
  for (const token of text)
    yield { bytes: chunk(deepseek && thinking.length > 0 ? { content: token, reasoning_content: null } : { content: token }), tokens: 1 }
  for (const [index, call] of calls.entries()) {
    yield {
      bytes: chunk({
        tool_calls: [
          { index, id: call.id ?? `call_0${index}_${call.name}`, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
      tokens: 0,
    }
    for (const token of splitTokens(typeof call.args === 'string' ? call.args : JSON.stringify(call.args))) {
      callTokens += 1
      yield { bytes: chunk({ tool_calls: [{ index, function: { arguments: token } }] }), tokens: 1 }
    }
  }
  if (answer.errorInside !== undefined) yield { bytes: line(answer.errorInside), tokens: 0 }
  else yield* closing()

  function* closing(): Generator<WirePiece> {
    const finish = answer.finishReason === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : answer.finishReason
    const usage = answer.usage === undefined ? countedUsage() : answer.usage
    if (deepseek) {
      if (finish !== null) yield { bytes: chunk({ content: '' }, finish, usage === null ? {} : { usage }), tokens: 0 }
      else if (usage !== null) yield { bytes: line({ ...head, choices: [], usage }), tokens: 0 }
    } else {
      if (finish !== null) yield { bytes: chunk({}, finish), tokens: 0 }
      if (usage !== null) yield { bytes: line({ ...head, choices: [], usage }), tokens: 0 }
    }
    if (answer.noDone !== true) yield { bytes: Buffer.from('data: [DONE]\n\n'), tokens: 0 }
  }

  function countedUsage(): Record<string, unknown> {
    const completion = thinking.length + text.length + callTokens
    const hit = Math.min(answer.cacheHitTokens ?? 0, promptTokens)
    return {
      prompt_tokens: promptTokens,
      completion_tokens: completion,
      total_tokens: promptTokens + completion,
      prompt_tokens_details: { cached_tokens: hit },
      ...(deepseek ? { prompt_cache_hit_tokens: hit, prompt_cache_miss_tokens: promptTokens - hit } : {}),
      ...(thinking.length > 0 ? { completion_tokens_details: { reasoning_tokens: thinking.length } } : {}),
    }
  }
}

/** The same answer as one non-streaming body. */
export function chatDocument(answer: FakeChatAnswer, model: string, promptTokens: number): string {
  const calls = answer.toolCalls ?? []
  const text = answerTokens(answer)
  const thinking = splitTokens(answer.thinking ?? '')
  const message = {
    role: 'assistant',
    content: calls.length > 0 && text.length === 0 ? null : text.join(''),
    ...(thinking.length > 0 ? { reasoning_content: thinking.join('') } : {}),
    ...(calls.length > 0
      ? {
          tool_calls: calls.map((call, index) => ({
            index,
            id: call.id ?? `call_0${index}_${call.name}`,
            type: 'function',
            function: { name: call.name, arguments: typeof call.args === 'string' ? call.args : JSON.stringify(call.args) },
          })),
        }
      : {}),
  }
  const finish = answer.finishReason === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : answer.finishReason
  const completion = thinking.length + text.length
  const usage =
    answer.usage === undefined
      ? { prompt_tokens: promptTokens, completion_tokens: completion, total_tokens: promptTokens + completion }
      : answer.usage
  return JSON.stringify({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [{ index: 0, message, finish_reason: finish }],
    ...(usage === null ? {} : { usage }),
  })
}
