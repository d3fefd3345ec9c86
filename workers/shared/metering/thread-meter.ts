/** Counts what a thread does: calls, messages, for which session, and how late its event loop runs. */
import { threadId } from 'node:worker_threads'
import type { MethodHealth, SessionShare, ThreadHealth } from '#contracts/health/thread-health.ts'
import { setCallMeter, type CallMeter } from '#contracts/wire/call-meter.ts'
import { DurationHistogram } from './duration-histogram.ts'
import { estimateBytes } from './estimate-bytes.ts'
import { LoopDelaySampler } from './loop-delay-sampler.ts'
import { sessionOf } from './session-of.ts'

/** Ports and sessions come and go; the first to come are forgotten. */
const MOST_KEPT = 200

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

class ThreadMeter implements CallMeter {
  readonly #methods = new Map<string, { readonly waits: DurationHistogram; readonly times: DurationHistogram }>()
  readonly #ports = new Map<string, { port: string; messages: number; bytes: number }>()
  readonly #sessions = new Map<string, Mutable<SessionShare>>()
  readonly #loop = new LoopDelaySampler()

  now(): number {
    return performance.timeOrigin + performance.now()
  }

  call(method: string, waitMs: number, tookMs: number, about: unknown): void {
    this.#loop.work()
    let known = this.#methods.get(method)
    if (known === undefined) this.#methods.set(method, (known = { waits: new DurationHistogram(), times: new DurationHistogram() }))
    known.waits.add(waitMs)
    known.times.add(tookMs)
    const share = this.#shareOf(sessionOf(about))
    if (share === undefined) return
    share.calls += 1
    share.waitMs += waitMs
    share.tookMs += tookMs
  }

  message(port: string, data: unknown, sessionId?: string): void {
    this.#loop.work()
    const bytes = estimateBytes(data)
    const known = kept(this.#ports, port, () => ({ port, messages: 0, bytes: 0 }))
    known.messages += 1
    known.bytes += bytes
    const share = this.#shareOf(sessionId)
    if (share !== undefined) share.bytes += bytes
  }

  read(): Pick<ThreadHealth, 'loopDelay' | 'methods' | 'ports' | 'sessions'> {
    const loopDelay = this.#loop.read()
    const methods = [...this.#methods].map(([method, { waits, times }]): MethodHealth => ({
      method,
      count: times.count,
      wait: waits.spread(),
      took: times.spread(),
      totalMs: times.totalMs,
    }))
    return {
      ...(loopDelay === undefined ? {} : { loopDelay }),
      methods: methods.sort((left, right) => right.totalMs - left.totalMs),
      ports: [...this.#ports.values()].map((port) => ({ ...port })),
      sessions: [...this.#sessions.values()].map((share) => ({ ...share })),
    }
  }

  #shareOf(sessionId: string | undefined): Mutable<SessionShare> | undefined {
    if (sessionId === undefined || sessionId === '') return undefined
    return kept(this.#sessions, sessionId, () => ({ sessionId, calls: 0, waitMs: 0, tookMs: 0, bytes: 0 }))
  }
}

/** The entry of `key`, made when missing; the one made first gives way. */
function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  for (const oldest of map.keys()) {
    if (map.size <= MOST_KEPT) break
    map.delete(oldest)
  }
  return made
}

let meter: ThreadMeter | undefined
let name = ''
const startedAt = performance.now()

/** Counts from now on, unless `METONA_METER=off`. Called once, when the thread starts. */
export function startMetering(threadName: string): void {
  name = threadName
  if (process.env['METONA_METER'] === 'off') return
  meter = new ThreadMeter()
  setCallMeter(meter)
}

export function threadHealth(): ThreadHealth {
  const { user, system } = process.threadCpuUsage()
  const memory = process.memoryUsage()
  return {
    name,
    threadId,
    metered: meter !== undefined,
    upMs: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    heapBytes: memory.heapUsed,
    externalBytes: memory.external + memory.arrayBuffers,
    ...(meter?.read() ?? { methods: [], ports: [], sessions: [] }),
  }
}
