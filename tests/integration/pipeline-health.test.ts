/** What the pipeline says of itself after real work: every thread, every service, each session's share. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PipelineHealth } from '#contracts/health/pipeline-health.ts'
import type { ThreadHealth } from '#contracts/health/thread-health.ts'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline } from '#tests/helpers/pipeline.ts'

let provider: FakeProvider
beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())

async function withPipeline(work: (pipeline: Pipeline, place: CliPlace) => Promise<void>): Promise<void> {
  const place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  const pipeline = startPipeline(place)
  try {
    await pipeline.open()
    await work(pipeline, place)
  } finally {
    await pipeline.stop()
    await place.remove()
  }
}

async function oneTurn(pipeline: Pipeline): Promise<string> {
  await provider.reset()
  await provider.script([
    { toolCalls: [{ name: 'run_command', args: { command: 'sleep 0.2; echo done' } }], firstByteDelayMs: 150 },
    { tokens: 60, tokensPerSecond: 100 },
  ])
  const session = await pipeline.session({ model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' })
  await session.prompt('go')
  await session.ended(1)
  return session.sessionId
}

const threadOf = (health: PipelineHealth, name: string): ThreadHealth | undefined => health.threads.find((thread) => thread.name === name)

test('five threads, their calls, their ports and the session they worked for', { timeout: 60_000 }, async () => {
  await withPipeline(async (pipeline) => {
    const sessionId = await oneTurn(pipeline)
    const health = await pipeline.client.call('health.pipeline', {})
    expect(health.threads.map((thread) => thread.name).sort()).toEqual(['context', 'llm', 'session', 'storage', 'tools'])
    expect(new Set(health.threads.map((thread) => thread.threadId)).size).toBe(5)
    expect(health.silent).toEqual([])
    expect(health.host?.workers.map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'llm running',
      'session running',
      'storage running',
      'tools running',
    ])

    const counted = (name: string, method: string): number | undefined =>
      threadOf(health, name)?.methods.find((entry) => entry.method === method)?.count
    // Storage said what is agreed to when the folder was opened: the first build needs no second one.
    expect([counted('llm', 'llm.stream'), counted('tools', 'tools.run'), counted('session', 'context.build')]).toEqual([2, 1, 2])
    const ran = threadOf(health, 'tools')?.methods.find((entry) => entry.method === 'tools.run')?.took
    expect((ran?.maxMs ?? 0) >= 200, `${ran?.maxMs} ms for a command of 200`).toBe(true)
    const stream = threadOf(health, 'llm')?.ports.find((port) => port.port === 'llm.stream')
    expect((stream?.bytes ?? 0) > 60 * 4, `${stream?.bytes} bytes for 60 tokens`).toBe(true)
    for (const name of ['llm', 'tools', 'storage'])
      expect(threadOf(health, name)?.sessions.map((share) => share.sessionId)).toEqual([sessionId])

    const times = health.sessions.find((session) => session.sessionId === sessionId)
    const parts = {
      iterations: times?.iterations,
      tool: (times?.toolMs ?? 0) >= 200,
      first: (times?.firstTokenMs ?? 0) >= 150,
      stream: (times?.streamMs ?? 0) >= 400,
      commits: (times?.commitMs ?? 0) > 0,
    }
    expect(parts, JSON.stringify(times)).toEqual({ iterations: 2, tool: true, first: true, stream: true, commits: true })
  })
})

test(
  'a turn with a command costs three commits (request, answer with intent, outcome), a fourth where preparing was slow',
  { timeout: 60_000 },
  async () => {
    const TURNS = 8
    await withPipeline(async (pipeline) => {
      await oneTurn(pipeline)
      await provider.reset()
      await provider.script([
        ...Array.from({ length: TURNS }, (_, turn) => ({ toolCalls: [{ name: 'run_command', args: { command: `echo ${turn}` } }] })),
        { text: 'done' },
      ])
      const session = await pipeline.session({ model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' })
      const commits = async (): Promise<number> => {
        const health = await pipeline.client.call('health.pipeline', {})
        return threadOf(health, 'storage')?.methods.find((entry) => entry.method === 'storage.appendEvents')?.count ?? 0
      }
      const before = await commits()
      await session.prompt('go')
      await session.ended(1)
      // The message, the first request, the last answer and the end come on top.
      const perTurn = ((await commits()) - before - 4) / TURNS
      expect(perTurn >= 2.5 && perTurn <= 4, `${perTurn} commits a turn`).toBe(true)
    })
  },
)

test('asking starts nothing: threads nobody needed are not in it', { timeout: 30_000 }, async () => {
  await withPipeline(async (pipeline) => {
    const health = await pipeline.client.call('health.pipeline', {})
    expect(health.threads.some((thread) => thread.name === 'tools')).toBe(false)
    expect(pipeline.host.health().workers.find((worker) => worker.name === 'tools')?.state).toBe('idle')
  })
})

test('while somebody looks, the delay of every event loop is known within seconds', { timeout: 30_000 }, async () => {
  await withPipeline(async (pipeline) => {
    await oneTurn(pipeline)
    const health = await eventually('a delay for each', async () => {
      const found = await pipeline.client.call('health.pipeline', {})
      return found.threads.every((thread) => thread.loopDelay !== undefined) && found
    })
    expect(health.threads.map((thread) => (thread.loopDelay?.maxMs ?? -1) >= 0)).toEqual([true, true, true, true, true])
  })
})

test('switched off, only CPU and heap are said', { timeout: 60_000 }, async () => {
  process.env['METONA_METER'] = 'off'
  try {
    await withPipeline(async (pipeline) => {
      await oneTurn(pipeline)
      const { threads } = await pipeline.client.call('health.pipeline', {})
      expect(threads.length).toBe(5)
      expect(
        threads.map(({ metered, methods, ports, sessions }) => ({ metered, said: methods.length + ports.length + sessions.length })),
      ).toEqual(threads.map(() => ({ metered: false, said: 0 })))
      expect(threads.every((thread) => thread.cpuMs > 0 && thread.heapBytes > 0)).toBe(true)
    })
  } finally {
    delete process.env['METONA_METER']
  }
})
