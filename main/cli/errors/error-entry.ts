/**
 * One failure as a terminal shows it: its exit code and what to say. Each text has up to three lines: what happened, what it
 * means, what to do. `{name}` is filled from the error's params.
 */
import type { ExitCode } from '../exit-code.ts'
import type { Language } from '../language.ts'

export interface ErrorEntry extends Readonly<Record<Language, string>> {
  readonly exit: ExitCode
  /** The original message adds something the text cannot know. */
  readonly detail?: true
}

export const entry = (exit: ExitCode, en: string, zh: string, detail?: true): ErrorEntry => ({
  exit,
  en,
  zh,
  ...(detail === undefined ? {} : { detail }),
})
