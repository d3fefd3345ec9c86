/** One framed piece of a provider's stream, already decoded. */
export type Frame =
  /** An SSE event. `event` is its `event:` field; `data` its data lines joined with LF. Never empty. */
  | { readonly kind: 'event'; readonly event: string | undefined; readonly data: string }
  /** A line of NDJSON. Never blank. */
  | { readonly kind: 'line'; readonly data: string }

/** How the bytes of an answer ended. */
export interface StreamEnd {
  /** `closed`: the body ended as HTTP has it. `cut`: the connection broke. */
  readonly how: 'closed' | 'cut'
  /** What broke it. */
  readonly reason?: string
}
