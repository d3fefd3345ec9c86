/** Tells the host which posts were taken in, at most once per interval. Without acks it stops sending deltas. */
import { ACK_INTERVAL_MS } from '#contracts/session/client-protocol.ts'

export interface Credit {
  /** All posts up to this number were folded. */
  taken(post: number): void
  /** A new connection counts posts anew. */
  reset(): void
}

export function createCredit(send: (post: number) => void, now: () => number = Date.now): Credit {
  let latest = 0
  let acknowledged = 0
  let lastSent = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (latest === acknowledged) return
    acknowledged = latest
    lastSent = now()
    send(latest)
  }
  return {
    taken(post) {
      latest = post
      if (timer !== undefined) return
      const wait = lastSent + ACK_INTERVAL_MS - now()
      if (wait <= 0) flush()
      else timer = setTimeout(flush, wait)
    },
    reset() {
      clearTimeout(timer)
      timer = undefined
      latest = 0
      acknowledged = 0
      lastSent = -Infinity
    },
  }
}
