/** edit_file: one exact passage replaced by another. */
import * as z from 'zod'
import { replaceExactly } from '../domain/replace-exactly.ts'
import { ToolError } from '../domain/tool-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { defineTool } from '../define-tool.ts'
import type { TextFile } from '../text/text-file.ts'
import { prepareChange, runChange, type ChangeOptions } from './change-file.ts'

interface EditInput {
  readonly file_path: string
  readonly old_text: string
  readonly new_text: string
}

const options = (input: EditInput): ChangeOptions => ({
  requested: input.file_path,
  change: (file) => applyEdit(input, file),
  mayBeUnread: true,
})

export const editFileTool = defineTool({
  name: 'edit_file',
  description:
    'Replaces one passage of a text file in the workspace. old_text must stand in the file exactly once, blanks included; give enough lines around it to make it unique. Encoding, byte order mark, line ends and final newline stay as they are. An empty new_text deletes the passage.',
  input: z.strictObject({
    file_path: z.string().min(1).describe('Path of the file, relative to the workspace'),
    old_text: z.string().min(1).describe('The exact passage to replace'),
    new_text: z.string().describe('What takes its place'),
  }),
  risk: 'edit',
  parallel: false,
  prepare: (input, context) => prepareChange(context, options(input)),
  run: (input, context) => runChange(context, options(input)),
})

function applyEdit(input: EditInput, file: TextFile | undefined): string {
  if (file === undefined)
    throw new ToolError(
      'NOT_FOUND',
      `There is no file ${input.file_path} to edit. Use write_file to make it, or list_directory to find the right name.`,
    )
  if (file.text === undefined) throw new ToolError('BINARY_FILE', `${input.file_path} is not text and cannot be edited.`)
  const replacement = replaceExactly(file.text, input.old_text, input.new_text)
  switch (replacement.kind) {
    case 'replaced':
      return replacement.text
    case 'same':
      throw new ToolError(
        'NO_CHANGE',
        'old_text and new_text are the same, so nothing would change. Give the text as it should be in new_text.',
      )
    case 'ambiguous':
      throw new ToolError(
        'NOT_UNIQUE',
        `old_text stands ${replacement.lines.length >= 20 ? '20 times or more' : `${replacement.lines.length} times`} in ${input.file_path} (lines ${replacement.lines.join(', ')}). Include more of the lines around the one you mean.`,
      )
    case 'absent': {
      const near =
        replacement.near === undefined
          ? 'Read the file again and copy the passage exactly.'
          : `From line ${replacement.near.line} on only blanks differ; there it is:\n${visibleText(replacement.near.text)}\nUse exactly this.`
      throw new ToolError('NO_MATCH', `old_text does not stand in ${input.file_path}. ${near}`)
    }
  }
}
