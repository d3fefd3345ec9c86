/**
 * A server wants an answer of the session's model. The person sees all of what would be sent and says yes or no each time;
 * nothing of the conversation goes along, no tools, and the answer is bounded.
 */
import { ErrorCode, McpError, type CreateMessageRequest, type CreateMessageResult } from '@modelcontextprotocol/sdk/types.js'
import { SAMPLING_TOKENS, type SamplingRequest } from '#contracts/tools/sampling-port.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { mayAskMore, ownerOf, type Asker } from './elicitation.ts'

/** Characters of what is sent: more than that nobody reads before saying yes. */
const TEXT_LIMIT = 50_000
const MESSAGES = 50
const STOPS = 4
/** As the protocol's own example has it. */
const REFUSED = -1

/** Of one connection of one server: one request at a time. */
export class Sampler {
  readonly #server: string
  #last: Promise<unknown> = Promise.resolve()

  constructor(server: string) {
    this.#server = server
  }

  /** @throws McpError, which goes to the server. */
  async sample(request: CreateMessageRequest['params'], askers: readonly Asker[], signal: AbortSignal): Promise<CreateMessageResult> {
    // Whose it is and whether it is one too many is so when it arrives: later the call may be over, and another session's running.
    const asker = ownerOf(askers)
    const { sampling } = asker ?? {}
    if (asker === undefined || sampling === undefined)
      throw new McpError(REFUSED, 'There is no call of one session that this request could belong to.')
    if (!mayAskMore(asker)) throw new McpError(REFUSED, 'Too many requests in one call.')
    const asked = readRequest(request)
    const both = AbortSignal.any([signal, asker.signal])
    const answer = this.#last.then(() => sampleOnce(this.#server, asked, asker, sampling, both))
    this.#last = answer.catch(() => undefined)
    return answer
  }
}

async function sampleOnce(
  server: string,
  asked: SamplingRequest,
  asker: Asker,
  sampling: NonNullable<Asker['sampling']>,
  both: AbortSignal,
): Promise<CreateMessageResult> {
  if (both.aborted) throw stopped()
  const params = { server: visibleText(server, false), tokens: String(asked.maxTokens) }
  // Who stopped waits for no answer, or the requests behind this one would wait as well.
  const answer = await Promise.race([asker.ask({ text: shown(asked), reason: { code: 'mcp_sampling', params } }, both), aborted(both)])
  if (both.aborted) throw stopped()
  if (answer === undefined) throw new McpError(REFUSED, 'User rejected sampling request')
  try {
    const { text, model, cut } = await sampling.sample(asked, { signal: both })
    return { role: 'assistant', content: { type: 'text', text }, model, stopReason: cut ? 'maxTokens' : 'endTurn' }
  } catch (error) {
    if (both.aborted) throw stopped()
    // What the provider said in detail is the person's to read, in their usage and log; the server learns the kind.
    throw new McpError(ErrorCode.InternalError, error instanceof AppError ? `The model did not answer (${error.code}).` : 'No answer.')
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }))
}

function stopped(): McpError {
  return new McpError(REFUSED, 'The request was stopped.')
}

function readRequest(request: CreateMessageRequest['params']): SamplingRequest {
  const { systemPrompt = '', messages, maxTokens, temperature, stopSequences } = request
  if (request.tools !== undefined) throw new McpError(ErrorCode.InvalidParams, 'Tools are not offered to a sampling request.')
  const texts = messages.map(({ role, content }) => ({ role, text: (Array.isArray(content) ? content : [content]).map(textOf).join('\n') }))
  const stop = stopSequences?.slice(0, STOPS)
  const size = [systemPrompt, ...texts.map(({ text }) => text), ...(stop ?? [])].reduce((sum, text) => sum + text.length, 0)
  if (texts.length === 0 || texts.length > MESSAGES || size > TEXT_LIMIT)
    throw new McpError(ErrorCode.InvalidParams, `At most ${MESSAGES} messages of ${TEXT_LIMIT} characters together, and at least one.`)
  return {
    systemPrompt,
    messages: texts,
    maxTokens: Math.min(Math.max(1, Math.floor(maxTokens)), SAMPLING_TOKENS),
    ...(temperature === undefined ? {} : { temperature: Math.min(Math.max(0, temperature), 2) }),
    ...(stop === undefined ? {} : { stop }),
  }
}

/** Text only: an image cannot be shown on the card, and what is not shown is not sent. */
function textOf(part: { readonly type: string; readonly text?: unknown }): string {
  if (part.type === 'text' && typeof part.text === 'string') return part.text
  throw new McpError(ErrorCode.InvalidParams, `Only text can be sent, not ${part.type}.`)
}

/** Everything that would be sent, in order. */
function shown({ systemPrompt, messages, stop = [] }: SamplingRequest): string {
  const parts = [
    ...(systemPrompt === '' ? [] : [{ role: 'system', text: systemPrompt }]),
    ...messages,
    ...stop.map((text) => ({ role: 'stop', text: JSON.stringify(text) })),
  ]
  return parts.map(({ role, text }) => `[${role}]\n${visibleText(text)}`).join('\n\n')
}
