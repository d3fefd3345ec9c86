/** Notices a thread that no longer turns its event loop. */

export interface HeartbeatTiming {
  readonly intervalMs: number
  /** Beats without an answer after which the thread counts as stuck. */
  readonly missLimit: number
}

export interface Heartbeat {
  answer(id: number): void
  stop(): void
}

/**
 * Counts beats, not milliseconds: while the process is frozen or the machine sleeps no beat is sent, so
 * nothing is held against the thread afterwards. A late answer to any beat clears the count.
 */
export function startHeartbeat(timing: HeartbeatTiming, ping: (id: number) => void, onStuck: (silentMs: number) => void): Heartbeat {
  let sent = 0
  let answered = 0
  const timer = setInterval(() => {
    const missed = sent - answered
    if (missed >= timing.missLimit) {
      clearInterval(timer)
      return onStuck(missed * timing.intervalMs)
    }
    sent += 1
    ping(sent)
  }, timing.intervalMs)
  timer.unref()
  return {
    answer: (id) => {
      if (id > answered && id <= sent) answered = sent
    },
    stop: () => clearInterval(timer),
  }
}
