import { expect, test } from 'vitest'
import type { PipelineHealth } from '#contracts/health/pipeline-health.ts'
import { partsOf, whySlow } from '#renderer/features/pipeline/why-slow.ts'
import { pipelineAtWork } from '#tests/e2e/pipeline-scene.ts'

const late = (name: string, p99Ms: number): PipelineHealth => ({
  ...pipelineAtWork,
  threads: pipelineAtWork.threads.map((thread) =>
    thread.name === name ? { ...thread, loopDelay: { meanMs: 1, p99Ms, maxMs: p99Ms } } : thread,
  ),
})
const slowDisk: PipelineHealth = {
  ...pipelineAtWork,
  threads: pipelineAtWork.threads.map((thread) => ({
    ...thread,
    methods: thread.methods.map((entry) =>
      entry.method === 'storage.appendEvents' ? { ...entry, took: { p50Ms: 240, p99Ms: 900, maxMs: 900 } } : entry,
    ),
  })),
}

test.each<[string, PipelineHealth, unknown]>([
  ['a thread that says nothing comes first', { ...late('llm', 400), silent: ['context'] }, { kind: 'silent', thread: 'context' }],
  ['the latest thread', late('storage', 180), { kind: 'late', thread: 'storage', milliseconds: 180 }],
  ['a slow disk', slowDisk, { kind: 'disk', milliseconds: 240 }],
  ['nothing has run', { ...pipelineAtWork, sessions: [] }, { kind: 'nothing' }],
])('%s', (_name, health, finding) => {
  expect(whySlow(health)).toEqual(finding)
})

test('else where most of the time went, all sessions together', () => {
  const found = whySlow(pipelineAtWork)
  const all = 2 * (420 + 14_200 + 46_300 + 610) + 1_300 + 8_900 + 96_000
  expect(found).toEqual({ kind: 'part', part: 'approvalMs', share: 96_000 / all })
})

test('parts that took no time are left out, the others stay in their order', () => {
  const [first] = pipelineAtWork.sessions
  expect(first && partsOf(first).map(({ part }) => part)).toEqual(['contextMs', 'firstTokenMs', 'streamMs', 'toolMs', 'commitMs'])
})
