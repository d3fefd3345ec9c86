/** A pipeline at work, as the pictures of its page show it. */
import type { PipelineHealth } from '#contracts/health/pipeline-health.ts'
import type { MethodHealth, ThreadHealth } from '#contracts/health/thread-health.ts'

const call = (method: string, count: number, wait: number, p50: number, p99: number): MethodHealth => ({
  method,
  count,
  wait: { p50Ms: wait / 4, p99Ms: wait, maxMs: wait * 2 },
  took: { p50Ms: p50, p99Ms: p99, maxMs: p99 * 1.4 },
  totalMs: count * p50,
})

const thread = (name: string, threadId: number, late: number, rest: Partial<ThreadHealth>): ThreadHealth => ({
  name,
  threadId,
  metered: true,
  upMs: 1_860_000,
  cpuMs: 21_000 * threadId,
  heapBytes: (18 + threadId * 5) * 1024 * 1024,
  externalBytes: 2_000_000,
  loopDelay: { meanMs: 0.2, p99Ms: late, maxMs: late * 3 },
  methods: [],
  ports: [],
  sessions: [],
  ...rest,
})

const times = { contextMs: 420, queueMs: 0, firstTokenMs: 14_200, streamMs: 46_300, approvalMs: 0, toolMs: 8_900, commitMs: 610 }

export const pipelineAtWork: PipelineHealth = {
  host: {
    workers: [{ name: 'session', state: 'running', threadId: 1, restarts: 0, startedInMs: 82, utilization: 0.04 }],
    clients: 1,
    commandHost: true,
    loopDelay: { meanMs: 0.1, p99Ms: 1.2, maxMs: 4.6 },
  },
  threads: [
    thread('session', 1, 2.1, {
      methods: [call('context.build', 34, 1.1, 2.4, 18), call('session.subscribe', 12, 0, 0.6, 3.1)],
      ports: [{ port: 'client_1', messages: 18_204, bytes: 9_804_112 }],
    }),
    thread('llm', 3, 3.4, {
      methods: [call('llm.stream', 34, 1.3, 4_210, 31_500)],
      ports: [{ port: 'llm.stream', messages: 15_930, bytes: 4_120_340 }],
    }),
    thread('storage', 2, 1.6, {
      methods: [call('storage.appendEvents', 212, 1.2, 1.9, 8.4), call('storage.searchMessages', 3, 0.4, 21, 44)],
      ports: [{ port: 'storage', messages: 612, bytes: 1_893_004 }],
    }),
    thread('tools', 4, 2.8, {
      methods: [call('tools.run', 29, 0.9, 84, 6_200)],
      ports: [{ port: 'tools.live', messages: 320, bytes: 88_120 }],
    }),
    thread('context', 5, 0.9, {}),
  ],
  silent: [],
  sessions: [
    { sessionId: 's_tests', iterations: 9, ...times, toolMs: 1_300 },
    { sessionId: 's_spike', iterations: 12, ...times, approvalMs: 96_000 },
  ],
}
