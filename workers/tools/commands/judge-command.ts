/** What is known of a command line before it runs: its parts, whether it only looks, and what a grant could cover. */
import type { CommandPartCode } from '#contracts/tools/approval-reasons.ts'
import type { RuleSubject } from '#contracts/tools/permission-rule.ts'
import { judgeProgram } from '../domain/shell/harmless-programs.ts'
import { mayBeGranted } from '../domain/shell/grantable.ts'
import type { PrepareContext } from '../define-tool.ts'
import { openPath } from '../files/open-path.ts'
import { reasonToAskForReading } from '../catalog/path-preparation.ts'
import { ToolError } from '../domain/tool-error.ts'
import { namesCodeInVariable } from '../domain/shell/inner-commands.ts'
import { expandCommands, type ExpandedCommands } from './expand-commands.ts'
import { namedScripts, type NamedScript, type NamedScripts } from './named-scripts.ts'
import { readCommandLine } from './read-command-line.ts'
import { revealedPaths, type RevealedPaths } from './revealed-paths.ts'

export interface JudgedCommand {
  /** Every program of it only looks, inside the workspace, at nothing that may hold secrets. */
  readonly harmless: boolean
  /** What it names that reading by a tool would ask about. */
  readonly revealed: RevealedPaths
  /** Files it names, as they were when this was judged. */
  readonly scripts: readonly NamedScript[]
  /** Not all of them could be looked at. */
  readonly incomplete?: boolean
  /** A path it names that may hold secrets. */
  readonly secret?: string
  /** Each program with its words; absent where they could not be read. */
  readonly subjects?: RuleSubject[]
  /** It starts more than `subjects` says. */
  readonly hidden?: boolean
  /** Why it could not be read as plain words. */
  readonly unclear?: CommandPartCode
  /** The one part that a grant would have to cover; absent when there are several, or when it may never be granted. */
  readonly grantPrefix?: string
}

export async function judgeCommand(command: string, context: PrepareContext): Promise<JudgedCommand> {
  const parsed = await readCommandLine(command)
  if (!parsed.ok) {
    const expanded = await expandCommands(parsed.commands ?? [])
    const commands = expanded.commands.map(({ argv }) => argv)
    const subjects =
      parsed.commands === undefined
        ? {}
        : { subjects: expanded.commands.flatMap(subjectsOf), hidden: expanded.hidden || namesCodeInVariable(command) }
    const named = await namedScripts(parsed.commands === undefined ? roughCommands(command) : commands, context)
    const revealed = await revealedPaths(command, commands, context)
    return { harmless: false, unclear: parsed.reason, revealed, ...told(named), ...subjects }
  }
  // A folder change may fail or be skipped, so later paths are looked at from every folder they could start in.
  let folders = ['.']
  const open: { argv: readonly string[]; text: string }[] = []
  const subjects: RuleSubject[] = []
  const { commands: started, hidden, unclear } = await expandCommands(parsed.parts.map((part) => part.argv))
  for (const part of parsed.parts) {
    const verdict = judgeProgram(part.argv)
    if (!verdict.harmless || !(await allInside(verdict.paths, folders, context))) {
      open.push(part)
      continue
    }
    subjects.push({ text: part.argv.join(' '), harmless: true })
    const { changesFolder } = verdict
    if (changesFolder !== undefined)
      folders = [...new Set([...folders, ...folders.map((folder) => join(folder, changesFolder))])].slice(0, 64)
  }
  if (open.length === 0) return { harmless: true, revealed: { secrets: [] }, scripts: [], subjects }
  const shown = new Set(parsed.parts.filter((part) => !open.includes(part)).map((part) => part.argv))
  subjects.push(...started.filter(({ argv }) => !shown.has(argv)).flatMap(subjectsOf))
  const commands = started.map(({ argv }) => argv)
  const [named, revealed] = [await namedScripts(commands, context), await revealedPaths(command, commands, context)]
  // Only the first: another program's output, or another folder, would make it do something else than was allowed.
  const [only] = open
  const grantable = !named.incomplete && open.length === 1 && only !== undefined && only === parsed.parts[0] && mayBeGranted(only.argv)
  return {
    harmless: false,
    revealed,
    ...told(named),
    subjects,
    hidden: hidden || namesCodeInVariable(command),
    ...(unclear === undefined ? {} : { unclear }),
    ...(grantable ? { grantPrefix: only.text } : {}),
  }
}

function told({ scripts, incomplete, secret }: NamedScripts): Pick<JudgedCommand, 'scripts' | 'incomplete' | 'secret'> {
  return { scripts, ...(incomplete ? { incomplete } : {}), ...(secret === undefined ? {} : { secret }) }
}

/** A program given by its path is also the program of that name. */
function subjectsOf({ argv, open }: ExpandedCommands['commands'][number]): RuleSubject[] {
  const [program = '', ...words] = argv
  const names = program.includes('/') ? [program, program.slice(program.lastIndexOf('/') + 1)] : [program]
  return names.map((name) => ({ text: [name, ...words].join(' '), ...(open ? { open } : {}) }))
}

/** Of a line that nobody can read every word may be a script. */
function roughCommands(line: string): string[][] {
  return line
    .replaceAll('\\', '')
    .split(/[\s;&|<>()"'`]+/)
    .flatMap((word) => (word === '' ? [] : [['sh', word]]))
}

async function allInside(paths: readonly string[], folders: readonly string[], context: PrepareContext): Promise<boolean> {
  for (const path of paths) {
    if (path === '-') continue
    for (const folder of folders) if (!(await isInside(join(folder, path), context))) return false
  }
  return true
}

async function isInside(requested: string, context: PrepareContext): Promise<boolean> {
  try {
    const path = await openPath(context.place.workspace, requested)
    try {
      return path.kind !== 'special' && path.inside && (await reasonToAskForReading(context, path)) === undefined
    } finally {
      await path.close()
    }
  } catch (error) {
    if (error instanceof ToolError) return false
    throw error
  }
}

function join(folder: string, path: string): string {
  return path.startsWith('/') ? path : `${folder}/${path}`
}
