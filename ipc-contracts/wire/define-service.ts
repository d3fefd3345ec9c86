/** A service is a name and a table of methods, each a pair of schemas. Handlers and clients are typed from it. */
import type * as z from 'zod'
import type { AbortSignalLike } from '../metona/metona-adapter.ts'

export interface MethodDefinition {
  readonly input: z.ZodType
  readonly output: z.ZodType
  /** Milliseconds of waking time until a call without answer fails with CALL_TIMEOUT; `Infinity` for work that ends by itself or by cancel. */
  readonly deadlineMs: number
  /** A large answer made of stored data is checked once, where it arrives; any other also where it leaves. */
  readonly answerChecked?: 'on_arrival'
  /** Names the input fields that hold ports to transfer. */
  readonly transfer?: readonly string[]
}

export interface ServiceDefinition {
  readonly name: string
  readonly methods: Readonly<Record<string, MethodDefinition>>
}

export function defineService<const S extends ServiceDefinition>(definition: S): S {
  return definition
}

export interface CallContext {
  /** Aborted when the caller cancels, its deadline passes, or its side of the port closes. */
  readonly signal: AbortSignalLike
}

export interface CallOptions {
  readonly signal?: AbortSignalLike
  /** Overrides the method's own. */
  readonly deadlineMs?: number
  /** After a cancel, wait this long for the answer (what was there so far) before failing with CALL_CANCELLED. Default 0. */
  readonly graceMs?: number
}

type Methods<S extends ServiceDefinition> = S['methods']

/** A missing or extra handler does not compile. */
export type ServiceHandlers<S extends ServiceDefinition> = {
  readonly [M in keyof Methods<S>]: (
    input: z.output<Methods<S>[M]['input']>,
    context: CallContext,
  ) => Promise<z.input<Methods<S>[M]['output']>> | z.input<Methods<S>[M]['output']>
}

/** Every method rejects with `AppError` only. */
export type ServiceClient<S extends ServiceDefinition> = {
  readonly [M in keyof Methods<S>]: (
    input: z.input<Methods<S>[M]['input']>,
    options?: CallOptions,
  ) => Promise<z.output<Methods<S>[M]['output']>>
}
