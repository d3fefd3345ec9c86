/** What a command line names that reading by a tool would ask about: in the sandbox it can be read, and the output goes to the provider. */
import { homedir } from 'node:os'
import type { ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import { reasonToAskForReading } from '../catalog/path-preparation.ts'
import type { PrepareContext } from '../define-tool.ts'
import { ToolError } from '../domain/tool-error.ts'
import { isKernelPath, openPath } from '../files/open-path.ts'

export interface RevealedPaths {
  /** For the first of them; undefined when there is none. */
  readonly reason?: ApprovalReason
  /** Real paths inside the workspace that may hold secrets. */
  readonly secrets: readonly string[]
}

/** More words than that are for a person to look at. */
const MAX_WORDS = 300
/** Programs, their libraries, and devices. */
const PUBLIC = /^\/((usr\/)?(s?bin|lib\w*)|usr\/(include|share|local\/s?bin)|dev)(\/|$)/
const HOME = /(^|[\s=:"'(])~|\$\{?HOME\b/
/** Empty in the sandbox. */
const PRIVATE = /^\/(var\/)?tmp(\/(?!.*\.\.)|$)/

/**
 * @param commands every command of the line, without quotes, where it could be read.
 * What a line computes is not seen here; the secrets of the workspace are masked in the sandbox for that.
 */
export async function revealedPaths(
  line: string,
  commands: readonly (readonly string[])[],
  context: PrepareContext,
): Promise<RevealedPaths> {
  const programs = new Set(commands.map(([program]) => program))
  const folders = ['.', ...commands.flatMap(([name, folder]) => (name === 'cd' && folder !== undefined ? [folder] : []))]
  const words = [...commands.flatMap(([, ...rest]) => rest), ...line.replaceAll('\\', '').split(/[\s;&|<>()"'`{}]+/)]
  const paths = new Set(words.filter((word) => !programs.has(word)).flatMap(pathsIn))
  if (HOME.test(line)) paths.add(homedir())
  if (paths.size * folders.length > MAX_WORDS) return { reason: { code: 'command_unclear', params: { what: 'length' } }, secrets: [] }
  let reason: ApprovalReason | undefined
  const secrets: string[] = []
  for (const path of paths) {
    for (const folder of path.startsWith('/') ? ['.'] : folders) {
      const found = await lookAt(path.startsWith('/') ? path : `${folder}/${path}`, context)
      reason ??= found?.reason
      if (found?.secret !== undefined) secrets.push(found.secret)
    }
  }
  return { ...(reason === undefined ? {} : { reason }), secrets }
}

/** The paths a word may hold: after an option's letter, `=`, `@` or `:`; up to the folder in front of a pattern. */
function pathsIn(word: string): string[] {
  if (/^(?!file:)[a-z][a-z+]*:\/\//i.test(word)) return []
  const parts = [word, ...word.split(/[=@:,]/), ...(/^-\w/.test(word) ? [word.slice(2)] : [])]
  return parts.flatMap((part) => {
    if (PRIVATE.test(part)) return []
    const pattern = part.search(/[*?[$]/)
    const known = pattern === -1 ? part : part.slice(0, part.lastIndexOf('/', pattern) + 1)
    return known === '' || known.startsWith('-') ? [] : [known]
  })
}

async function lookAt(requested: string, context: PrepareContext): Promise<{ reason: ApprovalReason; secret?: string } | undefined> {
  try {
    const path = await openPath(context.place.workspace, requested)
    try {
      if (path.kind === 'missing' || (!path.inside && PUBLIC.test(path.realPath))) return undefined
      if (isKernelPath(path.realPath)) return { reason: { code: 'outside_workspace', params: { path: path.realPath } } }
      const reason = await reasonToAskForReading(context, path)
      return reason === undefined ? undefined : { reason, ...(path.inside ? { secret: path.realPath } : {}) }
    } finally {
      await path.close()
    }
  } catch (error) {
    // No path at all, or none that may be read: the command itself will say so.
    if (error instanceof ToolError) return undefined
    throw error
  }
}
