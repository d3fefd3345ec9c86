/** search_text: lines that fit a regular expression. */
import * as z from 'zod'
import { ToolError } from '../domain/tool-error.ts'
import { defineTool, type RunContext } from '../define-tool.ts'
import { MAY_HOLD_TOKENS } from '../files/holds-token.ts'
import { EXCLUDED } from '../search/excluded-names.ts'
import type { RipgrepOutput } from '../search/run-ripgrep.ts'
import type { SearchFolder } from '../search/search-folder.ts'
import { prepareReading } from './path-preparation.ts'

const SHOWN = 200
const CHARACTERS = 30_000
const LINE = 400
const OUTPUT_LIMIT = 1024 * 1024

export const searchTextTool = defineTool({
  name: 'search_text',
  description:
    'Searches the content of text files below a folder (or one file) with a regular expression (Rust syntax; (?i) at the beginning ignores case) and returns "path:line: text". Not searched: what .gitignore ignores, .git, node_modules, binary files, files with secrets, files over 64 MiB.',
  input: z.strictObject({
    pattern: z.string().min(1).max(2000).describe('Regular expression; a pattern that is none is taken literally'),
    path: z.string().min(1).optional().describe('Folder or file to search (default: the workspace)'),
  }),
  risk: 'read',
  parallel: true,
  prepare: async (input, context) => {
    const preparation = await prepareReading(context, input.path ?? '.', 'Search')
    return { ...preparation, display: `${preparation.display} for ${input.pattern}` }
  },
  run: async (input, context) => {
    const { inSearchFolder } = await import('../search/search-folder.ts')
    return inSearchFolder(context, input.path, true, async (folder) => {
      const found = await search(input.pattern, folder, context)
      const lines: string[] = []
      let characters = 0
      for (const line of found.lines) {
        if (lines.length >= SHOWN || characters > CHARACTERS) break
        lines.push(line)
        characters += line.length
      }
      const notes: string[] = []
      if (found.literal) notes.push('[The pattern is no regular expression and was taken literally.]')
      if (found.cut || lines.length < found.lines.length)
        notes.push(
          `[${found.cut ? `More than ${found.lines.length}` : found.lines.length} lines fit; the first ${lines.length} are shown. Use a narrower pattern or path.]`,
        )
      if (found.lines.length === 0) notes.push(`[No line fits ${input.pattern}${input.path === undefined ? '' : ` in ${input.path}`}.]`)
      return {
        result: [...lines, ...notes].join('\n'),
        display: { kind: 'search', pattern: input.pattern, lines: lines.slice(0, 100), total: found.lines.length, more: found.cut },
      }
    })
  },
})

interface Found {
  readonly lines: string[]
  readonly cut: boolean
  readonly literal: boolean
}

async function search(pattern: string, folder: SearchFolder, context: RunContext): Promise<Found> {
  let literal = false
  let first = await runSearch(pattern, folder, context, [])
  if (first.exitCode === 2 && first.text === '' && /regex parse error|error parsing/i.test(first.errors)) {
    literal = true
    first = await runSearch(pattern, folder, context, ['--fixed-strings'])
  }
  if (first.exitCode === 2 && first.text === '' && first.errors !== '' && !/Permission denied|No such file/.test(first.errors))
    throw new ToolError('SEARCH_FAILED', `The search failed: ${first.errors.trim().slice(0, 500)}`)
  const lines = readLines(first, folder.prefix)
  // Files in GBK hold other bytes for the same characters, so they are searched in a second run.
  if (!/[^\u0000-\u007f]/.test(pattern) || first.cut) return { lines, cut: first.cut, literal }
  const second = await runSearch(pattern, folder, context, ['--encoding', 'gbk', ...(literal ? ['--fixed-strings'] : [])])
  const more = readLines(second, folder.prefix).filter((line) => !line.includes('\ufffd'))
  return { lines: [...new Set([...lines, ...more])], cut: second.cut, literal }
}

async function runSearch(pattern: string, folder: SearchFolder, context: RunContext, extra: readonly string[]): Promise<RipgrepOutput> {
  const { runRipgrep } = await import('../search/run-ripgrep.ts')
  const { escapeGlob } = await import('../search/search-folder.ts')
  const excluded = /node_modules/.test(folder.prefix) ? EXCLUDED : [...EXCLUDED, 'node_modules']
  // A single file goes through the folder walk too: the size limit counts only there.
  const globs =
    folder.only === undefined
      ? [...excluded.flatMap((name) => ['--glob', `!**/${name}`]), ...MAY_HOLD_TOKENS.flatMap((name) => ['--iglob', `!**/${name}`])]
      : ['--no-ignore', '--max-depth', '1', '--glob', `/${escapeGlob(folder.only)}`]
  return runRipgrep({
    arguments: [
      '--hidden',
      '--no-require-git',
      '--no-heading',
      '--with-filename',
      '--line-number',
      '--null',
      '--color',
      'never',
      '--sort',
      'path',
      '--max-filesize',
      '64M',
      '--max-columns',
      String(LINE),
      '--max-columns-preview',
      ...globs,
      ...extra,
      '--regexp',
      pattern,
      '.',
    ],
    accessPath: folder.accessPath,
    callId: context.callId,
    services: context.services,
    signal: context.signal,
    limit: OUTPUT_LIMIT,
  })
}

/** `./name NUL line:text` per line; the last may be cut in two. */
function readLines(output: RipgrepOutput, prefix: string): string[] {
  const lines = output.text.split('\n')
  lines.pop()
  return lines.flatMap((line) => {
    const end = line.indexOf('\0')
    if (end < 0) return []
    const name = line.slice(0, end).replace(/^\.\//, '')
    const rest = line.slice(end + 1).replace(/\r$/, '')
    const colon = rest.indexOf(':')
    return [`${prefix}${name}:${rest.slice(0, colon)}: ${rest.slice(colon + 1).slice(0, LINE + 60)}`]
  })
}
