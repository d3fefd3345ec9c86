/**
 * What a command line starts, as far as two independent readers agree: our own, which takes plain words only, and the
 * grammar, which takes all of the language. What one of them doubts is for a person to judge.
 */
import type { CommandPartCode } from '#contracts/tools/approval-reasons.ts'
import { parseCommandLine, type CommandPart } from '../domain/shell/parse-command-line.ts'
import type { SyntaxReading } from '../domain/shell/read-syntax-tree.ts'

/** Longer ones are not looked at. */
const MAX_LENGTH = 4000

export type CommandReading =
  | { readonly ok: true; readonly parts: readonly CommandPart[] }
  | {
      readonly ok: false
      readonly reason: CommandPartCode
      /** Every command in it, where none is hidden: for rules that forbid, never for what allows. */
      readonly commands?: readonly (readonly string[])[]
    }

export async function readCommandLine(line: string): Promise<CommandReading> {
  if (line.length > MAX_LENGTH) return { ok: false, reason: 'length' }
  const own = parseCommandLine(line)
  const grammar = await grammarReading(line)
  if (grammar === undefined) return { ok: false, reason: own.ok ? 'unread' : own.reason }
  const reason = own.ok ? doubt(own.parts, grammar) : own.reason
  if (own.ok && reason === undefined) return own
  // The grammar passes over some text before a backslash or a carriage return.
  const certain = grammar.unclear !== 'syntax' && !grammar.hidesCommands && !/[\\\r]/.test(line)
  return { ok: false, reason: reason ?? 'doubtful', ...(certain ? { commands: grammar.commands } : {}) }
}

function doubt(parts: readonly CommandPart[], grammar: SyntaxReading): CommandPartCode | undefined {
  if (grammar.unclear !== undefined) return grammar.unclear
  const same = JSON.stringify(parts.map((part) => part.argv)) === JSON.stringify(grammar.commands)
  return same ? undefined : 'doubtful'
}

/** Without the grammar every line is a person's to judge; nothing else ends. */
async function grammarReading(line: string): Promise<SyntaxReading | undefined> {
  try {
    const { readByGrammar } = await import('./shell-grammar.ts')
    return await readByGrammar(line)
  } catch (error) {
    process.emitWarning(`the shell grammar could not be loaded: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}
