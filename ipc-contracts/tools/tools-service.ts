/** What the tools worker does for the session worker. */
import * as z from 'zod'
import { WrittenFileSchema } from '../workspace/agreed-file.ts'
import { ThreadHealthSchema } from '../health/thread-health.ts'
import { MetonaToolCallSchema, MetonaToolDefSchema, MetonaToolResultSchema } from '../metona/metona-tool.ts'
import { ToolOutcomeSchema } from '../session/session-enums.ts'
import { defineService } from '../wire/define-service.ts'
import { workspaceFileMethods } from './workspace-files.ts'
import type { Port } from '../wire/port.ts'
import { ApprovalReasonSchema } from './approval-reasons.ts'
import { RuleSubjectSchema } from './permission-rule.ts'
import { mcpServiceMethods } from './mcp-service-methods.ts'
import { SandboxReasonSchema, SandboxStateSchema } from './sandbox-state.ts'

/** read: looks only. edit: changes files of the workspace. execute: runs a program. network: leaves the machine. session: touches only the session itself (todo, question, memory). */
export const RiskClassSchema = z.enum(['read', 'edit', 'execute', 'network', 'session'])
export type RiskClass = z.infer<typeof RiskClassSchema>

/** Emitted at build time, so that the first request needs no tools worker. */
export const ToolDescriptorSchema = z.object({
  definition: MetonaToolDefSchema,
  risk: RiskClassSchema,
  /** May run beside other calls of the same answer. */ parallel: z.boolean(),
})
export type ToolDescriptor = z.infer<typeof ToolDescriptorSchema>

export const ToolPlaceSchema = z.object({
  workspace: z.string(),
  sessionId: z.string(),
  sandbox: z.enum(['auto', 'off']),
  /** Names that commands in the sandbox may reach in this folder, by the person's setting. */
  domains: z.array(z.string()).optional(),
})
export type ToolPlace = z.infer<typeof ToolPlaceSchema>

export const PreparedCallSchema = z.union([
  z.object({
    ok: z.literal(true),
    risk: RiskClassSchema,
    /** SHA-256 (hex) of tool name and canonical arguments; an approval is bound to it. */
    argumentsHash: z.string(),
    /** Whole command, diff or path for the card, control characters visible. */
    display: z.string(),
    /** `display` is a unified diff of the tool's own making; without it no text is read as one. */
    diff: z.literal(true).optional(),
    /** What an "always" would cover, exactly as shown; absent where none is offered. A grant covers a call only when the two are equal. */
    grantPrefix: z.string().optional(),
    /** Where there is no prefix: a yes "for this session" covers every further edit in this workspace that nothing else asks about. */
    sessionGrant: z.literal('edits').optional(),
    /** A reason to ask even where the mode would not: protected path, unparsable command, outside the workspace. */
    mustAsk: ApprovalReasonSchema.optional(),
    /** A command names what reading by a tool would ask about: that it runs in the sandbox is no reason to let it run unasked. */
    reveals: ApprovalReasonSchema.optional(),
    /** A command line all of whose programs only look, inside the workspace: a rule may let it run without asking. Never set beside `mustAsk`. */
    harmless: z.boolean().optional(),
    /** What the person's rules are compared with; absent where it cannot be told. */
    subjects: z.array(RuleSubjectSchema).optional(),
    /** It starts more than `subjects` says: what forbids may speak of that, and nothing that allows covers it. */
    hidden: z.boolean().optional(),
    /** A command: true when it runs in the sandbox, false when with the rights of the person. Absent for tools that run none. */
    sandboxed: z.boolean().optional(),
    /** Set with `sandboxed` true: the names it may reach from inside. */
    domains: z.array(z.string()).optional(),
    /** A path the call reads that may hold secrets. */
    secret: z.string().optional(),
    /** Done by a program of another's, such as a tool server: what it says is text from outside, and where it reaches is not known. */
    foreign: z.boolean().optional(),
    /** The person's own setting for this tool: no question but where the mode forbids the risk, or `mustAsk` is set. */
    preapproved: z.boolean().optional(),
    /** The session wants the sandbox, and this is why there is none. */
    unheld: SandboxReasonSchema.optional(),
    /** The call is a question to the person: it is asked in place of an approval, and what they write goes into `run` as `answer`; absent when nobody is there. */
    question: z.object({ text: z.string(), options: z.array(z.string()).optional() }).optional(),
  }),
  /** Unknown tool, bad arguments, forbidden path: becomes the tool's result without running anything. */
  z.object({ ok: z.literal(false), result: MetonaToolResultSchema }),
])
export type PreparedCall = z.infer<typeof PreparedCallSchema>

