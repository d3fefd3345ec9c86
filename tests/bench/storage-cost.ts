/** The storage part alone: what durable commits cost a tool step, and what many streaming sessions cost the storage thread. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { openStorage, type TestStorage } from '#tests/workers/storage/open-storage.ts'
import { numbered, randomFrom, randomText, sessionScript } from '#tests/workers/storage/session-script.ts'
import { startStorageThread, type StorageThread } from '#tests/workers/storage/storage-thread.ts'
import type { BenchRow, Figure } from './bench-row.ts'
import { busySeconds, cpuOf, quantile } from './measure.ts'

const SESSIONS = 16
const TOKENS_PER_SECOND = 100
const CHARACTERS_PER_TOKEN = 4
const PARTIAL_MS = 750

export const storageCost: BenchRow = {
  name: 'storage-cost',
  title: 'storage alone: durable intent and outcome; 16 sessions at 100 tokens/s',
  run: async ({ size, scratch }) => {
    const [busyBefore, ownBefore, startedAt] = [await busySeconds(), await cpuOf([process.pid]), performance.now()]
    const steps = await toolSteps(await scratch(), await scratch(), size === 'full' ? 1000 : 200)
    const stream = await streamingSessions(await scratch(), size === 'full' ? 30 : 8)
    const wallSeconds = (performance.now() - startedAt) / 1000
    const foreign = (await busySeconds()) - busyBefore - ((await cpuOf([process.pid])) - ownBefore)
    return {
      foreignCores: Math.max(0, foreign / wallSeconds),
      figures: [...steps.figures, ...stream.figures],
      raw: { steps: steps.raw, stream: stream.raw },
    }
  },
}

/** Intent, then outcome, each acknowledged before the next: with commits synced and, in turns, without. */
async function toolSteps(full: string, normal: string, count: number): Promise<{ figures: Figure[]; raw: unknown }> {
  const durable = await opened(full, 'FULL')
  const fast = await opened(normal, 'NORMAL')
  const times = { full: [] as number[], normal: [] as number[] }
  for (let step = 0; step < count; step++) {
    times.full.push(await toolStep(durable, step))
    times.normal.push(await toolStep(fast, step))
  }
  await durable.close()
  await fast.close()
  const difference = (share: number): number => quantile(times.full, share) - quantile(times.normal, share)
  return {
    figures: [
      { name: 'durable step, p50 over unsynced', ours: difference(0.5), unit: 'ms', budget: 1.5, kind: 'time' },
      { name: 'durable step, p99 over unsynced', ours: difference(0.99), unit: 'ms', budget: 8, kind: 'time' },
      { name: 'durable step, p50', ours: quantile(times.full, 0.5), unit: 'ms', kind: 'time' },
      { name: 'durable step, p99', ours: quantile(times.full, 0.99), unit: 'ms', kind: 'time' },
    ],
    raw: times,
  }
}

async function opened(folder: string, synchronous: 'FULL' | 'NORMAL'): Promise<TestStorage> {
  const storage = openStorage(folder, { connection: { synchronous } })
  await storage.open()
  await storage.append(sessionScript({ sessionId: 's_bench', turns: 0 }))
  return storage
}

async function toolStep(storage: TestStorage, step: number): Promise<number> {
  const seq = 1 + step * 2
  const ts = new Date(1_780_000_000_000 + step).toISOString()
  const toolCallId = `tc_${step}`
  const about = { iteration: 1, tool: 'read_file', toolCallId, turn: 1 }
  const intent = numbered({ event: 'tool_call', ...about, args: { file_path: 'data.csv' } }, seq, 's_bench', ts)
  const outcome = numbered(
    { event: 'tool_result', ...about, success: true, durationMs: 3, result: 'x'.repeat(400), outcome: 'ok' },
    seq + 1,
    's_bench',
    ts,
  )
  const start = performance.now()
  await storage.append([intent])
  await storage.append([outcome])
  return performance.now() - start
}

/** Each session streams, keeps its text every 750 ms, and ends an iteration every 5 seconds. */
async function streamingSessions(base: string, seconds: number): Promise<{ figures: Figure[]; raw: unknown }> {
  const folder = path.join(base, 'work')
  await mkdir(folder)
  const thread = await startStorageThread(path.join(base, 'profile'))
  const { client } = thread.connection
  await client.openWorkspace({ path: folder, trust: 'once', mode: 'write', waitMs: 0 })
  await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) =>
      client.appendEvents({ workspace: folder, events: sessionScript({ sessionId: `s_${index}`, turns: 0 }) }),
    ),
  )
  const before = { cpu: await thread.worker.cpuUsage(), commits: (await client.health({})).commits, at: performance.now() }
  await Promise.all(Array.from({ length: SESSIONS }, (_, index) => streamOne(thread, folder, index, seconds)))
  const after = { cpu: await thread.worker.cpuUsage(), commits: (await client.health({})).commits, at: performance.now() }
  const elapsed = (after.at - before.at) / 1000
  const cpuSeconds = (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1e6
  await thread.stop()
  return {
    figures: [
      { name: 'storage thread, 16 sessions', ours: (100 * cpuSeconds) / elapsed, unit: '% of a core', budget: 6, kind: 'cpu' },
      { name: 'commits, 16 sessions', ours: (after.commits - before.commits) / elapsed, unit: '/s', budget: 40, kind: 'count' },
    ],
    raw: { elapsed, cpuSeconds, commits: after.commits - before.commits },
  }
}

async function streamOne(thread: StorageThread, folder: string, index: number, seconds: number): Promise<void> {
  const { client } = thread.connection
  const sessionId = `s_${index}`
  const random = randomFrom(index + 1)
  // Sessions of real people do not keep step.
  await wait(random() * PARTIAL_MS)
  let seq = 1
  const end = performance.now() + seconds * 1000
  for (let iteration = 1; performance.now() < end; iteration++) {
    let text = ''
    for (let part = 0; part < 6; part++) {
      await wait(PARTIAL_MS)
      text += randomText(random, (TOKENS_PER_SECOND * CHARACTERS_PER_TOKEN * PARTIAL_MS) / 1000)
      const updatedAt = new Date().toISOString()
      await client.savePartial({
        workspace: folder,
        partial: { sessionId, messageId: `a_${iteration}`, turn: 1, iteration, text, thinking: '', updatedAt },
      })
    }
    const events = iterationEvents(sessionId, seq, iteration, text)
    seq += events.length
    await client.appendEvents({ workspace: folder, events })
    await client.clearPartial({ workspace: folder, sessionId })
  }
}

function iterationEvents(sessionId: string, seq: number, iteration: number, content: string): SessionEvent[] {
  const ts = new Date().toISOString()
  const usage = { inputTokens: 1000, outputTokens: 450, totalTokens: 1450 }
  const about = { iteration, turn: 1 }
  const model = { provider: 'demo', model: 'scripted', requestId: `r_${sessionId}_${iteration}` }
  return [
    numbered({ event: 'iteration_start', ...about }, seq, sessionId, ts),
    numbered(
      { event: 'llm_request', ...about, ...model, messages: [], messageCount: iteration, messagesHash: 'f'.repeat(64) },
      seq + 1,
      sessionId,
      ts,
    ),
    numbered(
      { event: 'llm_response', ...about, ...model, content, finishReason: 'stop', usage, messageId: `a_${iteration}`, durationMs: 4500 },
      seq + 2,
      sessionId,
      ts,
    ),
    numbered({ event: 'iteration_end', ...about, durationMs: 4600 }, seq + 3, sessionId, ts),
  ]
}
