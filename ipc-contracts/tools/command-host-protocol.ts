/**
 * Between the tools worker and the command host, over a local socket: one JSON object a line each way.
 * The tools worker connects and says `hello` with the one-time token first; anything else closes the socket.
 * Closing the socket ends every command started over it.
 */
import * as z from 'zod'

export const CommandRequestSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), token: z.string() }),
  z.object({
    type: z.literal('start'),
    id: z.string(),
    /** Program and arguments; no shell is added here. */
    argv: z.array(z.string()).min(1),
    cwd: z.string(),
    /** The whole environment; nothing is inherited. `METONA_CALL` marks every descendant. */
    env: z.record(z.string(), z.string()),
    timeoutMs: z.number().optional(),
    /** Kept open for a stdio server; a command gets none and reads end of file. */
    stdin: z.boolean(),
  }),
  z.object({ type: z.literal('write'), id: z.string(), base64: z.string() }),
  z.object({ type: z.literal('end_input'), id: z.string() }),
  /** Ask, then kill the whole tree: process group first, then every process carrying the call's marker. */
  z.object({ type: z.literal('kill'), id: z.string(), graceMs: z.number() }),
  /** Flow control: bytes of output taken in; the host stops reading a command's output 1 MiB ahead. */
  z.object({ type: z.literal('credit'), id: z.string(), bytes: z.number() }),
])
export type CommandRequest = z.infer<typeof CommandRequestSchema>

export const CommandReplySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), pid: z.number() }),
  z.object({ type: z.literal('started'), id: z.string(), pid: z.number() }),
  z.object({ type: z.literal('output'), id: z.string(), stream: z.enum(['stdout', 'stderr']), base64: z.string() }),
  z.object({
    type: z.literal('exit'),
    id: z.string(),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    timedOut: z.boolean(),
    found: z.number(),
    killed: z.number(),
    survivors: z.array(z.number()),
  }),
  z.object({ type: z.literal('failed'), id: z.string(), code: z.string(), message: z.string() }),
])
export type CommandReply = z.infer<typeof CommandReplySchema>
