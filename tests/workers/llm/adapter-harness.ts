/** Runs a real adapter over given bytes: everything but the socket is the app's own code. */
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaResponse, MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import type { AdapterSettings, ProviderAdapter } from '#workers/llm/adapters/provider-module.ts'
import { registry } from '#workers/llm/adapters/registry.ts'
import type { ExchangeOptions, Transport } from '#workers/llm/adapters/transport.ts'
import { createModelTable } from '#workers/llm/domain/model-table.ts'

export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Pieces as the network would give them. */
  readonly chunks: readonly Uint8Array[]
  /** How the connection ends; default `close`. */
  readonly end?: 'close' | 'reset'
}

export interface SeenRequest {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Record<string, unknown>
}

export interface ByteTransport extends Transport {
  readonly seen: SeenRequest[]
}

/** Answers by path; requests whose path has no answer get 404. A function sees the request first. */
export function byteTransport(answers: Readonly<Record<string, Answer | ((request: SeenRequest) => Answer)>>): ByteTransport {
  const seen: SeenRequest[] = []
  return {
    seen,
    dropIdleSockets: () => undefined,
    close: () => undefined,
    exchange: async (options: ExchangeOptions) => {
      const request: SeenRequest = {
        path: options.url.pathname + options.url.search,
        method: options.method,
        headers: options.headers,
        body: options.body === undefined ? {} : (JSON.parse(options.body) as Record<string, unknown>),
      }
      seen.push(request)
      const found = Object.entries(answers).find(([path]) => request.path.endsWith(path) || options.url.pathname.endsWith(path))?.[1]
      const answer = typeof found === 'function' ? found(request) : (found ?? jsonAnswer({ error: 'not found' }, 404))
      options.onHead({ status: answer.status ?? 200, headers: { 'content-type': 'text/plain', ...answer.headers } })
      for (const chunk of answer.chunks) {
        await options.onBytes(chunk)
        if (options.state() === 'over') return { kind: 'ended' }
      }
      return answer.end === 'reset'
        ? { kind: 'broken', code: 'ECONNRESET', message: 'the connection was closed in the middle of the answer' }
        : { kind: 'ended' }
    },
  }
}

export function jsonAnswer(body: unknown, status = 200): Answer {
  return { status, headers: { 'content-type': 'application/json' }, chunks: [bytes(JSON.stringify(body))] }
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** SSE events from payloads; strings are sent as they are. */
export function sse(...payloads: readonly unknown[]): Answer {
  return {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [bytes(payloads.map((payload) => `data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`).join(''))],
  }
}

export function ndjson(...lines: readonly unknown[]): Answer {
  return { headers: { 'content-type': 'application/x-ndjson' }, chunks: [bytes(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))] }
}

export interface AdapterOptions {
  readonly apiKey?: string | undefined
  readonly baseUrl?: string | undefined
  readonly table?: AdapterSettings['table']
}

/** Time stands still and ids count up, so that equal bytes give equal events. */
export async function adapterOn(provider: string, transport: Transport, options: AdapterOptions = {}): Promise<ProviderAdapter> {
  const load = registry[provider]
  if (load === undefined) throw new Error(`no provider ${provider}`)
  const module = (await load()).provider
  let ids = 0
  return module.create({
    apiKey: 'apiKey' in options ? options.apiKey : 'test-key',
    baseUrl: options.baseUrl ?? (provider === 'openai-compatible' ? 'http://127.0.0.1:9' : undefined),
    table: options.table ?? createModelTable(),
    transport,
    now: () => 1_780_000_000_000,
    newToolCallId: () => `tc_${String((ids += 1)).padStart(10, '0')}`,
    random: () => 0.5,
    sleep: () => Promise.resolve(),
  })
}

export function requestFor(
  model: string,
  more: Partial<Omit<MetonaRequest, 'params'>> & { readonly params?: Partial<MetonaRequest['params']> } = {},
): MetonaRequest {
  return {
    meta: { sessionId: 's_0000000000', iteration: 1, requestId: 'r_0000000000', timestamp: 1, agentVersion: '0', model },
    systemPrompt: { roleDefinition: 'You are a test.', outputConstraints: '', safetyGuidelines: '' },
    messages: [{ role: 'user', content: 'go', timestamp: 1 }],
    ...more,
    params: { stream: true, thinkingEnabled: true, ...more.params },
  }
}

export interface Decoded {
  readonly events: readonly MetonaStreamEvent[]
  readonly response: MetonaResponse
}

export async function run(adapter: ProviderAdapter, request: MetonaRequest): Promise<Decoded> {
  const events: MetonaStreamEvent[] = []
  const response = request.params.stream
    ? await adapter.sendStream(request, (event) => events.push(event), { maxRetries: 0 })
    : await adapter.send(request, { maxRetries: 0 })
  return { events, response }
}

/** The one answer of a provider, whatever it asks first. */
export async function decode(provider: string, answer: Answer, request: MetonaRequest = requestFor('test-model')): Promise<Decoded> {
  const paths: Record<string, string> = { ollama: '/api/chat', openai: '/responses', anthropic: '/messages' }
  return run(await adapterOn(provider, byteTransport({ [paths[provider] ?? '/chat/completions']: answer })), request)
}
