/** read_file: text of one file, by lines. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { openForReading, openPath, requireFile } from '../files/open-path.ts'
import { hashBytes, stampOf } from '../files/file-guard.ts'
import { prepareReading, requirePermitted } from './path-preparation.ts'

const DEFAULT_LINES = 2000
const CHARACTERS = 60_000

export const readFileTool = defineTool({
  name: 'read_file',
  description:
    'Reads a text file and returns its content. Large files are returned in parts: give offset (first line, from 1) and limit (number of lines) to read on. ' +
    'UTF-8, UTF-16, GBK and Shift-JIS are recognised. Binary files are refused. A file must be read before it can be changed.',
  input: z.strictObject({
    file_path: z.string().min(1).describe('Path of the file, relative to the workspace or absolute'),
    offset: z.number().int().min(1).max(2_000_000_000).optional().describe('First line to return, from 1'),
    limit: z.number().int().min(1).max(10_000).optional().describe(`Most lines to return (default ${DEFAULT_LINES})`),
  }),
  risk: 'read',
  parallel: true,
  prepare: (input, context) => prepareReading(context, input.file_path, 'Read'),
  run: async (input, context) => {
    const path = await openPath(context.place.workspace, input.file_path)
    try {
      requirePermitted(context, path, input.file_path)
      requireFile(path, input.file_path)
      const handle = await openForReading(path, input.file_path)
      try {
        const { readTextLines } = await import('../text/read-text-lines.ts')
        const before = await stampOf(handle)
        const { size } = await handle.stat()
        const offset = input.offset ?? 1
        const read = await readTextLines(handle, size, {
          offset,
          limit: input.limit ?? DEFAULT_LINES,
          characters: CHARACTERS,
          requested: input.file_path,
          signal: context.signal,
        })
        // A write during the read leaves the older stamp, so that the guard takes the file for changed.
        context.services.guard.noteSeen(context.place.sessionId, path.realPath, {
          stamp: before,
          ...(read.bytes === undefined ? {} : { hash: hashBytes(read.bytes), bytes: read.bytes }),
        })
        const last = offset + read.lines - 1
        const notes = describePart(input.file_path, size, offset, last, read)
        return {
          result: notes === '' ? read.text : `${read.text}\n${notes}`,
          display: {
            kind: 'file',
            path: path.inside ? path.segments.join('/') : path.realPath,
            encoding: read.encoding,
            fromLine: read.lines === 0 ? 0 : offset,
            toLine: read.lines === 0 ? 0 : last,
            bytes: size,
            ...(read.totalLines === undefined ? {} : { totalLines: read.totalLines }),
          },
        }
      } finally {
        await handle.close()
      }
    } finally {
      await path.close()
    }
  },
})

interface Part {
  readonly lines: number
  readonly totalLines?: number
  readonly encoding: string
  readonly cutLines: number
}

function describePart(requested: string, size: number, offset: number, last: number, part: Part): string {
  const notes: string[] = []
  if (size === 0) notes.push(`[${requested} is empty.]`)
  else if (part.lines === 0) notes.push(`[${requested} has ${part.totalLines ?? 'fewer'} lines; there is no line ${offset}.]`)
  else if (part.totalLines === undefined)
    notes.push(`[Lines ${offset}-${last} of a file of ${size} bytes. Read on with offset ${last + 1}, or find the place with search_text.]`)
  else if (last < part.totalLines) notes.push(`[Lines ${offset}-${last} of ${part.totalLines}. Read on with offset ${last + 1}.]`)
  else if (offset > 1) notes.push(`[Lines ${offset}-${last} of ${part.totalLines}, the end of the file.]`)
  if (part.encoding !== 'utf-8')
    notes.push(`[The file is in ${part.encoding.toUpperCase()}; it is shown decoded and is written back in the same encoding.]`)
  if (part.cutLines > 0) notes.push(`[${part.cutLines} very long line(s) were cut.]`)
  return notes.join('\n')
}
