/** Reading and writing the four files of an open workspace. Part of `commands`. */
import * as z from 'zod'
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
}
