/** Files a person names in a message. Part of `commands`; both need a workspace that is open for writing, because only that is trusted. */
import { workspaceFileMethods } from '../tools/workspace-files.ts'

export const fileCommands = {
  /** For `@` in the composer. Errors: `WORKSPACE_NOT_OPEN`, `WORKSPACE_READ_ONLY`. */
  'files.find': workspaceFileMethods.findPaths,
  /** For what was pasted or dropped and is too much for the message itself. */
  'files.keep': workspaceFileMethods.keepFile,
}
