/**
 * Between the tools worker and the command host, over a local socket: one JSON object a line each way.
 * The tools worker connects and says `hello` with the one-time token first; anything else closes the socket.
 * Closing the socket ends every command started over it.
 */
import * as z from 'zod'
import { REFUSAL_REASONS } from './allowed-domains.ts'

/** What the host holds around a sandboxed command, because it sees the end of the command whoever else dies. */
export const ConfinementSchema = z.object({
  /** Folder whose own names are protected. */
  root: z.string(),
  /** Protected names that do not exist, absolute. Empty folders stand in for them while the command runs, for the sandbox to mount over. */
  standIns: z.array(z.string()),
  /** Protected names that are links: one that was replaced is put back. */
  links: z.array(z.object({ path: z.string(), target: z.string() })),
  /** Names that do not exist and must not afterwards; a stand-in would be taken for something. */
  unwanted: z.array(z.string()),
  limits: z.object({ memoryBytes: z.number(), processes: z.number() }),
  /** Where the command begins in `argv`, which is a command line of `bwrap`: program, options, `--`, command. Absent: `argv` is run as it is. */
  commandAt: z.number().optional(),
  /** A seccomp program in base64, given to `bwrap` as file descriptor 3. */
  seccomp: z.string().optional(),
  /** Names it may reach: the command opens a listening socket in its own network first and hands it out over file descriptor 4. */
  domains: z.array(z.string()).optional(),
})
export type Confinement = z.infer<typeof ConfinementSchema>

export const NetworkRefusalSchema = z.object({ host: z.string(), port: z.number(), reason: z.enum(REFUSAL_REASONS) })

export const LimitSchema = z.enum(['memory', 'processes'])
export type Limit = z.infer<typeof LimitSchema>

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
    /** `argv` is a sandbox around the command. */
    confinement: ConfinementSchema.optional(),
    /** Windows only: the arguments are quoted already. */
    verbatim: z.boolean().optional(),
  }),
  z.object({ type: z.literal('write'), id: z.string(), base64: z.string() }),
  z.object({ type: z.literal('end_input'), id: z.string() }),
  /** Ask, then kill the whole tree: process group first, then every process carrying the call's marker. */
  z.object({ type: z.literal('kill'), id: z.string(), graceMs: z.number() }),
  /** Flow control: bytes of output taken in; the host stops reading a command's output 1 MiB ahead. */
  z.object({ type: z.literal('credit'), id: z.string(), bytes: z.number() }),
])
export type CommandRequest = z.infer<typeof CommandRequestSchema>
export type StartRequest = Extract<CommandRequest, { type: 'start' }>

export const CommandReplySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), pid: z.number() }),
  z.object({ type: z.literal('started'), id: z.string(), pid: z.number() }),
  z.object({ type: z.literal('output'), id: z.string(), stream: z.enum(['stdout', 'stderr']), base64: z.string() }),
  /** It wanted a connection it may not have. Once for each place, and only for the first of them. */
  z.object({ type: z.literal('refused'), id: z.string(), refusal: NetworkRefusalSchema }),
  z.object({
    type: z.literal('exit'),
    id: z.string(),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    timedOut: z.boolean(),
    found: z.number(),
    killed: z.number(),
    survivors: z.array(z.number()),
    /** The limit it went over, for which it was ended. */
    exceeded: LimitSchema.optional(),
    /** Protected names it had changed that are as they were again. */
    restored: z.array(z.string()).optional(),
  }),
  z.object({ type: z.literal('failed'), id: z.string(), code: z.string(), message: z.string() }),
])
export type CommandReply = z.infer<typeof CommandReplySchema>
