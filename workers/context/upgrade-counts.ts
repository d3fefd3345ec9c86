/** Replaces a large session's scanned counts by exact ones while the thread has nothing else to do. */
import { setImmediate } from 'node:timers/promises'
import type { SessionContext } from './session-context.ts'

/** Below this share of the budget no trigger is near and the anchored estimate is good enough. */
const WORTHWHILE_RATIO = 0.35
const SLICE_MS = 5

const running = new WeakSet<SessionContext>()

/** Returns at once; tasks that come meanwhile run between the slices. */
export function scheduleExactCounts(session: SessionContext, budgetRatio: number): void {
  if (budgetRatio < WORTHWHILE_RATIO || running.has(session)) return
  running.add(session)
  void countInSlices(session)
    .catch(() => false) // The vocabulary did not load: the scanner's counts stay, the next build tries again.
    .finally(() => running.delete(session))
}

async function countInSlices(session: SessionContext): Promise<void> {
  for (;;) {
    const { sent } = session
    if (sent === undefined) return
    const meter = session.meter(sent.provider, sent.model)
    if (!(await meter.load())) return
    await setImmediate()
    if (meter.upgrade(sent.messages, SLICE_MS, () => performance.now()) && session.sent === sent) return
  }
}
