/** Starts the fake provider as a process of its own and talks to it. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FakeAnswer, FakeRequest, FakeRule } from './fake-provider-types.ts'

export * from './fake-provider-types.ts'

export interface FakeProviderClient {
  /** Root to give to an adapter, without `/v1`. */
  readonly baseUrl: string
  /** Adds rules in front of those there are. A list of answers alone is one rule without a marker. */
  script(rules: readonly FakeRule[] | readonly FakeAnswer[]): Promise<void>
  /** Every request so far, oldest first. */
  requests(): Promise<FakeRequest[]>
  /** Resolves when `count` requests have got that far. */
  waitFor(state: 'arrived' | 'streaming' | 'finished' | 'closed', count: number): Promise<FakeRequest[]>
  /** Forgets rules and requests. */
  reset(): Promise<void>
}

export interface FakeProvider extends FakeProviderClient {
  readonly pid: number
  stop(): Promise<void>
}

/** For another process of the test: the same provider by its URL. */
export function connectFakeProvider(baseUrl: string): FakeProviderClient {
  const call = async <T>(path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${baseUrl}/__control/${path}`, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as T
  }
  return {
    baseUrl,
    script: async (rules) => {
      const first = rules[0]
      await call('script', first !== undefined && 'answers' in first ? rules : [{ answers: rules }])
    },
    requests: () => call('requests'),
    waitFor: (state, count) => call(`wait?state=${state}&count=${count}`),
    reset: () => call('reset', {}),
  }
}

export async function startFakeProvider(): Promise<FakeProvider> {
  const child = fork(fileURLToPath(new URL('./fake-provider-process.ts', import.meta.url)), [], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { port: number }).port))
    child.once('exit', (code) => reject(new Error(`the fake provider ended with ${String(code)} before it listened`)))
  })
  return {
    ...connectFakeProvider(`http://127.0.0.1:${port}`),
    pid: child.pid ?? 0,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve()
        child.once('exit', () => resolve())
        child.kill('SIGKILL')
      }),
  }
}
