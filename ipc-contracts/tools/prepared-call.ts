/** A tool, and what is known of one call of it before it runs. */
import * as z from 'zod'
import { MetonaToolDefSchema, MetonaToolResultSchema } from '../metona/metona-tool.ts'
import { ApprovalReasonSchema } from './approval-reasons.ts'
import { RuleSubjectSchema } from './permission-rule.ts'
import { SandboxReasonSchema } from './sandbox-state.ts'

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
