/** What a command's result says of names that the sandbox holds, and of files that it masks. */

import { visibleText } from '#workers/shared/visible-text.ts'
import type { MaskedForCommand } from '../sandbox/sandbox.ts'

/** As git says it in English; in another language of the person it stays without explanation. */
const STOPPED = /^error: (.+): can only add regular files, symbolic links or git-directories$/m

/** As a word of its own; what a script starts is not seen. */
const RUNS_GIT = /(?:^|[^\w.-])git(?:\.exe)?(?![\w.-])/
const MOST_NAMES = 10

/** For the model, which otherwise would tell the person to make such a file meanwhile. @returns '' when nothing is held. */
export function heldNote(held: readonly string[]): string {
  if (held.length === 0) return ''
  return ` Until it ends, nobody can make these names in the workspace, where they are not there yet (an empty folder stands for each): ${held.join(', ')}. Make them before, or stop it first.`
}

/** What git says of masked files is so in the sandbox only. @returns undefined when there is nothing to say. */
export function ignoredNote(command: string, { names, ignored }: MaskedForCommand): string | undefined {
  if (!ignored || !RUNS_GIT.test(command)) return undefined
  const first = names.slice(0, MOST_NAMES).map((name) => visibleText(name.slice(0, 200), false))
  const more = names.length > first.length ? ` and ${names.length - first.length} more` : ''
  return `[These may hold secrets, so the sandbox masks them, and git in here counts them as ignored, unless it has them already or .gitignore takes them in again: ${first.join(', ')}${more}. Whether they are ignored outside, status and check-ignore do not say here; read .gitignore for that.]`
}

/** @returns undefined when there is nothing to say. */
export function maskedNote(output: string): string | undefined {
  const name = STOPPED.exec(output)?.[1]
  if (name === undefined) return undefined
  // What the command wrote is no text to be run: only a plain name stands in the advice.
  const advice = /^[\w./-]+$/.test(name) ? ` (git add -A -- ':!${name}')` : ''
  return `[${visibleText(name.slice(0, 200), false)} may hold secrets, so the sandbox shows it as an empty device, and git cannot add that. It was not changed. Leave it out${advice}, or name it in the command when it is meant to be committed: the person is then asked.]`
}
