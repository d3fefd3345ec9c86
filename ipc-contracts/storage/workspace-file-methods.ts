/** What the storage worker does with the files that speak to the model in the person's name. */
import * as z from 'zod'
import { AnswerFileSchema, ChangedFileSchema, FileVerdictSchema, SeenFileSchema, WrittenFileSchema } from '../workspace/agreed-file.ts'
import { WorkspaceFileNameSchema, WorkspaceFileSchema, WriteWorkspaceFileSchema } from '../workspace/workspace-file.ts'

const workspace = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 60_000) => ({ input, output, deadlineMs })

export const workspaceFileMethods = {
  /** One of the four files; errors as `workspaceFiles.read` and `workspaceFiles.write` in commands. */
  readWorkspaceFile: method(z.object({ workspace, name: WorkspaceFileNameSchema }), WorkspaceFileSchema),
  writeWorkspaceFile: method(WriteWorkspaceFileSchema, WorkspaceFileSchema),
  /** What of these files the model may be given; what the person has not agreed to becomes a banner. */
  judgeFiles: method(z.object({ workspace, files: z.array(SeenFileSchema) }), z.object({ verdicts: z.array(FileVerdictSchema) })),
  /** As `workspaceFiles.changes` and `workspaceFiles.answer` in commands. */
  changedFiles: method(z.object({ workspace }), z.object({ files: z.array(ChangedFileSchema) })),
  answerFile: method(AnswerFileSchema, nothing),
  /** The person approved this very change of a text they had agreed to, so they agree to what came of it. */
  agreeToWritten: method(WrittenFileSchema.extend({ workspace }), nothing),
}
