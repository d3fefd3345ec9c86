/** What a tool is. One file in `catalog/` and one line in `catalog/index.ts` add one. */
import type { WrittenFile } from '#contracts/workspace/agreed-file.ts'
import * as z from 'zod'
import type { MetonaToolDef } from '#contracts/metona/metona-tool.ts'
import type { ToolOutcome } from '#contracts/session/session-enums.ts'
import type { memoryPort } from '#contracts/tools/memory-port.ts'
import type { samplingPort } from '#contracts/tools/sampling-port.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import type { ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import type { RuleSubject } from '#contracts/tools/permission-rule.ts'
import type { SandboxReason } from '#contracts/tools/sandbox-state.ts'
import type { ToolPlace } from '#contracts/tools/tools-service.ts'
import type { RiskClass, ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import type { ToolLive } from '#contracts/tools/tool-live.ts'
import type { NamedScript } from './commands/named-scripts.ts'
import type { LiveQuestion } from './ask-over.ts'
import type { ToolServices } from './tool-services.ts'

/** What preparing found out and running relies on; kept by the worker, never sent. */
export interface Permit {
  /** Absolute, free of links, as it was shown. */
  readonly realPath?: string
  readonly inside?: boolean
  /** Hash of the file's content when the diff was shown; null when there was none. */
  readonly baseHash?: string | null
  /** Scripts that a command names, as they were when it was shown. */
  readonly scripts?: readonly NamedScript[]
  /** Real paths of secrets in the workspace that a command names, so that it may see them. */
  readonly secrets?: readonly string[]
  /** It was said that the command runs in the sandbox, or that it does not. */
  readonly sandboxed?: boolean
  /** Names a command may reach, as it was said; when it runs never more, and none that was taken back meanwhile. */
  readonly domains?: readonly string[]
}

export interface Preparation {
  /** Everything the person needs to decide, in plain text; made visible by the service. */
  readonly display: string
  /** `display` is a unified diff of ours. Anything else is shown as it is, whatever it looks like. */
  readonly diff?: true
  /** Why to ask even where the mode would not. */
  readonly mustAsk?: ApprovalReason
  /** A command names what reading by a tool would ask about: the sandbox is no reason to run it unasked. */
  readonly reveals?: ApprovalReason
  /** What an "always" would cover, exactly. */
  readonly grantPrefix?: string
  /** What "for this session" covers where there is no prefix. */
  readonly sessionGrant?: 'edits'
  /** What the person's rules are compared with; absent where it cannot be told. */
  readonly subjects?: RuleSubject[]
  readonly hidden?: boolean
  /** Runs programs, but only such as look, all of them shown. */
  readonly harmless?: boolean
  /** A command: whether it runs in the sandbox. */
  readonly sandboxed?: boolean
  /** Names it may reach from inside; absent where there are none. */
  readonly domains?: string[]
  /** Why not, where the session wants it. */
  readonly unheld?: SandboxReason
  /** The call is a question to the person. */
  readonly question?: { readonly text: string; readonly options?: string[] }
  readonly permit?: Permit
  /** A path it reads that may hold secrets. */
  readonly secret?: string
  /** Done by a program of another's: what it says is text from outside, and it may reach anywhere. */
  readonly foreign?: boolean
  /** The person's own setting for this tool lets it run without a question. */
  readonly preapproved?: boolean
}

export interface StopEvidence {
  readonly processesFound: number
  readonly processesKilled: number
  readonly survivors: number[]
}

export interface ToolOutput {
  /** Bounded; strings go to the model as they are. */
  readonly result: unknown
  /** The model sees this instead of `result`. */
  readonly summary?: string
  readonly outcome?: ToolOutcome
  /** Set when the tool worked but what it did failed (a command's exit code). */
  readonly error?: string
  readonly display?: Record<string, unknown>
  /** A file that speaks in the person's name, written as it was shown. */
  readonly written?: WrittenFile
  readonly stop?: StopEvidence
}

export interface PrepareContext {
  readonly place: ToolPlace
  readonly callId: string
  readonly services: ToolServices
}

export interface RunContext extends PrepareContext {
  readonly signal: AbortSignal
  readonly permit: Permit | undefined
  /** What the person answered to the call's question. */
  readonly answer: string | undefined
  /** Of the session the call runs in; only for the tools that remember and recall. */
  readonly memory: ServiceClient<typeof memoryPort> | undefined
  /** The session's model, for what a server wants of it; only for calls of MCP servers. */
  readonly sampling: ServiceClient<typeof samplingPort> | undefined
  live(message: ToolLive): void
  /**
   * Asks the person while the call runs, until `withdrawn` aborts.
   * @returns what they wrote; undefined when they passed over it, nobody is there, or it was withdrawn.
   */
  ask(question: LiveQuestion, withdrawn?: AbortSignal): Promise<string | undefined>
}

export interface ToolSpecification<S extends z.ZodObject> {
  readonly name: string
  /** For the model. */
  readonly description: string
  readonly input: S
  readonly risk: RiskClass
  readonly parallel: boolean
  /** Looks, changes nothing. Throws ToolError for what can never work. */
  prepare(input: z.output<S>, context: PrepareContext): Promise<Preparation> | Preparation
  /** Throws ToolError for failures the model can act on. */
  run(input: z.output<S>, context: RunContext): Promise<ToolOutput>
}

export type BoundTool = {
  readonly ok: true
  prepare(context: PrepareContext): Promise<Preparation>
  run(context: RunContext): Promise<ToolOutput>
}

export interface Tool {
  readonly name: string
  readonly descriptor: ToolDescriptor
  /** Checks the arguments; a problem is a sentence for the model. */
  bind(args: Readonly<Record<string, unknown>>): BoundTool | { readonly ok: false; readonly problem: string }
}

export function defineTool<S extends z.ZodObject>(specification: ToolSpecification<S>): Tool {
  const definition: MetonaToolDef = {
    name: specification.name,
    description: specification.description,
    parameters: toParameters(specification.input),
  }
  return {
    name: specification.name,
    descriptor: { definition, risk: specification.risk, parallel: specification.parallel },
    bind: (args) => {
      const parsed = specification.input.safeParse(args)
      if (!parsed.success) return { ok: false, problem: describeProblems(specification.name, specification.input, parsed.error) }
      return {
        ok: true,
        prepare: async (context) => specification.prepare(parsed.data, context),
        run: async (context) => specification.run(parsed.data, context),
      }
    },
  }
}

function toParameters(input: z.ZodObject): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input', target: 'draft-7' }) as Record<string, unknown>
  return schema
}

function describeProblems(tool: string, input: z.ZodObject, error: z.ZodError): string {
  const problems = error.issues.map((issue) => (issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`))
  const shape = Object.entries(input.shape).map(([name, field]) => `${name}${(field as z.ZodType).safeParse(undefined).success ? '?' : ''}`)
  return `The arguments do not fit ${tool}: ${problems.join('; ')}. It takes {${shape.join(', ')}}. Call it again with corrected arguments.`
}
