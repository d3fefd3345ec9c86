/** The context part alone on a history of a million tokens: one more build, its estimate, a cold exact count, and what the calling thread feels. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { Piscina } from 'piscina'
import { BuildOutputSchema, type BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { buildAsRead } from '#tests/helpers/build-as-read.ts'
import { HistoryMaker } from '#tests/workers/context/make-history.ts'
import { build, forget } from '#workers/context/entry.ts'
import { estimateRequest } from '#workers/context/estimate.ts'
import { TokenMeter } from '#workers/context/token-meter.ts'
import type { BenchRow } from './bench-row.ts'
import { busySeconds, cpuOf, median, quantile } from './measure.ts'

const MODEL = { provider: 'deepseek', id: 'deepseek-v4-pro', contextWindow: 2_000_000, maxOutput: 64_000 }
const TOKENS = 1_000_000

export const contextCost: BenchRow = {
  name: 'context-cost',
  title: 'context alone: a history of a million tokens and four new messages',
  run: async ({ size, scratch }) => {
    const builds = size === 'full' ? 120 : 40
    const workspace = await scratch()
    const [busyBefore, ownBefore, startedAt] = [await busySeconds(), await cpuOf([process.pid]), performance.now()]
    const maker = new HistoryMaker(1)
    const meter = new TokenMeter(MODEL.provider, MODEL.id)
    for (let tokens = 0; tokens < TOKENS;) {
      maker.user(maker.text(600))
      const messages = [maker.messages.at(-1) as MetonaMessage, ...maker.toolStep([4_000, 2_000]), maker.assistant(maker.text(900))]
      tokens += messages.reduce((sum, message) => sum + meter.message(message), 0)
    }
    const coldMs = await coldCount(maker.messages)
    const estimates = warmEstimates(meter, maker, builds)
    const inThread = await warmBuilds(workspace, maker, builds)
    const calling = await callingThread(workspace, maker, builds)
    const wallSeconds = (performance.now() - startedAt) / 1000
    const foreign = (await busySeconds()) - busyBefore - ((await cpuOf([process.pid])) - ownBefore)
    return {
      foreignCores: Math.max(0, foreign / wallSeconds),
      figures: [
        { name: 'estimate again, median', ours: median(estimates), unit: 'ms', budget: 2, kind: 'time' },
        { name: 'build, p99', ours: quantile(inThread, 0.99), unit: 'ms', budget: 20, kind: 'time' },
        { name: 'cold exact count', ours: coldMs, unit: 'ms', budget: 1_500, kind: 'time' },
        { name: 'build and answer over the thread, median', ours: median(calling.roundTrips), unit: 'ms', kind: 'time' },
        { name: 'delay of the calling thread, p99 net', ours: calling.delayMs, unit: 'ms', budget: 10, kind: 'time' },
      ],
      raw: { messages: maker.messages.length, estimates, inThread, coldMs, calling },
    }
  },
}

/** Loading the vocabulary is part of it. */
async function coldCount(messages: readonly MetonaMessage[]): Promise<number> {
  const fresh = new TokenMeter(MODEL.provider, MODEL.id)
  const start = performance.now()
  await fresh.load()
  fresh.upgrade(messages, Infinity, () => 0)
  return performance.now() - start
}

function warmEstimates(meter: TokenMeter, maker: HistoryMaker, times: number): number[] {
  const history = maker.messages.slice()
  for (const message of history) meter.message(message)
  return Array.from({ length: times }, () => {
    history.push(...fourMore(maker))
    const start = performance.now()
    estimateRequest(meter, undefined, undefined, 5_000, history)
    return performance.now() - start
  })
}

async function warmBuilds(workspace: string, maker: HistoryMaker, times: number): Promise<number[]> {
  const session = new BuildInputs(workspace, maker, 's_bench1')
  await buildAsRead(build, session.first())
  await build(session.next())
  const took: number[] = []
  for (let index = 0; index < times; index++) {
    const task = session.next()
    const start = performance.now()
    await build(task)
    took.push(performance.now() - start)
  }
  forget({ sessionId: 's_bench1' })
  return took
}

/** Plays the session worker: sends what is new, receives the whole request, parses it. */
async function callingThread(workspace: string, maker: HistoryMaker, times: number): Promise<{ roundTrips: number[]; delayMs: number }> {
  const pool = new Piscina({
    filename: new URL('../../workers/context/entry.ts', import.meta.url).pathname,
    minThreads: 1,
    maxThreads: 1,
    atomics: 'disabled',
  })
  try {
    const session = new BuildInputs(workspace, maker, 's_bench2')
    await buildAsRead((input) => pool.run(input, { name: 'build' }), session.first())
    await pool.run(session.next(), { name: 'build' })
    const idle = await delayDuring(() => wait(1_000))
    const roundTrips: number[] = []
    const busy = await delayDuring(async () => {
      for (let index = 0; index < times; index++) {
        const start = performance.now()
        BuildOutputSchema.parse(await pool.run(session.nextHeld(), { name: 'build' }))
        roundTrips.push(performance.now() - start)
        await wait(20)
      }
    })
    return { roundTrips, delayMs: Math.max(0, busy - idle) }
  } finally {
    await pool.destroy()
  }
}

/** p99 in milliseconds. */
async function delayDuring(run: () => Promise<unknown>): Promise<number> {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  await run()
  monitor.disable()
  return monitor.percentile(99) / 1e6
}

class BuildInputs {
  readonly #workspace: string
  readonly #maker: HistoryMaker
  readonly #sessionId: string
  readonly #history: MetonaMessage[]
  #requests = 0

  constructor(workspace: string, maker: HistoryMaker, sessionId: string) {
    this.#workspace = workspace
    this.#maker = maker
    this.#sessionId = sessionId
    this.#history = maker.messages.slice()
  }

  first(): BuildTask {
    return this.#task(0, this.#history)
  }

  next(): BuildTask {
    const from = this.#history.length
    const messages = fourMore(this.#maker)
    this.#history.push(...messages)
    return this.#task(from, messages)
  }

  /** The caller still holds the previous list. */
  nextHeld(): BuildTask {
    const heldRequestId = `r_${this.#requests}`
    return { ...this.next(), heldRequestId }
  }

  #task(from: number, messages: MetonaMessage[]): BuildTask {
    return {
      sessionId: this.#sessionId,
      requestId: `r_${++this.#requests}`,
      agentVersion: '1',
      workspace: this.#workspace,
      model: MODEL,
      contextBudget: 1_900_000,
      from,
      messages,
      tools: [],
      iteration: 1,
      userInput: 'go',
      thinkingEnabled: false,
      now: 0,
    }
  }
}

function fourMore(maker: HistoryMaker): MetonaMessage[] {
  return [...maker.toolStep([400, 300]), maker.assistant(maker.text(200))]
}
