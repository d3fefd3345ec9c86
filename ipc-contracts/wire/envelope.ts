/** What travels inside a Comlink call. */
import type { AppErrorData } from './app-error.ts'

export interface CallRequest {
  readonly callId: number
  readonly method: string
  readonly input: unknown
  /** When it was sent, on the call meter's clock; absent from a thread that counts nothing. */
  readonly sentAt?: number
}

export type CallResult = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: AppErrorData }

/** The only object ever given to Comlink. */
export interface WireTarget {
  call(request: CallRequest): Promise<CallResult>
  cancel(callId: number): void
}
