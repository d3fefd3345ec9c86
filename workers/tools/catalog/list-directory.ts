/** list_directory: what is in one folder. */
import { opendir, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { isStandInTime } from '#contracts/tools/stand-in-stamp.ts'
import { ToolError } from '../domain/tool-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import { explainPathError, openPath } from '../files/open-path.ts'
import { SEALED_GIT_NAMES, SEALED_NAMES } from '../sandbox/sealed-names.ts'
import { prepareReading, requirePermitted } from './path-preparation.ts'

/** Names looked at; a folder of a million files must not take the memory of one. */
const MAX_NAMES = 20_000
const MAX_SHOWN = 1000

/** Of the workspace's own folder and of `.git`. */
const HELD = new Set([...SEALED_NAMES, ...SEALED_GIT_NAMES])

interface Entry {
  readonly name: string
  readonly kind: 'folder' | 'file' | 'link' | 'other'
  size?: number
}

export const listDirectoryTool = defineTool({
  name: 'list_directory',
  description:
    'Lists the files and folders directly inside a folder: folders first, then files with their sizes in bytes. Use "." for the workspace itself.',
  input: z.strictObject({ path: z.string().min(1).describe('Path of the folder, relative to the workspace or absolute') }),
  risk: 'read',
  parallel: true,
  prepare: (input, context) => prepareReading(context, input.path, 'List'),
  run: async (input, context) => {
    const path = await openPath(context.place.workspace, input.path)
    try {
      requirePermitted(context, path, input.path)
      if (path.kind === 'missing')
        throw new ToolError('NOT_FOUND', `There is no folder ${input.path}. List its parent folder to see what there is.`)
      if (path.kind !== 'folder') throw new ToolError('NOT_A_FOLDER', `${input.path} is a file, not a folder. Use read_file to read it.`)
      const { entries, more } = await readEntries(path.accessPath, input.path, context.signal)
      if (path.inside && path.segments.length <= 1) await dropStandIns(entries, path.accessPath)
      entries.sort((left, right) => rank(left) - rank(right) || compareNames(left.name, right.name))
      const shown = entries.slice(0, MAX_SHOWN)
      await Promise.all(shown.map(async (entry) => void (entry.kind === 'file' && (await addSize(entry, path.accessPath)))))
      const lines = shown.map(
        (entry) =>
          `${visibleText(entry.name, false)}${entry.kind === 'folder' ? '/' : entry.kind === 'link' ? ' (link)' : entry.kind === 'other' ? ' (special)' : `  ${entry.size ?? '?'}`}`,
      )
      if (entries.length > shown.length || more)
        lines.push(`[${more ? `more than ${MAX_NAMES}` : entries.length} entries, ${shown.length} shown. Narrow it down with find_files.]`)
      return {
        result: lines.length === 0 ? `[${input.path} is empty.]` : lines.join('\n'),
        display: {
          kind: 'list',
          path: path.inside ? path.segments.join('/') || '.' : path.realPath,
          entries: shown.slice(0, 200),
          total: entries.length,
          more,
        },
      }
    } finally {
      await path.close()
    }
  },
})

async function readEntries(accessPath: string, requested: string, signal: AbortSignal): Promise<{ entries: Entry[]; more: boolean }> {
  try {
    const entries: Entry[] = []
    const folder = await opendir(accessPath, { bufferSize: 256 })
    for await (const entry of folder) {
      signal.throwIfAborted()
      if (entries.length >= MAX_NAMES) return { entries, more: true }
      entries.push({
        name: entry.name,
        kind: entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : entry.isFile() ? 'file' : 'other',
      })
    }
    return { entries, more: false }
  } catch (error) {
    throw explainPathError(error, requested)
  }
}

/** Empty folders that stand for absent names while a command runs: as good as absent. */
async function dropStandIns(entries: Entry[], accessPath: string): Promise<void> {
  const kept = await Promise.all(
    entries.map(async (entry) => {
      if (entry.kind !== 'folder' || !HELD.has(entry.name)) return entry
      const state = await lstat(join(accessPath, entry.name)).catch(() => undefined)
      return state !== undefined && isStandInTime(state.mtimeMs) ? [] : entry
    }),
  )
  entries.splice(0, entries.length, ...kept.flat())
}

async function addSize(entry: Entry, accessPath: string): Promise<void> {
  try {
    entry.size = (await lstat(join(accessPath, entry.name))).size
  } catch (error) {
    // Removed since the folder was read: it is listed without a size.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function rank(entry: Entry): number {
  return entry.kind === 'folder' ? 0 : 1
}

/** By code unit, the same on every machine and in every language. */
function compareNames(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
