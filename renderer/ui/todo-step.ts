/** A step of the list a model keeps with update_todo. Comes from outside: what does not fit is no list. */
import * as z from 'zod'

const TodoStepSchema = z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'done', 'cancelled']) })
export type TodoStep = z.infer<typeof TodoStepSchema>

export const TodoViewSchema = z.object({ kind: z.literal('todo'), items: z.array(TodoStepSchema).max(200) })
