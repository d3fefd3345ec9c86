/**
 * What the page keeps for the person: drafts, what was seen. It lives in the profile, because a browser keeps things by
 * address, and the web shell has another port at each start. Nothing is read from it that decides what may happen.
 */
import * as z from 'zod'

const key = z.string().min(1).max(500)
/** Room for everything that can be attached to one message. */
const MOST_LETTERS = 14 * 1024 * 1024
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output, deadlineMs: 30_000 })

export const pageStateMethods = {
  /** Entries whose key begins with `prefix`, in the order of their keys. */
  pageStateRead: method(z.object({ prefix: key }), z.object({ entries: z.array(z.object({ key, value: z.string() })) })),
  /** `null` forgets the entry. What was not written for half a year goes by itself. */
  pageStateWrite: method(z.object({ key, value: z.string().max(MOST_LETTERS).nullable() }), z.object({})),
}
