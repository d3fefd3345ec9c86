/** The proxy as the shell knows it (the desktop window does, a terminal does not). */
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { WorkerContext } from './start-worker.ts'

/** A shell that does not say in this time is not waited for. */
const PROXY_ANSWER_MS = 2_000

/** @returns a function from an address to its PAC style answer; undefined where nobody says. */
export function createShellProxy(context: Pick<WorkerContext, 'native' | 'log'>): (url: string) => Promise<string | undefined> {
  let shellKnows = true
  return async (url) => {
    if (!shellKnows) return undefined
    try {
      const answer = await Promise.race([
        context.native('resolveProxy', { url }),
        new Promise<undefined>((resolve) => void setTimeout(() => resolve(undefined), PROXY_ANSWER_MS).unref()),
      ])
      return answer === undefined ? undefined : String(answer)
    } catch (error) {
      // A terminal has no such service, and none later either; any other failure is worth a line.
      const { code, message } = toErrorData(error)
      if (code === 'NOT_AVAILABLE') shellKnows = false
      else context.log('warn', `the proxy for ${url} could not be found out: ${message}`)
      return undefined
    }
  }
}
