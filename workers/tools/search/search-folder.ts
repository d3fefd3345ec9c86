/** The folder a search runs in, verified and held; shared by find_files and search_text. */
import { ToolError } from '../domain/tool-error.ts'
import { requirePermitted } from '../catalog/path-preparation.ts'
import type { RunContext } from '../define-tool.ts'
import { openPath } from '../files/open-path.ts'
import type { OpenedPath } from '../files/opened-path.ts'

export interface SearchFolder {
  readonly accessPath: string
  /** Put before the names found: the folder as seen from the workspace, or its absolute path outside. */
  readonly prefix: string
  /** Set when the path was a file: only this name is meant. */
  readonly only?: string
}

export async function inSearchFolder<T>(
  context: RunContext,
  requested: string | undefined,
  allowFile: boolean,
  work: (folder: SearchFolder) => Promise<T>,
): Promise<T> {
  const asked = requested ?? '.'
  const path = await openPath(context.place.workspace, asked)
  try {
    requirePermitted(context, path, asked)
    if (path.kind === 'missing') throw new ToolError('NOT_FOUND', `There is no folder ${asked}. Use list_directory to see what there is.`)
    if (path.kind === 'file' && allowFile)
      return await work({ accessPath: path.parentAccessPath, prefix: prefixOf(path, -1), only: path.namesBelowParent.at(-1) as string })
    if (path.kind !== 'folder') throw new ToolError('NOT_A_FOLDER', `${asked} is not a folder. Give the folder to look in.`)
    return await work({ accessPath: path.accessPath, prefix: prefixOf(path, undefined) })
  } finally {
    await path.close()
  }
}

/** In a ripgrep glob these have a meaning; a name is meant as it is. */
export function escapeGlob(name: string): string {
  return name.replace(/[*?[\]{}\\!]/g, '\\$&')
}

function prefixOf(path: OpenedPath, end: number | undefined): string {
  if (!path.inside) return `${end === undefined ? path.realPath : path.realPath.split('/').slice(0, end).join('/')}/`
  const names = path.segments.slice(0, end)
  return names.length === 0 ? '' : `${names.join('/')}/`
}
