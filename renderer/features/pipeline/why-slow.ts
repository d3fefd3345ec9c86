/** The one sentence that answers "why is it slow?", from what the pipeline says of itself. Pure. */
import type { PipelineHealth, SessionTimes } from '#contracts/health/pipeline-health.ts'

/** Where a session's time can go, in the order in which a turn goes through it. */
export const PARTS = ['contextMs', 'queueMs', 'firstTokenMs', 'streamMs', 'approvalMs', 'toolMs', 'commitMs'] as const
export type Part = (typeof PARTS)[number]

export type Finding =
  | { readonly kind: 'silent'; readonly thread: string }
  | { readonly kind: 'late'; readonly thread: string; readonly milliseconds: number }
  | { readonly kind: 'disk'; readonly milliseconds: number }
  | { readonly kind: 'part'; readonly part: Part; readonly share: number }
  | { readonly kind: 'nothing' }

/** An event loop that runs later than this is felt. */
const LATE_MS = 50
/** A commit takes a few milliseconds on a good disk. */
const SLOW_COMMIT_MS = 100

/** What is broken before what is slow, what is slow before where the time goes in good order. */
export function whySlow(health: PipelineHealth): Finding {
  const silent = health.silent[0]
  if (silent !== undefined) return { kind: 'silent', thread: silent }
  const late = [
    ...health.threads.map((thread) => ({ thread: thread.name, milliseconds: thread.loopDelay?.p99Ms ?? 0 })),
    { thread: 'host', milliseconds: health.host?.loopDelay.p99Ms ?? 0 },
  ].sort((left, right) => right.milliseconds - left.milliseconds)[0]
  if (late !== undefined && late.milliseconds > LATE_MS) return { kind: 'late', ...late }
  const commit = health.threads.flatMap((thread) => thread.methods).find((entry) => entry.method === 'storage.appendEvents')
  if (commit !== undefined && commit.took.p50Ms > SLOW_COMMIT_MS) return { kind: 'disk', milliseconds: commit.took.p50Ms }
  const total = PARTS.map((part) => ({ part, ms: health.sessions.reduce((sum, session) => sum + session[part], 0) }))
  const all = total.reduce((sum, { ms }) => sum + ms, 0)
  const most = total.sort((left, right) => right.ms - left.ms)[0]
  return most === undefined || all === 0 ? { kind: 'nothing' } : { kind: 'part', part: most.part, share: most.ms / all }
}

/** The parts that took any time, in their order. */
export function partsOf(session: SessionTimes): { part: Part; milliseconds: number }[] {
  return PARTS.map((part) => ({ part, milliseconds: session[part] })).filter(({ milliseconds }) => milliseconds >= 1)
}
