/** Everything a turn does to the outside world, as one object. `run-turn` has no other way out. */
import type { LlmBatch } from '#contracts/llm/llm-service.ts'
import type { MetonaImage, MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { MetonaToolCall, MetonaToolResult } from '#contracts/metona/metona-tool.ts'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import type { CallExposure } from '#contracts/session/call-exposure.ts'
import type { Cost } from '#contracts/session/cost.ts'
import type { DecisionMaker, PermissionMode, ToolOutcome } from '#contracts/session/session-enums.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import type { PreparedCall, ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import type { ToolShown } from '#contracts/tools/tool-live.ts'
import type { ApprovalCircumstances } from './approval-policy.ts'
import type { Spending, SpendingLimits } from './spending-limits.ts'

export interface BuiltRequest {
  readonly request: MetonaRequest
  readonly tokens: number
  readonly ratio: number
  readonly budgetRatio: number | undefined
  readonly needsCompression: boolean
  readonly contextWindow: number
  readonly messagesHash: string
  readonly notes: string[]
  readonly turnContexts: { messageId: string; turnContext: string }[]
  /** Those in `turnContexts`, each with why. */
  readonly memories: { id: string; score: number; words: string[] }[]
  /** Of the request's messages, how many earlier requests have written to the log in full. */
  readonly alreadyLogged: number
}

export interface StreamOutcome {
  /** Never rejects: failure is `finishReason: 'error'`. Text streamed before a failure is in `content`. */
  readonly response: MetonaResponse
  readonly cost: Cost | undefined
  readonly queuedMs: number
  /** From abort to closed socket; only after an abort. */
  readonly socketClosedMs: number | undefined
}

export interface ToolStop {
  readonly processesFound: number
  readonly processesKilled: number
  readonly survivors: number[]
}

export interface ToolRun {
  readonly result: MetonaToolResult
  readonly outcome: ToolOutcome
  readonly display: Record<string, unknown> | undefined
  readonly stop: ToolStop | undefined
}

/** Why a question's signal aborts when whoever asked it no longer waits. Any other reason is the person's Stop. */
export const WITHDRAWN = 'withdrawn'

/** A question a running call puts to the person. */
export interface ToolQuestion {
  readonly text: string
  readonly options?: string[] | undefined
  /** Yes or no to what `text` shows, for this reason. */
  readonly reason?: ApprovalReason | undefined
}

export interface ApprovalAnswer {
  readonly decision: 'allow' | 'deny'
  readonly by: DecisionMaker
  /** The person's own words, or a code of `approval-reasons.ts`. */
  readonly reason: string
  readonly reasonParams?: Record<string, string>
  readonly scope: 'once' | 'session' | 'always'
  /** What the person wrote to a question. */
  readonly text?: string
}

/** What a yes can cover beyond its own call; one given for the sandbox does not hold outside it. `edits`: every edit in the workspace that nothing else asks about. */
export type CallGrant = { readonly tool: string; readonly prefix: string; readonly sandboxed: boolean } | 'edits'

export interface SteeringMessage {
  readonly messageId: string
  readonly content: string
  readonly images: MetonaImage[] | undefined
}

export interface TurnPorts {
  /** In the session's history at once; durable when it resolves, and shown only then. Drafts of one call become neighbours in the log. */
  commit(drafts: SessionEventDraft[]): Promise<void>
  /** Shown at once, never stored. */
  show(delta: StreamDelta): void
  /** The session's messages so far plus `added` become the next request. Rejects with AppError. */
  buildContext(input: { iteration: number; userInput: string; signal: AbortSignalLike }): Promise<BuiltRequest>
  /** The provider found the request too long. True when the history was cut, so that another try makes sense. */
  cutHistory(signal: AbortSignalLike): Promise<boolean>
  stream(
    built: BuiltRequest,
    options: { messageId: string; onBatch: (batch: LlmBatch) => void; signal: AbortSignalLike },
  ): Promise<StreamOutcome>
  /** Never rejects. */
  prepareTool(call: MetonaToolCall): Promise<PreparedCall>
  /** Never rejects; a lost worker is an `unknown` outcome. */
  runTool(
    call: MetonaToolCall,
    argumentsHash: string,
    options: {
      answer?: string
      /** The person said yes to this very call, not to its kind. */
      approved: boolean
      onLive: (live: ToolShown) => void
      /**
       * `signal` aborts when the call is over or has withdrawn the question (`WITHDRAWN`), or the turn is stopped.
       * @returns what the person wrote; undefined when they passed over it or nobody is there.
       */
      onQuestion: (question: ToolQuestion, signal: AbortSignalLike) => Promise<string | undefined>
      signal: AbortSignalLike
    },
  ): Promise<ToolRun>
  /** Waits for the person; resolves with a denial by `timeout` or when the signal aborts. */
  waitForApproval(request: { toolCallId: string; argumentsHash: string }, signal: AbortSignalLike): Promise<ApprovalAnswer>
  /** The mode as it is now: the person may change it while a turn runs. */
  permission(): PermissionMode
  /** The person allowed exactly this before, for this session or for good. Never rejects. */
  hasGrant(grant: CallGrant): Promise<boolean>
  /** Never rejects: what cannot be kept for good holds for the session. */
  addGrant(grant: CallGrant, scope: 'session' | 'always'): Promise<void>
  /** Messages to fold in before the next request. They stay queued until their `user_message` is committed. */
  steering(): SteeringMessage[]
  /** What the session's calls put before the model so far. */
  exposure(): CallExposure
  /** What this turn's requests used so far, those beside the conversation too. */
  spent(): Spending
  /** The session has been told of this already. */
  noticed(code: string): boolean
  writeTrace(iteration: number, trace: IterationTrace): void
  /** Resolves after so many milliseconds. */
  pause(milliseconds: number): Promise<undefined>
  now(): number
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number
  newId(prefix: 'r' | 'm'): string
}

export interface TurnSettings {
  readonly sessionId: string
  readonly turn: number
  readonly provider: string
  readonly model: string
  readonly interactive: boolean
  readonly maxIterations: number
  /** Milliseconds for the whole turn; absent means no limit. */
  readonly timeoutMs: number | undefined
  readonly userInput: string
  readonly tools: readonly ToolDescriptor[]
  readonly approval: Pick<ApprovalCircumstances, 'rules' | 'harmlessRuns'>
  readonly limits: SpendingLimits
  /** What the session used up before this turn. */
  readonly spentBefore: Spending
}

/** Times of one iteration, milliseconds of the monotonic clock, for its trace. */
export interface IterationTrace {
  readonly iteration: number
  readonly startedAt: number
  readonly endedAt: number
  readonly epochOffset: number
  readonly requestId: string
  readonly provider: string
  readonly model: string
  readonly spans: TraceSpan[]
}

export interface TraceSpan {
  readonly name: string
  readonly kind: 'context' | 'queue' | 'model' | 'approval' | 'tool'
  readonly startedAt: number
  readonly endedAt: number
  readonly attributes: Record<string, string | number | boolean>
  readonly error?: string
}

export type { MetonaMessage }
