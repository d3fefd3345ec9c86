/** A command gets what the window, the model's stream and the other sessions leave over; alone on the machine it gets all of it. */
import { writeFile } from 'node:fs/promises'
import { getPriority, setPriority } from 'node:os'

const NICENESS = 5
/** Linux: a session of processes shares the processor with other sessions as one, whatever the niceness within (sched(7), "autogroup"). */
const SESSION_NICENESS = '10'
/** And when memory runs out, the command goes first. */
const FIRST_TO_GO = '500'

/** @param pid the leader of a session of its own. What it starts later inherits all of it. */
export function yieldToOthers(pid: number): void {
  try {
    // Only ever more than our own, which may have been raised: nobody but root may lower it.
    setPriority(pid, Math.min(19, getPriority() + NICENESS))
  } catch {
    // It has ended already, or became somebody else's (sudo), or this machine allows nobody to: a courtesy must not cost the command.
  }
  if (process.platform !== 'linux') return
  // A kernel without autogroups has no such file, and one takes an ordinary user's word only ten times a second.
  void writeFile(`/proc/${pid}/autogroup`, SESSION_NICENESS).catch(() => undefined)
  void writeFile(`/proc/${pid}/oom_score_adj`, FIRST_TO_GO).catch(() => undefined)
}
