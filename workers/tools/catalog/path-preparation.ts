/** What every tool that takes a path checks before anything runs. */
import { protectionOf } from '../domain/protected-paths.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { Permit, PrepareContext, Preparation } from '../define-tool.ts'
import { isKernelPath, openPath } from '../files/open-path.ts'
import type { OpenedPath } from '../files/opened-path.ts'
import { below } from '../files/walk-linux.ts'

/** For tools that look: outside the workspace asks, kernel trees never, places with secrets ask. */
export async function prepareReading(context: PrepareContext, requested: string, verb: string): Promise<Preparation> {
  const path = await openPath(context.place.workspace, requested)
  try {
    const permit: Permit = { realPath: path.realPath, inside: path.inside }
    const mustAsk = reasonToAskForReading(context, path)
    const place = path.inside && path.segments.join('/') === requested ? requested : path.realPath
    return { display: `${verb} ${place}`, permit, ...(mustAsk === undefined ? {} : { mustAsk }) }
  } finally {
    await path.close()
  }
}

export function reasonToAskForReading(context: PrepareContext, path: OpenedPath): string | undefined {
  requireNoKernelPath(path)
  if (isOwnOutput(context, path)) return undefined
  if (!path.inside) return `It is outside the workspace: ${path.realPath}`
  const protection = protectionOf(path.segments, 'read')
  if (protection !== undefined) return `${path.segments.join('/')}: ${protection.reason}`
  if (isForeignHardLink(path)) return `${path.segments.join('/')} is a hard link to a file of another user`
  return undefined
}

/** When running: the same object that was shown, or an error that says so. */
export function requirePermitted(context: { readonly permit: Permit | undefined }, path: OpenedPath, requested: string): void {
  requireNoKernelPath(path)
  if (path.inside) return
  if (context.permit?.inside === false && context.permit.realPath === path.realPath) return
  throw new ToolError(
    'PATH_CHANGED',
    `${requested} now leads to ${path.realPath}, outside the workspace, which was not what was asked for. Nothing was read or written.`,
  )
}

export interface WritePreparation {
  readonly path: OpenedPath
  readonly mustAsk: string | undefined
}

/** For tools that write: only inside, never into the app's or git's own files. The caller closes `path`. */
export async function openForChange(context: PrepareContext, requested: string): Promise<WritePreparation> {
  const path = await openPath(context.place.workspace, requested)
  try {
    requireNoKernelPath(path)
    if (!path.inside)
      throw new ToolError(
        'OUTSIDE_WORKSPACE',
        `${requested} is outside the workspace (${path.realPath}). Files can only be written inside it; choose a path below the workspace.`,
      )
    if (path.segments.length === 0) throw new ToolError('NOT_A_FILE', `${requested} is the workspace itself, a folder.`)
    const protection = protectionOf(path.segments, 'write')
    if (protection?.level === 'refuse')
      throw new ToolError('PROTECTED', `${path.segments.join('/')} may not be written: ${protection.reason}.`)
    const mustAsk =
      protection === undefined
        ? isForeignHardLink(path)
          ? 'It is a hard link to a file of another user'
          : undefined
        : `${path.segments.join('/')}: ${protection.reason}`
    return { path, mustAsk }
  } catch (error) {
    await path.close()
    throw error
  }
}

function requireNoKernelPath(path: OpenedPath): void {
  if (isKernelPath(path.realPath))
    throw new ToolError('SPECIAL_FILE', `${path.realPath} belongs to the kernel or to devices and is never read or written by tools.`)
}

function isOwnOutput(context: PrepareContext, path: OpenedPath): boolean {
  const names = below(context.services.outputs.folder, path.realPath)
  return names !== undefined && names[0] === context.place.sessionId
}

function isForeignHardLink(path: OpenedPath): boolean {
  return (
    path.kind === 'file' &&
    path.stats !== undefined &&
    path.stats.nlink > 1 &&
    process.getuid !== undefined &&
    path.stats.uid !== process.getuid()
  )
}
