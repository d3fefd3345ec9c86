/** remember: keeps something for later sessions, in the memory store or as a line of MEMORY.md. The session does the writing. */
import * as z from 'zod'
import { LONGEST_MEMORY, LONGEST_SUMMARY } from '#contracts/metona/memory-entry.ts'
import { MemorySectionSchema, TodoStatusSchema, type MemoryOperation } from '#contracts/metona/memory-file.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { ToolError } from '../domain/tool-error.ts'
import { defineTool } from '../define-tool.ts'

const input = z.strictObject({
  content: z
    .string()
    .trim()
    .min(1)
    .max(LONGEST_MEMORY)
    .describe('One fact in one or two sentences, understandable without this conversation'),
  type: z
    .enum(['semantic', 'episodic', 'working'])
    .optional()
    .describe('semantic: a lasting fact (default). episodic: something that happened. working: a note for the current task only'),
  importance: z.number().min(0).max(1).optional(),
  summary: z.string().trim().min(1).max(LONGEST_SUMMARY).optional().describe('Short form of a long content'),
  section: MemorySectionSchema.optional().describe(
    'Changes a line of MEMORY.md, which every session sees, instead. Form of content: preferences "[category] text", context "[project] text", decisions "YYYY-MM-DD: text", todo "[pending|done|cancelled] text", issues "problem | scope | solution"',
  ),
  operation: z.enum(['add', 'set_status', 'replace', 'remove']).optional().describe('On MEMORY.md; default add'),
  old_content: z.string().trim().min(1).optional().describe('The present line, for replace'),
  status: TodoStatusSchema.optional().describe('The new status, for set_status'),
})

export const rememberTool = defineTool({
  name: 'remember',
  description:
    'Remembers something across sessions: what the user prefers, decisions and their reasons, facts of the project that were hard to find. Not for what the files say themselves, and never for passwords, keys or other secrets (refused). Items come back by themselves when they fit a question; lines of MEMORY.md are always in view, so keep those few.',
  input,
  risk: 'session',
  parallel: false,
  prepare: (args) => {
    operationOf(args)
    if (args.section === undefined) return { display: args.content }
    return {
      display: shownChange(args.section, args),
      // As a write to that file would: every later session is told what stands in it.
      mustAsk: { code: 'instructs_agents', params: { path: 'MEMORY.md' } },
    }
  },
  run: async (args, context) => {
    if (context.memory === undefined) throw new ToolError('NO_MEMORY', 'There is no memory here.')
    const operation = operationOf(args)
    try {
      if (operation !== undefined) {
        const { changed } = await context.memory.changeFile({ operation })
        return { result: changed ? 'MEMORY.md was changed.' : 'MEMORY.md says so already; nothing was changed.' }
      }
      const { item, added } = await context.memory.remember({
        content: args.content,
        ...(args.type === undefined ? {} : { type: args.type }),
        ...(args.importance === undefined ? {} : { importance: args.importance }),
        ...(args.summary === undefined ? {} : { summary: args.summary }),
      })
      return { result: added ? `Remembered (${item.id}).` : `This is remembered already (${item.id}).` }
    } catch (thrown) {
      const { code, message } = toErrorData(thrown)
      throw new ToolError(code, message)
    }
  },
})

/** Everything the change would do, as the person needs it to decide. */
function shownChange(section: string, { operation = 'add', content, old_content: oldText, status }: z.output<typeof input>): string {
  const replaced = operation === 'replace' && oldText !== undefined ? `${oldText} -> ` : ''
  const became = operation === 'set_status' && status !== undefined ? ` -> ${status}` : ''
  return `MEMORY.md ${section}: ${operation} ${replaced}${content}${became}`
}

function operationOf({
  section,
  operation = 'add',
  content,
  old_content: oldText,
  status,
}: z.output<typeof input>): MemoryOperation | undefined {
  if (section === undefined) return undefined
  switch (operation) {
    case 'add':
      return { kind: 'add', section, text: content }
    case 'remove':
      return { kind: 'remove', section, text: content }
    case 'set_status':
      if (section !== 'todo' || status === undefined)
        throw new ToolError('BAD_ARGUMENTS', 'set_status takes section "todo", the text of the item as content, and a status.')
      return { kind: 'set_status', text: content, status }
    case 'replace':
      if (oldText === undefined)
        throw new ToolError('BAD_ARGUMENTS', 'replace takes old_content, the present line, and content, the new one.')
      return { kind: 'replace', section, oldText, newText: content }
  }
}
