/** The files of the workspace that a command names, scripts among them: as they were when the person saw the command, or not at all. */
import type { PrepareContext } from '../define-tool.ts'
import { secretPath } from '../catalog/path-preparation.ts'
import { ToolError } from '../domain/tool-error.ts'
import { hashBytes } from '../files/file-guard.ts'
import { openForReading, openPath } from '../files/open-path.ts'

export interface NamedScript {
  /** Real path. */
  readonly path: string
  /** SHA-256 (hex) of its bytes; null where there was nothing: a script that comes later is one nobody saw. */
  readonly hash: string | null
}

export interface NamedScripts {
  readonly scripts: readonly NamedScript[]
  /** There were more files, or larger ones, than are looked at: what the command runs may change unseen. */
  readonly incomplete: boolean
  /** The first path named that may hold secrets. */
  readonly secret: string | undefined
}

const MAX_FILES = 100
const MAX_LOOKS = 4000
/** Of all files together. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Which word is run by which program cannot be told for sure, so every word counts that leads to a file.
 * @param commands every command of the line, words without quotes; folders it changes to are tried for its later words as well.
 */
export async function namedScripts(commands: readonly (readonly string[])[], context: PrepareContext): Promise<NamedScripts> {
  const folders = ['.', ...commands.flatMap(([name, folder]) => (name === 'cd' && folder !== undefined ? [folder] : []))]
  const found = new Map<string, NamedScript>()
  let secret: string | undefined
  let room = MAX_BYTES
  let files = 0
  let incomplete = false
  const requests = new Set<string>()
  for (const [program = '', ...words] of commands)
    for (const word of [...(program.includes('/') ? [program] : []), ...words.flatMap(pathsIn)])
      for (const folder of word.startsWith('/') ? [''] : folders) requests.add(folder === '' ? word : `${folder}/${word}`)
  for (const requested of [...requests].slice(0, MAX_LOOKS)) {
    const look = await lookAt(requested, room, context)
    secret ??= look.secret
    incomplete ||= look.tooLarge
    if (look.file === undefined || found.has(look.file.path)) continue
    if (look.file.hash !== null && ++files > MAX_FILES) incomplete = true
    else found.set(look.file.path, look.file)
    room -= look.bytes
  }
  return { scripts: [...found.values()], incomplete: incomplete || requests.size > MAX_LOOKS, secret }
}

/** @throws ToolError SCRIPT_CHANGED */
export async function requireSameScripts(scripts: readonly NamedScript[], context: PrepareContext): Promise<void> {
  for (const { path, hash } of scripts) {
    const { file } = await lookAt(path, MAX_BYTES, context)
    if (file?.path === path && file.hash === hash) continue
    // A folder that has come in the place of nothing holds no text that was to be shown.
    if (hash === null && file === undefined) continue
    throw new ToolError(
      'SCRIPT_CHANGED',
      `${path} was ${hash === null ? 'made' : 'changed'} after this command was approved. Nothing was run. Make the call again, so that it can be looked at as it is now.`,
    )
  }
}

/** A word, and what it holds behind a sign that sets a value: `--file=a`, `@a`, `-Ca`. */
function pathsIn(word: string): string[] {
  const parts = word.startsWith('-') ? [word.slice(2)] : [word]
  for (const sign of ['=', '@', ':']) {
    const at = word.indexOf(sign)
    if (at >= 0) parts.push(word.slice(at + 1))
  }
  return parts.filter((part) => part !== '' && part !== '-')
}

interface Look {
  readonly file?: NamedScript
  readonly bytes: number
  readonly tooLarge: boolean
  readonly secret?: string | undefined
}

const NOTHING: Look = { bytes: 0, tooLarge: false }

/** @param room bytes that may still be read. */
async function lookAt(requested: string, room: number, context: PrepareContext): Promise<Look> {
  try {
    const path = await openPath(context.place.workspace, requested)
    try {
      const look = { ...NOTHING, secret: await secretPath(path) }
      if (path.kind === 'missing' && path.inside) return { ...look, file: { path: path.realPath, hash: null } }
      if (path.kind !== 'file' || !path.inside || path.stats === undefined) return look
      if (path.stats.size > room) return { ...look, tooLarge: true }
      const handle = await openForReading(path, requested)
      try {
        const bytes = await handle.readFile()
        return { ...look, file: { path: path.realPath, hash: hashBytes(bytes) }, bytes: bytes.length }
      } finally {
        await handle.close()
      }
    } finally {
      await path.close()
    }
  } catch (error) {
    // No path at all, or none that may be read: the command itself will say so.
    if (error instanceof ToolError) return NOTHING
    throw error
  }
}
