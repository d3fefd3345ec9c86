/** Reading and writing the four files of an open workspace, and agreeing to what others wrote in them. Part of `commands`. */
import * as z from 'zod'
import { AnswerFileSchema, ChangedFileSchema } from '../workspace/agreed-file.ts'
import { WorkspaceFileNameSchema, WorkspaceFileSchema, WriteWorkspaceFileSchema } from '../workspace/workspace-file.ts'

export const workspaceFileCommands = {
  /** Errors: `NOT_EDITABLE` (a link, a folder, too large, or no text). */
  'workspaceFiles.read': {
    input: z.object({ workspace: z.string(), name: WorkspaceFileNameSchema }),
    output: WorkspaceFileSchema,
    deadlineMs: 30_000,
  },
  /**
   * Replaces the whole file at once, or not at all. Error `FILE_CHANGED`: it is no longer what `basedOn` says; nothing was
   * written, and `details` holds the file as it is now (`WorkspaceFile`).
   */
  'workspaceFiles.write': { input: WriteWorkspaceFileSchema, output: WorkspaceFileSchema, deadlineMs: 30_000 },
  /** Files that speak to the model and are not as the person agreed. The folder need not be open; one that is not trusted has none. */
  'workspaceFiles.changes': {
    input: z.object({ workspace: z.string() }),
    output: z.object({ files: z.array(ChangedFileSchema) }),
    deadlineMs: 30_000,
  },
  /** Error `FILE_CHANGED`: it is no longer what was shown; nothing was agreed. */
  'workspaceFiles.answer': { input: AnswerFileSchema, output: z.object({}), deadlineMs: 30_000 },
}
