/** The scripts of the workspace that a command names and runs: as they were when the person saw the command, or not at all. */
import type { PrepareContext } from '../define-tool.ts'
import { ToolError } from '../domain/tool-error.ts'
import { hashBytes } from '../files/file-guard.ts'
import { openForReading, openPath } from '../files/open-path.ts'

export interface NamedScript {
  /** Real path. */
  readonly path: string
  /** SHA-256 (hex) of its bytes. */
  readonly hash: string
}

const MAX_SCRIPTS = 20
const MAX_BYTES = 4 * 1024 * 1024
const INTERPRETERS =
  /^(?:\.|source|(?:ba|da|z|k|fi|a)?sh|busybox|python[\d.]*|pypy\d?|node|deno|bun|tsx|ts-node|ruby|perl|php|lua|Rscript|tclsh|osascript|pwsh)$/

/** @param commands every command of the line, words without quotes; folders it changes to are tried for its later words as well. */
export async function namedScripts(commands: readonly (readonly string[])[], context: PrepareContext): Promise<NamedScript[]> {
  const folders = ['.', ...commands.flatMap(([name, folder]) => (name === 'cd' && folder !== undefined ? [folder] : []))]
  const found = new Map<string, NamedScript>()
  for (const [program = '', ...words] of commands) {
    const operands = words.filter((word) => !word.startsWith('-'))
    const interpreted = INTERPRETERS.test(program.slice(program.lastIndexOf('/') + 1)) ? operands[0] : undefined
    for (const word of [...(program.includes('/') ? [program] : []), ...operands]) {
      for (const folder of folders) {
        if (found.size >= MAX_SCRIPTS) return [...found.values()]
        const isRun = word === program || word === interpreted
        const script = await readScript(word.startsWith('/') ? word : `${folder}/${word}`, isRun, context)
        if (script !== undefined) found.set(script.path, script)
      }
    }
  }
  return [...found.values()]
}

/** @throws ToolError SCRIPT_CHANGED */
export async function requireSameScripts(scripts: readonly NamedScript[], context: PrepareContext): Promise<void> {
  for (const { path, hash } of scripts) {
    const now = await readScript(path, true, context)
    if (now?.path === path && now.hash === hash) continue
    throw new ToolError(
      'SCRIPT_CHANGED',
      `${path} was changed after this command was approved. Nothing was run. Make the call again, so that it can be looked at as it is now.`,
    )
  }
}

/** @param isRun it is given to something that runs it; any other file counts only where it says that it is a program. */
async function readScript(requested: string, isRun: boolean, context: PrepareContext): Promise<NamedScript | undefined> {
  try {
    const path = await openPath(context.place.workspace, requested)
    try {
      if (path.kind !== 'file' || !path.inside || path.stats === undefined || path.stats.size > MAX_BYTES) return undefined
      const handle = await openForReading(path, requested)
      try {
        const bytes = await handle.readFile()
        const saysSo = (path.stats.mode & 0o111) !== 0 || bytes.subarray(0, 2).toString('latin1') === '#!'
        return isRun || saysSo ? { path: path.realPath, hash: hashBytes(bytes) } : undefined
      } finally {
        await handle.close()
      }
    } finally {
      await path.close()
    }
  } catch (error) {
    // No path at all, or none that may be read: the command itself will say so.
    if (error instanceof ToolError) return undefined
    throw error
  }
}
