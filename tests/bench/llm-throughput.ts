/** The llm part alone: a stream through adapter and batcher against a bare reader of the same bytes, and one long tool call. */
import { MessageChannel } from 'node:worker_threads'
import { createParser } from 'eventsource-parser'
import type { Port } from '#contracts/wire/port.ts'
import { startFakeProvider, type FakeAnswer, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { requestOf } from '#tests/workers/llm/llm-worker.ts'
import { registry } from '#workers/llm/adapters/registry.ts'
import { createTransport, type Transport } from '#workers/llm/adapters/transport.ts'
import { createModelTable } from '#workers/llm/domain/model-table.ts'
import { newToolCallId } from '#workers/llm/new-tool-call-id.ts'
import { StreamBatcher } from '#workers/llm/stream-batcher.ts'
import type { BenchRow } from './bench-row.ts'
import { busySeconds, cpuOf, median } from './measure.ts'

interface Run {
  readonly wallMs: number
  readonly cpuSeconds: number
}

export const llmThroughput: BenchRow = {
  name: 'llm-throughput',
  title: 'llm alone: a token stream, and one tool argument four times as long as another',
  run: async ({ pairs, size }) => {
    const tokens = size === 'full' ? 100_000 : 30_000
    // In MiB.
    const [small, large] = size === 'full' ? [1, 4] : [0.25, 1]
    const provider = await startFakeProvider()
    const transport = createTransport()
    const [busyBefore, ownBefore, startedAt] = [await busySeconds(), await cpuOf([process.pid, provider.pid]), performance.now()]
    try {
      const runs: { ours: Run; floor: Run; small: Run; large: Run }[] = []
      for (let pair = 0; pair <= pairs; pair += 1) {
        const floor = await measured(provider, { tokens }, () => bareRead(provider.baseUrl))
        const ours = await measured(provider, { tokens }, () => throughAdapter(provider.baseUrl, transport))
        const shortCall = await measured(provider, toolCall(small), () => throughAdapter(provider.baseUrl, transport))
        const longCall = await measured(provider, toolCall(large), () => throughAdapter(provider.baseUrl, transport))
        // The first round warms the compiler up and is not counted.
        if (pair > 0) runs.push({ ours, floor, small: shortCall, large: longCall })
      }
      const wallSeconds = (performance.now() - startedAt) / 1000
      const foreign = (await busySeconds()) - busyBefore - ((await cpuOf([process.pid, provider.pid])) - ownBefore)
      const of = (pick: (run: (typeof runs)[number]) => number): number => median(runs.map(pick))
      const rate = (run: Run): number => tokens / (run.wallMs / 1000)
      return {
        foreignCores: Math.max(0, foreign / wallSeconds),
        figures: [
          {
            name: 'rate',
            ours: of((run) => rate(run.ours)),
            floor: of((run) => rate(run.floor)),
            unit: 'tokens/s',
            ratio: true,
            atLeast: true,
            kind: 'time',
          },
          {
            name: 'CPU',
            ours: of((run) => run.ours.cpuSeconds),
            floor: of((run) => run.floor.cpuSeconds),
            unit: 's',
            ratio: true,
            kind: 'cpu',
          },
          {
            name: `CPU of a ${large} MiB argument over four of ${small} MiB`,
            ours: of((run) => run.large.cpuSeconds),
            floor: of((run) => run.small.cpuSeconds * 4),
            unit: 's',
            ratio: true,
            kind: 'cpu',
          },
        ],
        raw: runs,
      }
    } finally {
      transport.close()
      await provider.stop()
    }
  },
}

/** Written in pieces of four characters, as the fake provider streams every argument. */
function toolCall(mebibytes: number): FakeAnswer {
  return { toolCalls: [{ name: 'write_file', args: { file_path: 'a', content: 'x'.repeat(mebibytes * 1024 * 1024) } }] }
}

async function measured(provider: FakeProvider, answer: FakeAnswer, run: () => Promise<void>): Promise<Run> {
  await provider.reset()
  await provider.script([answer])
  const [wall, cpu] = [performance.now(), process.cpuUsage()]
  await run()
  const used = process.cpuUsage(cpu)
  return { wallMs: performance.now() - wall, cpuSeconds: (used.user + used.system) / 1e6 }
}

async function throughAdapter(baseUrl: string, transport: Transport): Promise<void> {
  const { provider } = await (registry['deepseek'] ?? fail)()
  const sleep = (): Promise<void> => Promise.resolve()
  const adapter = provider.create({
    apiKey: 'sk-bench',
    baseUrl,
    table: createModelTable(),
    transport,
    now: Date.now,
    newToolCallId,
    random: Math.random,
    sleep,
  })
  const channel = new MessageChannel()
  const batcher = new StreamBatcher(channel.port2 as unknown as Port)
  const drained = new Promise<void>((resolve) => channel.port1.on('close', () => resolve()))
  channel.port1.on('message', () => undefined)
  const response = await adapter.sendStream(requestOf('go', { meta: { model: 'deepseek-flash' } }), (event) => batcher.add(event))
  batcher.close()
  await drained
  if (response.error !== undefined) throw new Error(response.error.message)
}

async function bareRead(baseUrl: string): Promise<void> {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'deepseek-flash', stream: true, messages: [] }),
  })
  let content = ''
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return
      content += (JSON.parse(data) as { choices: { delta: { content?: string } }[] }).choices[0]?.delta.content ?? ''
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }))
  if (content === '') throw new Error('the floor read nothing')
}

function fail(): never {
  throw new Error('no such provider')
}
