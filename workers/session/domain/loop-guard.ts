/** Notices a model that asks for the very same call again and again. */

/** From this many identical calls in a row the model is told instead of the tool being run. */
export const REPEATS_TOLD = 4
/** At this many the turn ends. */
export const REPEATS_ENDED = 7

export type LoopVerdict = 'run' | 'tell' | 'end'

export interface LoopGuard {
  /** Call once per tool call, in order, with its frozen arguments' hash. */
  see(argumentsHash: string): LoopVerdict
}

export function createLoopGuard(): LoopGuard {
  let last = ''
  let repeats = 0
  return {
    see: (argumentsHash) => {
      repeats = argumentsHash === last ? repeats + 1 : 1
      last = argumentsHash
      if (repeats >= REPEATS_ENDED) return 'end'
      return repeats >= REPEATS_TOLD ? 'tell' : 'run'
    },
  }
}
