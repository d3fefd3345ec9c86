/** write_file: a whole file, new or replaced. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { prepareChange, runChange, withLineEndsOf, type ChangeOptions } from './change-file.ts'

const options = (input: { file_path: string; content: string }): ChangeOptions => ({
  requested: input.file_path,
  change: (file) => withLineEndsOf(input.content, file),
  mayBeUnread: false,
})

export const writeFileTool = defineTool({
  name: 'write_file',
  description:
    'Writes a whole file in the workspace, making missing folders. An existing file must have been read in this session and not changed since; its encoding, byte order mark, line ends and mode are kept. For small changes use edit_file.',
  input: z.strictObject({
    file_path: z.string().min(1).describe('Path of the file, relative to the workspace'),
    content: z.string().describe('The whole new content'),
  }),
  risk: 'edit',
  parallel: false,
  prepare: (input, context) => prepareChange(context, options(input)),
  run: (input, context) => runChange(context, options(input)),
})
