/** What a test tells the fake provider and what it reports back. Everything is plain JSON: it crosses a process. */

/** Where an answer stops being good. Bytes are counted in the response body as written. */
export interface FakeFault {
  /** Destroys the socket (`reset`) or ends the body cleanly (`end`) after this many body bytes. */
  readonly cutAtByte?: number
  readonly cutHow?: 'reset' | 'end'
  /** Writes nothing more after this many body bytes and keeps the socket open. */
  readonly stallAtByte?: number
}

/** An answer on the Chat Completions wire (DeepSeek dialect unless `wire` says otherwise). */
export interface FakeChatAnswer extends FakeFault {
  readonly kind?: 'chat'
  readonly wire?: 'deepseek' | 'openai'
  readonly thinking?: string
  readonly text?: string
  /** Instead of `text`: that many generated one-token words. */
  readonly tokens?: number
  /** Puts a string into every generated token, so that mixed-up streams are seen. */
  readonly tokenPrefix?: string
  /** `args` as an object, or the raw argument text. */
  readonly toolCalls?: readonly { readonly name: string; readonly args: Record<string, unknown> | string; readonly id?: string }[]
  /** Default: `tool_calls` when there are calls, else `stop`. `null`: the stream never says one. */
  readonly finishReason?: string | null
  /** Default: true counts. `null`: none. */
  readonly usage?: Record<string, unknown> | null
  /** Part of the prompt reported as a cache hit. */
  readonly cacheHitTokens?: number
  /** Absent: as fast as the socket takes it. */
  readonly tokensPerSecond?: number
  readonly firstByteDelayMs?: number
  /** Comment lines sent before the first chunk, this far apart. */
  readonly keepAlive?: { readonly count: number; readonly everyMs: number; readonly text?: string }
  /** Leaves `[DONE]` out. */
  readonly noDone?: boolean
  /** Sent as a `data:` line after the content, in place of the finish chunk. */
  readonly errorInside?: unknown
}

export interface FakeStatusAnswer {
  readonly kind: 'status'
  readonly status: number
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly delayMs?: number
}

/** Any bytes: for Ollama, Anthropic, Responses and for broken streams. */
export interface FakeRawAnswer extends FakeFault {
  readonly kind: 'raw'
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly chunks: readonly { readonly text?: string; readonly base64?: string; readonly delayMs?: number }[]
  /** Default `end`; `hang` keeps the socket open for ever. */
  readonly finish?: 'end' | 'reset' | 'hang'
}

export type FakeAnswer = FakeChatAnswer | FakeStatusAnswer | FakeRawAnswer

export interface FakeRule {
  /** The request's body contains this text (a session's own word in its first prompt). */
  readonly marker?: string
  /** The request's path contains this text. */
  readonly path?: string
  /** Given one after the other; a request past the end is answered 500 `script exhausted`. */
  readonly answers: readonly FakeAnswer[]
  /** The last answer is given for ever. */
  readonly repeatLast?: boolean
}

/** Times are milliseconds of the machine's monotonic clock (`process.hrtime`), the same in every process. */
export interface FakeRequest {
  readonly id: number
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown
  readonly remotePort: number
  readonly arrivedAt: number
  readonly marker?: string
  readonly status?: number
  readonly firstByteAt?: number
  readonly lastByteAt?: number
  /** The first and last content token (thinking, text or arguments). */
  readonly firstTokenAt?: number
  readonly lastTokenAt?: number
  readonly bytesSent: number
  readonly tokensSent: number
  /** The client closed the socket before the answer was complete. */
  readonly closedByClientAt?: number
  readonly finished: boolean
}

/** Milliseconds of the machine's monotonic clock, comparable with a request log's times. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
