/** Ctrl+C and its relatives: the first asks to stop, the second ends at once. */
import { ExitCode } from './exit-code.ts'

export interface Interruption {
  readonly happened: boolean
  /** The latest handler is called on the first signal; without one the process ends. @returns takes it back. */
  handle(handler: () => void): () => void
}

/** Milliseconds for a command to settle after the first signal; then it ends without having settled. */
const SETTLE_MS = 20_000

/**
 * SIGINT, SIGTERM and (a closing terminal, which may come twice) SIGHUP.
 * @param endNow ends the process with this exit code, whatever is going on.
 */
export function listenForInterruption(endNow: (code: ExitCode) => void): Interruption {
  const handlers: (() => void)[] = []
  let happened = false
  const receive = (signal: NodeJS.Signals): void => {
    if (happened) {
      if (signal !== 'SIGHUP') endNow(ExitCode.ABORTED)
      return
    }
    happened = true
    const handler = handlers.at(-1)
    if (handler === undefined) return endNow(ExitCode.ABORTED)
    setTimeout(() => endNow(ExitCode.ABORTED), SETTLE_MS).unref()
    handler()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, receive)
  return {
    get happened() {
      return happened
    },
    handle: (handler) => {
      handlers.push(handler)
      return () => void handlers.splice(handlers.indexOf(handler), 1)
    },
  }
}
