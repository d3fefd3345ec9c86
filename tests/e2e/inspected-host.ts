/** The busy host with everything behind its sessions that can be looked at. */
import type { ScriptedHost } from '../helpers/scripted-host.ts'
import { busyHost, NOW, type SceneOptions } from './screenshot-scenes.ts'

export function inspectedHost(options: SceneOptions): ScriptedHost {
  const host = busyHost(options)
  const start = NOW.getTime() - 60_000
  const calls = host.session('s_spike').items.filter((item) => item.kind === 'tool')
  host.answer('session.changes', () => ({
    changes: calls.slice(0, 2).map((call, index) => ({
      toolCallId: call.id,
      turn: call.turn,
      at: start + index * 20_000,
      path: index === 0 ? 'src/reconcile.ts' : 'tests/refunds/reconcile-partial-refunds.test.ts',
      created: index === 1,
    })),
  }))
  const span = (name: string, kind: string, from: number, to: number): object => ({
    name,
    kind,
    startedAt: start + from,
    endedAt: start + to,
  })
  host.answer('inspect.traces', () => ({
    traces: [1, 2].map((iteration) => ({
      file: `trace_s_spike_1_${iteration}.json`,
      turn: 1,
      iteration,
      startedAt: start,
      endedAt: start + 14_000,
      spans: [
        span('build context', 'context', 0, 40),
        span('deepseek queue', 'queue', 40, 1200),
        span('chat deepseek-v4-pro', 'model', 1200, 8600),
        span('run_command', 'approval', 8600, 11_400),
        span('run_command', 'tool', 11_400, 14_000),
      ],
    })),
  }))
  host.answer('inspect.context', () => ({
    parts: {
      partitions: [
        { name: 'SOUL.md', tokens: 310 },
        { name: 'AGENTS.md', tokens: 1840 },
        { name: '', tokens: 920 },
      ],
      tools: { count: 15, tokens: 4120 },
      history: { messages: 24, user: 640, assistant: 3900, toolResults: 28_450, summary: 0 },
      estimated: 40_180,
      reported: 39_912,
      budget: 92_000,
      window: 131_072,
      counter: 'exact:deepseek',
    },
  }))
  host.answer('session.read', ({ sessionId, fromSeq }) => ({
    events: [
      { seq: fromSeq, ts: new Date(start).toISOString(), event: 'iteration_start', sessionId, iteration: 1, turn: 1, eventId: 'e_1' },
      {
        seq: fromSeq + 1,
        ts: new Date(start + 9000).toISOString(),
        event: 'iteration_end',
        sessionId,
        iteration: 1,
        durationMs: 9000,
        turn: 1,
        eventId: 'e_2',
      },
    ],
  }))
  host.answer('files.find', () => ({
    files: [
      'src/reconcile.ts',
      'src/records/reconcile-day.ts',
      'tests/refunds/reconcile-partial-refunds.test.ts',
      'docs/reconciliation.md',
    ].map((path) => {
      const from = path.lastIndexOf('rec')
      return { path, at: [from, from + 1, from + 2] }
    }),
    total: 4,
    complete: true,
  }))
  return host
}