/**
 * Posted on the call's port while it runs. A question is answered on the same port with `{ answer: { id, text } }`, without
 * `text` when the person passed over it or nobody is there. One that is withdrawn needs no answer any more.
 */
export const ToolLiveSchema = z.union([
  z.object({ output: z.string(), dropped: z.number().int().optional() }),
  z.object({
    question: z.object({
      id: z.number(),
      text: z.string(),
      options: z.array(z.string()).optional(),
      /** Yes or no to what `text` shows, and why it is asked; any text is a yes. */
      reason: ApprovalReasonSchema.optional(),
    }),
  }),
  z.object({ withdrawn: z.object({ id: z.number() }) }),
  z.object({ progress: z.object({ done: z.number(), total: z.number().optional(), unit: z.string() }) }),
])
export type ToolLive = z.infer<typeof ToolLiveSchema>

/** Of these, what is shown while the call runs. */
export type ToolShown = Exclude<ToolLive, { question: unknown } | { withdrawn: unknown }>

export const ToolAnswerSchema = z.object({ answer: z.object({ id: z.number(), text: z.string().optional() }) })

export const toolsService = defineService({
  name: 'tools',
  methods: {
    describe: { input: z.object({}), output: z.object({ tools: z.array(ToolDescriptorSchema) }), deadlineMs: 10_000 },
    /** Parses and freezes the arguments. Runs nothing, changes nothing. */
    prepare: { input: z.object({ place: ToolPlaceSchema, call: MetonaToolCallSchema }), output: PreparedCallSchema, deadlineMs: 30_000 },
    /**
     * Runs a prepared call; `argumentsHash` must be the prepared one. Never fails for the tool's own reasons:
     * those are results with `success: false`. Cancel ends the call's processes as a tree and resolves with what was there.
     */
    run: {
      input: z.object({
        place: ToolPlaceSchema,
        call: MetonaToolCallSchema,
        argumentsHash: z.string(),
        answer: z.string().optional(),
        port: z.custom<Port>(),
        /** Serves `memoryPort`; only for calls of tools that have to do with memory. */
        memory: z.custom<Port>().optional(),
        /** Serves `samplingPort`; only for calls of MCP servers. */
        sampling: z.custom<Port>().optional(),
      }),
      output: z.object({
        result: MetonaToolResultSchema,
        outcome: ToolOutcomeSchema,
        display: z.record(z.string(), z.unknown()).optional(),
        /** A file that speaks in the person's name was written, exactly as the call's diff showed it. */
        written: WrittenFileSchema.optional(),
        stop: z.object({ processesFound: z.number(), processesKilled: z.number(), survivors: z.array(z.number()) }).optional(),
      }),
      deadlineMs: Infinity,
      transfer: ['port', 'memory', 'sampling'],
    },
    /** Values to keep out of output that goes to a file, beside those of the environment. Added to the known ones. */
    setSecrets: {
      input: z.object({ secrets: z.array(z.object({ name: z.string(), value: z.string() })) }),
      output: z.object({}),
      deadlineMs: 10_000,
    },
    /** What holds commands back on this machine; tried at the first call. */
    sandboxState: { input: z.object({}), output: SandboxStateSchema, deadlineMs: 20_000 },
    /** Starts the command host ahead of the first command. */
    warm: { input: z.object({}), output: z.object({}), deadlineMs: 15_000 },
    /** Ends background commands and forgets the session's file stamps. */
    endSession: { input: z.object({ sessionId: z.string() }), output: z.object({ survivors: z.array(z.number()) }), deadlineMs: 15_000 },
    /** Changes of files that can still be taken back, oldest first. `at` is milliseconds since the epoch. */
    listChanges: {
      input: z.object({ workspace: z.string(), sessionId: z.string() }),
      output: z.object({ changes: z.array(z.object({ callId: z.string(), at: z.number(), path: z.string(), created: z.boolean() })) }),
      deadlineMs: 15_000,
    },
    /** Takes changes back, newest first: of these calls (one call, or all of a turn), or of the whole session. A file changed since is refused by itself. Only for a person's wish. */
    undo: {
      input: z.object({ workspace: z.string(), sessionId: z.string(), callIds: z.array(z.string()).optional() }),
      output: z.object({
        restored: z.array(z.object({ path: z.string(), callId: z.string(), removed: z.boolean() })),
        refused: z.array(z.object({ path: z.string(), callId: z.string(), reason: z.string() })),
      }),
      deadlineMs: 60_000,
    },
    ...workspaceFileMethods,
    health: {
      input: z.object({}),
      output: z.object({ threadId: z.number(), running: z.number(), thread: ThreadHealthSchema }),
      deadlineMs: 5_000,
    },
    ...mcpServiceMethods,
  },
})
