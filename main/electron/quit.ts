/** Quitting waits until running turns are settled, but never longer than the deadline. */
import type * as Electron from 'electron'

/** Milliseconds from the wish to quit to the end. */
export const QUIT_DEADLINE_MS = 8_000

export function drainBeforeQuit(app: Pick<Electron.App, 'on' | 'quit'>, drain: (deadlineMs: number) => Promise<void>): void {
  let state: 'running' | 'draining' | 'drained' = 'running'
  app.on('before-quit', (event) => {
    if (state === 'drained') return
    event.preventDefault()
    if (state === 'draining') return
    state = 'draining'
    void drain(QUIT_DEADLINE_MS).finally(() => {
      state = 'drained'
      app.quit()
    })
  })
}
