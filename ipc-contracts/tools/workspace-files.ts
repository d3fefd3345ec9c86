/** Files of a workspace as a person names them: found by a few letters, kept when they were attached. */
import * as z from 'zod'

const FoundFileSchema = z.object({
  /** From the workspace, with `/`. */
  path: z.string(),
  /** Places in `path` where the letters asked for are. */
  at: z.array(z.number().int()),
})
export const FoundFilesSchema = z.object({
  files: z.array(FoundFileSchema),
  /** Files known in all. */
  total: z.number().int(),
  /** False: there are more files than the index holds. */
  complete: z.boolean(),
})
export type FoundFiles = z.infer<typeof FoundFilesSchema>

/** Characters of base64 that fit into one message of a page. */
const MOST_BASE64 = 14_000_000

export const workspaceFileMethods = {
  /** Best first. The index is made at the first call and renewed in the background; what ignore files name and places of secrets are left out. */
  findPaths: {
    input: z.object({ workspace: z.string(), query: z.string().max(500), limit: z.number().int().min(1).max(100) }),
    output: FoundFilesSchema,
    deadlineMs: 30_000,
  },
  /** Writes an attached file below `.metona/attachments`, never over another one. Error: `ATTACHMENT_REFUSED`. */
  keepFile: {
    input: z.object({ workspace: z.string(), name: z.string().max(1000), base64: z.string().max(MOST_BASE64) }),
    output: z.object({ path: z.string() }),
    deadlineMs: 30_000,
  },
}
