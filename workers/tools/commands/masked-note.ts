/** What a command's result says where git stopped at a file that the sandbox masks. */

import { visibleText } from '#workers/shared/visible-text.ts'

/** As git says it in English; in another language of the person it stays without explanation. */
const STOPPED = /^error: (.+): can only add regular files, symbolic links or git-directories$/m

/** @returns undefined when there is nothing to say. */
export function maskedNote(output: string): string | undefined {
  const name = STOPPED.exec(output)?.[1]
  if (name === undefined) return undefined
  // What the command wrote is no text to be run: only a plain name stands in the advice.
  const advice = /^[\w./-]+$/.test(name) ? ` (git add -A -- ':!${name}')` : ''
  return `[${visibleText(name.slice(0, 200), false)} may hold secrets, so the sandbox shows it as an empty device, and git cannot add that. It was not changed. Leave it out${advice}, or name it in the command when it is meant to be committed: the person is then asked.]`
}
