/** MEMORY.md as the architecture document defines it: a header, five sections, one form of item in each. */
import * as z from 'zod'

export const MemorySectionSchema = z.enum(['preferences', 'context', 'decisions', 'todo', 'issues'])
export type MemorySection = z.infer<typeof MemorySectionSchema>

export const TodoStatusSchema = z.enum(['pending', 'done', 'cancelled'])
export type TodoStatus = z.infer<typeof TodoStatusSchema>

/** An empty or longer one is refused as `MEMORY_TEXT`, with the reason. */
export const LONGEST_MEMORY_LINE = 500
/** What is sent at all, characters. */
const MOST_SENT = 1_000_000

const section = MemorySectionSchema
/** An item without its `- `, in the form of its section. Items are told apart by their text, without status, case and width. */
const text = z.string().trim().max(MOST_SENT)
/** A line that is there, however it came: it may be longer than what is written. */
const present = z.string().trim().min(1)

/** The file is never rewritten, only changed by these. */
export const MemoryOperationSchema = z.discriminatedUnion('kind', [
  /** Does nothing when the item is there. */
  z.object({ kind: z.literal('add'), section, text }),
  z.object({ kind: z.literal('set_status'), text: present, status: TodoStatusSchema }),
  /** The old item must be there exactly once. */
  z.object({ kind: z.literal('replace'), section, oldText: present, newText: text }),
  z.object({ kind: z.literal('remove'), section, text: present }),
])
export type MemoryOperation = z.infer<typeof MemoryOperationSchema>

/** What a line is not as it should be; the line is kept and read all the same. */
export const MemoryProblemSchema = z.object({
  /** From 1; 0 for the file as a whole. */
  line: z.number().int().min(0),
  code: z.enum([
    'no_header',
    'newer_version',
    'bad_version',
    'not_utf8',
    'missing_section',
    'repeated_section',
    'unknown_section',
    'not_an_item',
    'wrong_form',
    'bad_date',
    'too_long',
    'control_characters',
    'repeated_item',
    'open_fence',
    'secret',
    'large_file',
    /** Of items of the database, `text` is the id: its text must not be put before a model; it was not pinned by the person. */
    'withheld_memory',
    'foreign_pin',
  ]),
  text: z.string(),
  /** The form that was expected there. */
  expected: z.string().optional(),
})
export type MemoryProblem = z.infer<typeof MemoryProblemSchema>

export const MemoryLineSchema = z.object({
  /** From 1. */
  line: z.number().int(),
  text: z.string(),
  /** False for a line that does not have its section's form. */
  valid: z.boolean(),
  status: TodoStatusSchema.optional(),
})

export const MemoryFileSchema = z.object({
  /** read_only: of another format version, or not UTF-8; it is read and never changed. unsafe: a link out of the folder, or no regular file. */
  state: z.enum(['absent', 'ready', 'read_only', 'unsafe']),
  version: z.string().optional(),
  createdAt: z.string().optional(),
  updatedAt: z.string().optional(),
  sections: z.array(z.object({ section: MemorySectionSchema, heading: z.string(), items: z.array(MemoryLineSchema) })),
  problems: z.array(MemoryProblemSchema),
})
export type MemoryFile = z.infer<typeof MemoryFileSchema>
