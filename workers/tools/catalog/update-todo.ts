/** update_todo: the session's list of steps, shown beside the answer. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'

const MARKS = { pending: '[ ]', in_progress: '[>]', done: '[x]', cancelled: '[-]' } as const

export const updateTodoTool = defineTool({
  name: 'update_todo',
  description:
    'Replaces the list of steps of the current task, shown to the user. Use it for work of three steps or more; keep exactly one step in progress, and mark steps done as soon as they are.',
  input: z.strictObject({
    items: z
      .array(z.strictObject({ text: z.string().min(1).max(500), status: z.enum(['pending', 'in_progress', 'done', 'cancelled']) }))
      .max(100)
      .describe('The whole list, in order'),
  }),
  risk: 'session',
  parallel: false,
  prepare: (input) => ({ display: describe(input.items) }),
  run: async (input) => {
    const open = input.items.filter((item) => item.status === 'pending' || item.status === 'in_progress').length
    return {
      result: input.items.length === 0 ? 'The list is empty.' : `${describe(input.items)}\n${open} of ${input.items.length} open.`,
      display: { kind: 'todo', items: input.items },
    }
  },
})

function describe(items: readonly { text: string; status: keyof typeof MARKS }[]): string {
  return items.map((item) => `${MARKS[item.status]} ${item.text}`).join('\n')
}
