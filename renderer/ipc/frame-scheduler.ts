/** Runs one task at the next animation frame, or after a while where frames do not come (hidden page, no window). */

export interface FrameScheduler {
  /** Asks for one run of the task; further calls before it runs change nothing. */
  request(): void
  cancel(): void
}

/** A hidden page gets no frames; the state must go on being taken in, only slower. */
const WITHOUT_FRAMES_MS = 250

export function createFrameScheduler(task: () => void): FrameScheduler {
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const cancel = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = undefined
    timer = undefined
  }
  const run = (): void => {
    cancel()
    task()
  }
  return {
    request() {
      if (timer !== undefined) return
      if (typeof requestAnimationFrame === 'function') frame = requestAnimationFrame(run)
      timer = setTimeout(run, WITHOUT_FRAMES_MS)
    },
    cancel,
  }
}
