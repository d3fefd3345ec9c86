interface About {
  readonly sessionId?: unknown
  readonly place?: { readonly sessionId?: unknown }
  readonly partial?: { readonly sessionId?: unknown }
  readonly events?: readonly { readonly sessionId?: unknown }[]
  readonly request?: { readonly meta?: { readonly sessionId?: unknown } }
}

/** The session a call is for, wherever its input says so. */
export function sessionOf(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const about = input as About
  const found =
    about.sessionId ?? about.place?.sessionId ?? about.partial?.sessionId ?? about.events?.[0]?.sessionId ?? about.request?.meta?.sessionId
  return typeof found === 'string' ? found : undefined
}
