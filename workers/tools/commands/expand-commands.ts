/** Every command of a line and what each of them starts that stands on the line too, however deep. */
import type { CommandPartCode } from '#contracts/tools/approval-reasons.ts'
import { innerCommands } from '../domain/shell/inner-commands.ts'
import { readCommandLine } from './read-command-line.ts'

export interface ExpandedCommands {
  readonly commands: readonly {
    readonly argv: readonly string[]
    /** Words may come to it that are not on the line. */ readonly open: boolean
  }[]
  /** Something is started that is not on the line, or cannot be told. */
  readonly hidden: boolean
  /** Why a string that a shell is given is more than plain words. */
  readonly unclear?: CommandPartCode
}

/** Nobody nests deeper to be understood. */
const MAX_DEPTH = 6
const MAX_COMMANDS = 500

export async function expandCommands(commands: readonly (readonly string[])[]): Promise<ExpandedCommands> {
  const found: { argv: readonly string[]; open: boolean }[] = []
  let hidden = false
  let unclear: CommandPartCode | undefined

  const visit = async (argv: readonly string[], open: boolean, depth: number): Promise<void> => {
    found.push({ argv, open })
    const inner = innerCommands(argv)
    hidden ||= inner.hidden
    if (inner.commands.length + inner.lines.length === 0) return
    if (depth >= MAX_DEPTH || found.length >= MAX_COMMANDS) {
      hidden = true
      return
    }
    for (const command of inner.commands) await visit(command, open || inner.open, depth + 1)
    for (const line of inner.lines) {
      const reading = await readCommandLine(line)
      if (!reading.ok) unclear ??= reading.reason
      const started = reading.ok ? reading.parts.map((part) => part.argv) : reading.commands
      if (started === undefined) hidden = true
      for (const command of started ?? []) await visit(command, open, depth + 1)
    }
  }
  for (const argv of commands) await visit(argv, false, 0)
  return { commands: found, hidden, ...(unclear === undefined ? {} : { unclear }) }
}
