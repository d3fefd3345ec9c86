/** What every command gets. */
import type { ParsedArguments } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'
import { explainError, type Speech } from './explain-error.ts'
import type { Interruption } from './interruption.ts'
import type { Output } from './output.ts'

export interface CommandContext extends Speech {
  readonly arguments: ParsedArguments
  readonly json: boolean
  readonly out: Output
  readonly err: Output
  readonly environment: NodeJS.ProcessEnv
  /** The folder `-w` names, else the current one. Absolute; links are not followed. */
  readonly folder: string
  readonly interruption: Interruption
}

export type Command = (context: CommandContext) => Promise<ExitCode>

/** Says on stderr what went wrong. @returns the exit code that goes with it. */
export function report(context: CommandContext, thrown: unknown, known: Readonly<Record<string, unknown>> = {}): ExitCode {
  const { text, exit } = explainError(thrown, context, { path: context.folder, ...known })
  context.err.line(text)
  return exit
}
