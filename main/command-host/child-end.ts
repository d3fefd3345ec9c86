/** A child may end while something else is waited for: whoever asks afterwards hears of it all the same, and gets its output. */
import type { ChildProcess } from 'node:child_process'

type Told = (exitCode: number | null, signal: NodeJS.Signals | null) => void

/** Calls once, at once when it has ended already. */
export function whenEnded(child: ChildProcess, told: Told): void {
  if (child.exitCode === null && child.signalCode === null) child.once('exit', told)
  else told(child.exitCode, child.signalCode)
}

/**
 * What it writes stays until somebody reads: at its end Node throws away output that nobody listens to.
 * @returns to be called once there are listeners for its output; it then comes to them from its beginning.
 */
export function keepOutput(child: ChildProcess): () => void {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null)
  for (const stream of streams) stream.on('readable', wait).on('error', wait)
  return () => {
    for (const stream of streams) stream.removeListener('readable', wait).removeListener('error', wait)
  }
}

/** A stream with such a listener does not flow; what went wrong with it stands in `errored`. */
function wait(): void {}
