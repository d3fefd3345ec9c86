/**
 * Files that speak to the model in the person's name (the four of the root, AGENTS.md below it): which text of each the
 * person agreed to. A text that came later, from whoever, is shown first; until it is answered the agreed one stays in use.
 */
import * as z from 'zod'

/** A file as the context thread found it. */
export const SeenFileSchema = z.object({
  /** Relative to the workspace, with `/`. */
  name: z.string(),
  /** Empty where there is no file, or none that may be read. */
  text: z.string(),
  /** When the system last saw it change, milliseconds since the epoch; 0 where there is no file. */
  changedAt: z.number(),
})
export type SeenFile = z.infer<typeof SeenFileSchema>

/** One that a tool wrote. */
export const WrittenFileSchema = z.object({
  /** As it was just before. */
  before: SeenFileSchema,
  /** Its text now. */
  after: z.string(),
})
export type WrittenFile = z.infer<typeof WrittenFileSchema>

/** What the model may be given in the place of a text with this hash. */
export const FileVerdictSchema = z.object({
  name: z.string(),
  /** SHA-256 (hex) of the text that was seen. */
  hash: z.string(),
  /** Absent: what was seen. */
  text: z.string().optional(),
})
export type FileVerdict = z.infer<typeof FileVerdictSchema>

/** One whose text is not the agreed one. */
export const ChangedFileSchema = z.object({
  name: z.string(),
  /** SHA-256 (hex) of the text that is there now. */
  hash: z.string(),
  /** From what was agreed to, which stays in use until the person answers, to what is there now; unified, nothing in it hidden. */
  diff: z.string(),
  /** The person saw it and kept what was agreed. */
  kept: z.boolean(),
})
export type ChangedFile = z.infer<typeof ChangedFileSchema>

export const AnswerFileSchema = z.object({
  workspace: z.string(),
  name: z.string(),
  /** Of the text that was shown. */
  hash: z.string(),
  decision: z.enum(['take', 'keep']),
})
export type AnswerFile = z.infer<typeof AnswerFileSchema>
