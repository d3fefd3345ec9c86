/** Ports of a turn that follow a script and write down, in order, everything the turn does. */
import type { CallExposure } from '#contracts/session/call-exposure.ts'
import type { Cost } from '#contracts/session/cost.ts'
import type { MetonaFinishReason, MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import type { ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import type { PreparedCall, RiskClass, ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import { addSpending, type Spending } from '#workers/session/domain/spending-limits.ts'
import { addExposure } from '#workers/session/domain/session-exposure.ts'
import type { ApprovalAnswer, ToolRun, TurnPorts, TurnSettings } from '#workers/session/domain/turn-ports.ts'

export interface Script {
  /** Answers of the model, in order. */
  answers: Partial<MetonaResponse>[]
  risk?: Record<string, RiskClass>
  approvals?: Record<string, Partial<ApprovalAnswer>>
  outcomes?: Record<string, Partial<ToolRun>>
  mustAsk?: ApprovalReason
  /** What a wider yes could cover; a prefix without it. */
  offered?: 'edits' | 'none'
  onRun?: (call: MetonaToolCall) => void
  contextFails?: Error
  permission?: PermissionMode
  canCut?: boolean
  question?: { text: string }
  /** By the turns before. */
  exposed?: CallExposure
  /** Used by requests beside the conversation. */
  beside?: Spending
  /** Of each answer. */
  cost?: Cost
}

export interface Recording {
  readonly ports: TurnPorts
  readonly drafts: SessionEventDraft[]
  /** `commit:<events>`, `run:<tool call id>`, `ask:<tool call id>`, `stream`. */
  readonly steps: string[]
}

export function call(id: string, name: string, args: Record<string, unknown> = {}): MetonaToolCall {
  return { id, name, args, iteration: 1, timestamp: 0 }
}

export function scripted(script: Script): Recording {
  const drafts: SessionEventDraft[] = []
  const steps: string[] = []
  const answers = [...script.answers]
  let clock = 1000
  let spent: Spending = script.beside ?? { tokens: 0, costs: [] }
  const ports: TurnPorts = {
    commit: async (added) => {
      await Promise.resolve()
      drafts.push(...added)
      steps.push(`commit:${added.map((draft) => draft.event).join('+')}`)
    },
    show: () => undefined,
    buildContext: async ({ iteration }) => {
      if (script.contextFails !== undefined) throw script.contextFails
      return {
        request: {
          meta: { sessionId: 's_1', iteration, requestId: `r_${iteration}`, timestamp: 0, agentVersion: '0' },
          systemPrompt: { roleDefinition: '', outputConstraints: '', safetyGuidelines: '' },
          messages: [{ role: 'user', content: 'go', timestamp: 0 }],
          params: { stream: true, thinkingEnabled: false },
        },
        tokens: 10,
        ratio: 0.1,
        budgetRatio: undefined,
        needsCompression: false,
        contextWindow: 100,
        messagesHash: 'h',
        notes: [],
        turnContexts: [],
        memories: [],
        alreadyLogged: 0,
      }
    },
    stream: async () => {
      steps.push('stream')
      const answer = answers.shift() ?? {}
      spent = addSpending(spent, answer.usage?.totalTokens ?? 2, script.cost)
      const finishReason: MetonaFinishReason = answer.finishReason ?? ((answer.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop')
      return {
        response: {
          meta: { requestId: 'r', provider: 'demo', model: 'm', latencyMs: 1, timestamp: 0 },
          content: '',
          usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          ...answer,
          finishReason,
        },
        cost: script.cost,
        queuedMs: 0,
        socketClosedMs: undefined,
      }
    },
    cutHistory: async () => {
      steps.push('cut')
      return script.canCut === true
    },
    prepareTool: async (asked): Promise<PreparedCall> => ({
      ok: true,
      risk: script.risk?.[asked.name] ?? 'read',
      argumentsHash: `${asked.name}:${JSON.stringify(asked.args)}`,
      display: asked.name,
      ...(script.mustAsk === undefined ? {} : { mustAsk: script.mustAsk }),
      ...(script.question === undefined ? {} : { question: script.question }),
      ...(script.offered === 'none' ? {} : script.offered === 'edits' ? { sessionGrant: 'edits' } : { grantPrefix: asked.name }),
    }),
    runTool: async (asked, _hash, { answer }) => {
      steps.push(`run:${asked.id}`)
      if (answer !== undefined) steps.push(`answer:${asked.id}:${answer}`)
      script.onRun?.(asked)
      return {
        result: { toolCallId: asked.id, toolName: asked.name, result: 'ok', success: true, durationMs: 1, timestamp: 0 },
        outcome: 'ok',
        display: undefined,
        stop: undefined,
        ...script.outcomes?.[asked.id],
      }
    },
    waitForApproval: async ({ toolCallId }) => {
      steps.push(`ask:${toolCallId}`)
      return { decision: 'allow', by: 'user', reason: '', scope: 'once', ...script.approvals?.[toolCallId] }
    },
    permission: () => script.permission ?? 'ask',
    hasGrant: async () => false,
    addGrant: async (grant, scope) =>
      void steps.push(grant === 'edits' ? `grant:edits:${scope}` : `grant:${grant.tool}:${grant.prefix}:${scope}`),
    steering: () => [],
    exposure: () =>
      drafts.reduce((seen, draft) => (draft.event === 'tool_call' ? addExposure(seen, draft.exposes ?? {}) : seen), script.exposed ?? {}),
    spent: () => spent,
    noticed: (code) => drafts.some((draft) => draft.event === 'notice' && draft.code === code),
    writeTrace: () => undefined,
    pause: () => new Promise(() => undefined),
    now: () => clock++,
    monotonic: () => clock++,
    newId: (prefix) => `${prefix}_x`,
  }
  return { ports, drafts, steps }
}

export function settings(change: Partial<TurnSettings> = {}): TurnSettings {
  return {
    sessionId: 's_1',
    turn: 1,
    provider: 'demo',
    model: 'm',
    interactive: true,
    maxIterations: 5,
    timeoutMs: undefined,
    userInput: 'go',
    tools: [],
    approval: { rules: [], harmlessRuns: false },
    limits: {},
    spentBefore: { tokens: 0, costs: [] },
    ...change,
  }
}

export function parallelTool(name: string): ToolDescriptor {
  return { definition: { name, description: '', parameters: {} }, risk: 'read', parallel: true }
}

export const neverAborted = new AbortController().signal
