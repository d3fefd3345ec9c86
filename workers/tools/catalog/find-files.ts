/** find_files: files by name. */
import * as z from 'zod'
import { ToolError } from '../domain/tool-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import { EXCLUDED } from '../search/excluded-names.ts'
import { prepareReading } from './path-preparation.ts'

const SHOWN = 300
const OUTPUT_LIMIT = 512 * 1024

export const findFilesTool = defineTool({
  name: 'find_files',
  description:
    'Finds files by name pattern below a folder, for example "*.ts", "src/**/*.test.ts" or "data.csv". What .gitignore ignores, .git, node_modules and files with secrets are left out. Returns paths relative to the workspace, sorted.',
  input: z.strictObject({
    pattern: z.string().min(1).max(1000).describe('Glob pattern; without a slash it fits at any depth'),
    path: z.string().min(1).optional().describe('Folder to look in (default: the workspace)'),
  }),
  risk: 'read',
  parallel: true,
  prepare: async (input, context) => {
    requirePattern(input.pattern)
    const preparation = await prepareReading(context, input.path ?? '.', 'Find files below')
    return { ...preparation, display: `${preparation.display}: ${input.pattern}` }
  },
  run: async (input, context) => {
    const [{ inSearchFolder }, { runRipgrep }] = await Promise.all([
      import('../search/search-folder.ts'),
      import('../search/run-ripgrep.ts'),
    ])
    return inSearchFolder(context, input.path, false, async (folder) => {
      const wantsModules = /node_modules/.test(`${input.pattern}/${input.path ?? ''}`)
      const excluded = wantsModules ? EXCLUDED : [...EXCLUDED, 'node_modules']
      const output = await runRipgrep({
        arguments: [
          '--files',
          '--hidden',
          '--no-require-git',
          '--null',
          '--sort',
          'path',
          '--glob',
          input.pattern.replace(/^\.\//, ''),
          ...excluded.flatMap((name) => ['--glob', `!**/${name}`]),
        ],
        accessPath: folder.accessPath,
        callId: context.callId,
        services: context.services,
        signal: context.signal,
        limit: OUTPUT_LIMIT,
      })
      if (output.exitCode === 2 && output.text === '')
        throw new ToolError(
          'BAD_PATTERN',
          `The pattern ${JSON.stringify(input.pattern)} is not usable: ${output.errors.replace(/^rg: /, '').trim()}. Use a glob such as "*.ts" or "src/**/*.json".`,
        )
      const names = output.text.split('\0')
      // What follows the last separator is empty, or a name cut in two.
      names.pop()
      const shown = names.slice(0, SHOWN).map((name) => visibleText(`${folder.prefix}${name.replace(/^\.\//, '')}`, false))
      const notes: string[] = []
      if (output.cut)
        notes.push(`[More than ${names.length} files fit; the first ${shown.length} are shown. Use a narrower pattern or path.]`)
      else if (names.length > shown.length)
        notes.push(`[${names.length} files fit; the first ${shown.length} are shown. Use a narrower pattern or path.]`)
      if (names.length === 0)
        notes.push(
          `[No file fits ${input.pattern}${input.path === undefined ? '' : ` below ${input.path}`}. Ignored files are left out; list_directory shows all.]`,
        )
      return {
        result: [...shown, ...notes].join('\n'),
        display: { kind: 'list', pattern: input.pattern, entries: shown.slice(0, 200), total: names.length, more: output.cut },
      }
    })
  },
})

function requirePattern(pattern: string): void {
  if (pattern.startsWith('!'))
    throw new ToolError('BAD_PATTERN', 'A pattern may not begin with "!": say what to find, not what to leave out.')
  if (pattern.startsWith('/') || pattern.split('/').includes('..'))
    throw new ToolError(
      'BAD_PATTERN',
      'The pattern is matched below the folder in "path"; give the folder there and a relative pattern here.',
    )
}
