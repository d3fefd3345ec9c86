/** Where a thread counts its calls and messages, when it counts them. No meter is set in the host, whose relay looks into nothing. */

export interface CallMeter {
  /** Milliseconds on a clock that all threads of the process share. */
  now(): number
  /**
   * A call was answered.
   * @param waitMs between being sent and being taken up
   * @param about the call's input, or whatever else says which session it was for
   */
  call(method: string, waitMs: number, tookMs: number, about: unknown): void
  /** A message crossed `port`. Its size is estimated from its strings and numbers; `sessionId` says for whom it was, where that is known. */
  message(port: string, data: unknown, sessionId?: string): void
}

let current: CallMeter | undefined

/** Called once, by whatever starts the thread. */
export function setCallMeter(meter: CallMeter): void {
  current = meter
}

export function callMeter(): CallMeter | undefined {
  return current
}
