/** What each recording shows, typed from its line in `tests/fixtures/providers/SOURCES.md`. Nothing here came from our own decoder. */
import type { MetonaErrorCode, MetonaFinishReason } from '#contracts/metona/metona-response.ts'

export interface RecordingExpectation {
  readonly file: string
  /** Adapter that reads it. */
  readonly provider: string
  /** Model the request names; matters only where a model is declared to write think tags. */
  readonly model: string
  /** Whole text, or its length in characters (code points; NaN where the line does not say) and how it ends. */
  readonly text: string | { readonly length: number; readonly endsWith: string }
  readonly thinkingLength?: number
  readonly thinkingEndsWith?: string
  readonly calls?: readonly { readonly name: string; readonly args: Record<string, unknown> }[]
  readonly finish: MetonaFinishReason
  readonly error?: { readonly code: MetonaErrorCode; readonly providerCode?: string }
  /** Absent where the line gives no counts or the stream has none. */
  readonly usage?: {
    readonly in?: number
    readonly out?: number
    readonly hit?: number
    readonly miss?: number
    readonly reasoning?: number
  }
}

export const streamRecordings: readonly RecordingExpectation[] = [
  {
    file: 'deepseek/text-stream.sse',
    provider: 'deepseek',
    model: 'deepseek-chat',
    text: { length: 642, endsWith: '🚀' },
    finish: 'stop',
    usage: { in: 7, out: 163, hit: 0, miss: 7 },
  },
  {
    file: 'deepseek/reasoning-stream.chunks.txt',
    provider: 'deepseek',
    model: 'deepseek-reasoner',
    text: 'The word "strawberry" contains three "r"s.',
    thinkingLength: 606,
    finish: 'stop',
    usage: { in: 18, out: 219, reasoning: 205 },
  },
  {
    file: 'deepseek/thinking-tool-call-stream.chunks.txt',
    provider: 'deepseek',
    model: 'deepseek-reasoner',
    text: '',
    calls: [{ name: 'weather', args: { location: 'San Francisco' } }],
    finish: 'tool_calls',
    usage: { in: 339, hit: 320, miss: 19, out: 83, reasoning: 39 },
  },
  {
    file: 'deepseek/two-tool-calls-stream.sse',
    provider: 'deepseek',
    model: 'deepseek-chat',
    text: { length: NaN, endsWith: '' },
    calls: [
      { name: 'search', args: { query: 'Detroit Tigers game time today' } },
      { name: 'get_weather', args: { city: 'Detroit' } },
    ],
    finish: 'tool_calls',
    usage: { in: 223, hit: 192, miss: 31 },
  },
  {
    file: 'deepseek/zero-arg-tool-call-stream.sse',
    provider: 'deepseek',
    model: 'deepseek-v4-flash',
    text: '',
    calls: [{ name: 'ping', args: {} }],
    finish: 'tool_calls',
  },
  {
    file: 'deepseek/length-finish-empty-arguments-stream.sse',
    provider: 'deepseek',
    model: 'deepseek-v4-flash',
    text: '',
    calls: [],
    finish: 'error',
    error: { code: 'output_length_exceeded' },
    usage: { in: 372, hit: 256, miss: 116 },
  },
  {
    file: 'deepseek/length-finish-second-call-truncated-stream.sse',
    provider: 'deepseek',
    model: 'deepseek-v4-flash',
    text: '',
    calls: [{ name: 'page_oncall', args: { team: 'platform' } }],
    finish: 'tool_calls',
    usage: { hit: 384, miss: 50 },
  },
  {
    file: 'ollama/text-stream.jsonl',
    provider: 'ollama',
    model: 'granite3-dense:8b',
    text: { length: NaN, endsWith: 'prompts.' },
    finish: 'stop',
    usage: { in: 37, out: 37 },
  },
  {
    file: 'ollama/thinking-stream.jsonl',
    provider: 'ollama',
    model: 'gpt-oss',
    text: { length: 89, endsWith: 'specific you need.' },
    thinkingLength: 225,
    finish: 'stop',
    usage: { in: 69, out: 76 },
  },
  {
    file: 'ollama/two-tool-calls-on-two-lines.jsonl',
    provider: 'ollama',
    model: 'qwen3:14b',
    text: '',
    calls: [
      { name: 'weather', args: { city: 'Detroit' } },
      { name: 'search', args: { query: 'Detroit Tigers game time today' } },
    ],
    finish: 'tool_calls',
    usage: { in: 218, out: 306 },
  },
  {
    file: 'ollama/think-tags-inside-content.jsonl',
    provider: 'ollama',
    model: 'qwen3:14b',
    text: { length: NaN, endsWith: 'need a coat for the game!' },
    finish: 'stop',
    usage: { in: 306, out: 188 },
  },
  {
    file: 'ollama/thinking-tool-call-nonstream.json',
    provider: 'ollama',
    model: 'qwen3.6:latest',
    text: '',
    thinkingEndsWith: '✅',
    calls: [{ name: 'get_current_weather', args: { city: 'Paris' } }],
    finish: 'tool_calls',
    usage: { in: 292, out: 143 },
  },
  {
    file: 'ollama/done-reason-length-nonstream.json',
    provider: 'ollama',
    model: 'qwen3:4b',
    text: { length: NaN, endsWith: 'one or two sentences' },
    finish: 'length',
    usage: { in: 42, out: 24 },
  },
  {
    file: 'openai/chat-text-stream.sse',
    provider: 'openai-compatible',
    model: 'gpt-4o-mini',
    text: 'Olá!',
    finish: 'stop',
    usage: { in: 20, out: 2 },
  },
  {
    file: 'openai/chat-tool-call-stream.sse',
    provider: 'openai-compatible',
    model: 'gpt-4o-mini',
    text: '',
    calls: [{ name: 'weather', args: { location: 'Florence,Italy' } }],
    finish: 'tool_calls',
    usage: { in: 61, out: 16 },
  },
  {
    file: 'openai/chat-parallel-tool-calls-stream.sse',
    provider: 'openai-compatible',
    model: 'gpt-4o-mini',
    text: '',
    calls: [
      { name: 'add', args: { a: 2, b: 3 } },
      { name: 'multiply', args: { a: 2, b: 3 } },
    ],
    finish: 'tool_calls',
  },
  {
    file: 'openai/responses-reasoning-tool-call-stream.sse',
    provider: 'openai',
    model: 'o3-mini',
    text: '',
    calls: [{ name: 'search', args: { query: 'Detroit Tigers game today start time' } }],
    finish: 'tool_calls',
    usage: { in: 78, out: 532, reasoning: 512 },
  },
  {
    file: 'openai/responses-quota-error-mid-stream.chunks.txt',
    provider: 'openai',
    model: 'gpt-5-nano',
    text: '',
    finish: 'error',
    error: { code: 'quota_exceeded', providerCode: 'insufficient_quota' },
  },
  {
    file: 'openai/responses-rate-limit-error-mid-stream.sse',
    provider: 'openai',
    model: 'gpt-4o',
    text: '',
    finish: 'error',
    error: { code: 'rate_limited', providerCode: 'rate_limit_exceeded' },
  },
  {
    file: 'openai-compatible/mistral-tool-call-without-index.chunks.txt',
    provider: 'openai-compatible',
    model: 'mistral-small-latest',
    text: '',
    calls: [{ name: 'weather', args: { location: 'San Francisco' } }],
    finish: 'tool_calls',
    usage: { in: 124, out: 22 },
  },
  {
    file: 'openai-compatible/alibaba-empty-id-in-later-deltas.chunks.txt',
    provider: 'openai-compatible',
    model: 'qwen3-max',
    text: '',
    calls: [{ name: 'weather', args: { location: 'San Francisco' } }],
    finish: 'tool_calls',
    usage: { in: 295, out: 22 },
  },
  {
    file: 'openai-compatible/gateway-glm-empty-name-in-later-delta.chunks.txt',
    provider: 'openai-compatible',
    model: 'zai-glm-5-2',
    text: '',
    calls: [{ name: 'webSearchTool', args: { query: 'current Berlin weather' } }],
    finish: 'tool_calls',
    usage: { in: 171, hit: 128 },
  },
  {
    file: 'openai-compatible/gateway-tool-index-starts-at-1.sse',
    provider: 'openai-compatible',
    model: 'claude-haiku-4-5',
    text: 'Reading it.',
    calls: [{ name: 'read_file', args: { path: 'a.txt' } }],
    finish: 'tool_calls',
  },
  {
    file: 'openai-compatible/writer-null-arguments-no-done.sse',
    provider: 'openai-compatible',
    model: 'palmyra-x4',
    text: '',
    calls: [{ name: 'get_weather', args: { location: 'Zakopane' } }],
    finish: 'tool_calls',
  },
  {
    file: 'openai-compatible/llamacpp-tool-call-cut-by-length.sse',
    provider: 'openai-compatible',
    model: 'qwen3-8b',
    text: '',
    calls: [],
    finish: 'error',
    error: { code: 'output_length_exceeded' },
    usage: { in: 165, hit: 164 },
  },
  {
    file: 'anthropic/text-stream.sse',
    provider: 'anthropic',
    model: 'claude-sonnet-4-20250514',
    text: { length: NaN, endsWith: 'casual way to say hi in Portuguese.' },
    finish: 'stop',
    usage: { in: 16, out: 38 },
  },
  {
    file: 'anthropic/thinking-signature-tool-use-stream.sse',
    provider: 'anthropic',
    model: 'claude-sonnet-4-20250514',
    text: '',
    thinkingLength: 301,
    calls: [{ name: 'weather', args: { location: 'Florence, Italy' } }],
    finish: 'tool_calls',
    usage: { in: 424, out: 119 },
  },
  {
    file: 'anthropic/text-then-tool-use-stream.sse',
    provider: 'anthropic',
    model: 'claude-3-7-sonnet-20250219',
    text: { length: NaN, endsWith: 'search for the Tigers game schedule:' },
    calls: [{ name: 'search', args: { query: 'Detroit Tigers baseball game today time schedule' } }],
    finish: 'tool_calls',
    usage: { in: 465, out: 96 },
  },
  {
    file: 'anthropic/parallel-zero-arg-tool-use-stream.sse',
    provider: 'anthropic',
    model: 'claude-sonnet-4-6',
    text: "I'll call both tools simultaneously right now!",
    calls: [
      { name: 'lookup_harbor_label', args: {} },
      { name: 'lookup_orchard_label', args: {} },
    ],
    finish: 'tool_calls',
    usage: { in: 700, out: 70 },
  },
  {
    file: 'anthropic/redacted-thinking-stream.sse',
    provider: 'anthropic',
    model: 'claude-sonnet-4-6',
    text: 'OK',
    finish: 'stop',
    usage: { in: 100, out: 13, reasoning: 7 },
  },
  {
    file: 'anthropic/message-delta-restates-input-tokens.chunks.txt',
    provider: 'anthropic',
    model: 'claude-opus-4-5-20251101',
    text: 'pong',
    finish: 'stop',
    usage: { in: 61, out: 2 },
  },
]

export interface ErrorRecording {
  readonly file: string
  readonly provider: string
  readonly code: MetonaErrorCode
  readonly retryable: boolean
}

/** Bodies recorded with an error status (which is in index.json). */
export const errorRecordings: readonly ErrorRecording[] = [
  { file: 'deepseek/error-400-context-length.json', provider: 'deepseek', code: 'context_length_exceeded', retryable: false },
  { file: 'deepseek/error-401-bad-key.json', provider: 'deepseek', code: 'auth_invalid', retryable: false },
  { file: 'ollama/error-404-model-not-found.json', provider: 'ollama', code: 'model_not_found', retryable: false },
  { file: 'openai/error-400-context-length.json', provider: 'openai', code: 'context_length_exceeded', retryable: false },
  {
    file: 'openai-compatible/llamacpp-error-400-context.json',
    provider: 'openai-compatible',
    code: 'context_length_exceeded',
    retryable: false,
  },
  { file: 'anthropic/error-400-prompt-too-long.json', provider: 'anthropic', code: 'context_length_exceeded', retryable: false },
]
