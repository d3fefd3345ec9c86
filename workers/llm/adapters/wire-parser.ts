/** What an adapter supplies: how a request is written and how an answer is read. Everything else is shared. */
import type { AbortSignalLike, MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { Frame, StreamEnd } from '../domain/frame.ts'
import type { ResponseBuilder } from '../domain/response-builder.ts'

export interface WireRequest {
  readonly method?: 'POST' | 'GET'
  /** Below the API root, for example `/chat/completions`. */
  readonly path: string
  /** Besides `content-type` and the authorisation of `authorization()`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  readonly framing: 'sse' | 'ndjson'
}

/**
 * Reads one answer into the builder. May throw only `WireError`; a `SyntaxError` from `JSON.parse`
 * becomes `parse_error`.
 */
export interface WireParser {
  /** One event or line of a stream. */
  feed(frame: Frame): void
  /** A whole answer in one JSON document: not streamed, or a server that ignored `stream: true`. */
  document(body: unknown): void
  /**
   * The bytes are over, after the last `feed`. Says nothing about success: the builder fails an answer
   * that has no finish. For what was held back (tag splitters) and for dialects whose end is implied.
   */
  end?(end: StreamEnd): void
}

/** What `buildRequest` and `createParser` may know besides the request. */
export interface WireContext {
  readonly request: MetonaRequest
  readonly model: string
  readonly info: MetonaModelInfo
  readonly stream: boolean
  /** The API root the request goes to, without trailing slash. */
  readonly baseUrl: string
  readonly builder: ResponseBuilder
  /** The caller's, for what is asked before the request itself. */
  readonly signal?: AbortSignalLike | undefined
}
