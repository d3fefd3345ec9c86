/** The four files by which a person tells agents who they are and what to heed. */
import * as z from 'zod'

export const WORKSPACE_FILES = ['AGENTS.md', 'SOUL.md', 'USERS.md', 'MEMORY.md'] as const
export const WorkspaceFileNameSchema = z.enum(WORKSPACE_FILES)
export type WorkspaceFileName = z.infer<typeof WorkspaceFileNameSchema>

/** Bytes a file may have to be edited here. */
export const WORKSPACE_FILE_LIMIT = 1024 * 1024

export const WorkspaceFileSchema = z.object({
  /** Empty for a file that is not there. */
  content: z.string(),
  /** SHA-256 (hex) of the bytes; null for a file that is not there. */
  hash: z.string().nullable(),
})
export type WorkspaceFile = z.infer<typeof WorkspaceFileSchema>

export const WriteWorkspaceFileSchema = z.object({
  workspace: z.string(),
  name: WorkspaceFileNameSchema,
  content: z.string().max(WORKSPACE_FILE_LIMIT),
  /** Hash of what was read before; null when there was no file. */
  basedOn: z.string().nullable(),
})
