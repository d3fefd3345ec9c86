/** The one fold from entries to a snapshot: pure, used in the session worker and in every client. */
import type { MetonaUsage } from '../metona/metona-response.ts'
import type { SessionEntry } from './client-protocol.ts'
import { addCost } from './cost.ts'
import { reduceDelta } from './reduce-delta.ts'
import type { EndReason, SessionState } from './session-enums.ts'
import type { SessionEvent, SessionEventOf } from './session-event.ts'
import type { SessionSnapshot, SessionSummary, TranscriptItem } from './session-snapshot.ts'
import { findItem, putItem, type ToolItem } from './transcript-items.ts'

const NO_USAGE: MetonaUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** A session before its first event. */
export function emptySnapshot(sessionId: string): SessionSnapshot {
  return {
    sessionId, workspace: '', title: '', model: '', permission: 'ask', sandbox: 'auto', pinned: false, archived: false, ended: false,
    state: 'idle', since: '', turn: 0, iteration: 0, items: [], approvals: [], queue: [],
    totals: { iterations: 0, usage: NO_USAGE, costs: [], durationMs: 0 }, lastSeq: -1, createdAt: '', updatedAt: '',
  }
}

/**
 * Applies `entries` in order. The given snapshot is not changed; items that did not change keep their
 * identity, so a view may compare by reference. Durable events at or below `lastSeq` are skipped.
 */
export function reduceSession(snapshot: SessionSnapshot, entries: readonly SessionEntry[]): SessionSnapshot {
  const draft: SessionSnapshot = { ...snapshot, items: snapshot.items.slice() }
  for (const entry of entries) {
    if ('delta' in entry) reduceDelta(draft, entry)
    else if (entry.seq > draft.lastSeq) reduceEvent(draft, entry)
  }
  return draft
}

/** The list row of a snapshot. */
export function summarise(snapshot: SessionSnapshot): SessionSummary {
  const { sessionId, workspace, title, model, pinned, archived, state, since, activity, turn, lastSeq, createdAt, updatedAt } = snapshot
  return { sessionId, workspace, title, model, pinned, archived, state, since, ...(activity === undefined ? {} : { activity }), turn, lastSeq, createdAt, updatedAt }
}

function setState(draft: SessionSnapshot, state: SessionState, at: string, activity?: string): void {
  if (draft.state !== state || draft.activity !== activity) draft.since = at
  draft.state = state
  if (activity === undefined) delete draft.activity
  else draft.activity = activity
}

function reduceEvent(draft: SessionSnapshot, event: SessionEvent): void {
  draft.lastSeq = event.seq
  draft.updatedAt = event.ts
  if (draft.createdAt === '') {
    draft.createdAt = event.ts
    draft.since = event.ts
  }
  switch (event.event) {
    case 'session_start':
      draft.workspace = event.workspace
      return applySettings(draft, event)
    case 'session_updated':
      return applySettings(draft, event)
    case 'session_resumed':
      draft.ended = false
      return
    case 'user_message':
      return reduceUserMessage(draft, event)
    case 'message_queued':
      draft.queue = [...draft.queue, { messageId: event.messageId, content: event.content, steering: event.steering }]
      return
    case 'message_unqueued':
      draft.queue = draft.queue.filter((message) => message.messageId !== event.messageId)
      return
    case 'context_built':
      draft.context = { tokens: event.tokens, ratio: event.ratio, ...(event.window === undefined ? {} : { window: event.window }), ...(event.needsCompression === undefined ? {} : { needsCompression: event.needsCompression }) }
      return
    case 'iteration_start':
      draft.iteration = event.iteration
      draft.phase = 'preparing'
      return setState(draft, 'thinking', event.ts)
    case 'llm_request':
      draft.phase = 'streaming'
      return setState(draft, 'thinking', event.ts, event.model)
    case 'llm_response':
      return reduceResponse(draft, event)
    case 'permission_request':
      draft.phase = 'awaiting_approval'
      draft.approvals = [
        ...draft.approvals.filter((approval) => approval.toolCallId !== event.toolCallId),
        { toolCallId: event.toolCallId, tool: event.tool, argumentsHash: event.argumentsHash, display: event.display, risk: event.risk, reason: event.reason, ...(event.grantPrefix === undefined ? {} : { grantPrefix: event.grantPrefix }), requestedAt: event.ts },
      ]
      changeTool(draft, event.toolCallId, { status: 'awaiting_approval' })
      return setState(draft, 'needs', event.ts, event.tool)
    case 'permission':
      draft.approvals = draft.approvals.filter((approval) => approval.toolCallId !== event.toolCallId)
      changeTool(draft, event.toolCallId, { decision: { decision: event.decision, by: event.by, reason: event.reason, at: event.ts }, ...(event.decision === 'deny' ? { status: 'denied' as const } : {}) })
      if (draft.approvals.length === 0 && draft.state === 'needs') setState(draft, 'tool', event.ts, event.tool)
      return
    case 'tool_call':
      draft.phase = 'executing_tools'
      putTool(draft, event.toolCallId, { turn: event.turn ?? draft.turn, iteration: event.iteration, name: event.tool, args: event.args, status: 'running', startedAt: event.ts })
      if (draft.approvals.length === 0) setState(draft, 'tool', event.ts, event.tool)
      return
    case 'tool_result':
      return reduceToolResult(draft, event)
    case 'iteration_end':
      draft.totals = { ...draft.totals, iterations: draft.totals.iterations + 1 }
      return
    case 'turn_end':
      return reduceTurnEnd(draft, event)
    case 'compaction':
      return addNotice(draft, event, 'info', 'compaction', event.method)
    case 'rewind':
      return reduceRewind(draft, event)
    case 'stop_report':
      return
    case 'error':
      return addNotice(draft, event, 'error', event.code, event.message)
    case 'notice':
      return addNotice(draft, event, 'info', event.code, event.message, event.params)
    case 'session_end':
      draft.ended = true
      return
    default:
      return unreachable(event)
  }
}

/** A switch that forgets an event kind does not compile. A newer kind read from disk is passed over. */
function unreachable(_event: never): void {}

function applySettings(draft: SessionSnapshot, event: SessionEventOf<'session_start'> | SessionEventOf<'session_updated'>): void {
  if (event.title !== undefined) draft.title = event.title
  if (event.model !== undefined) draft.model = event.model
  if (event.permission !== undefined) draft.permission = event.permission
  if (event.sandbox !== undefined) draft.sandbox = event.sandbox
  if (event.baseUrl !== undefined) draft.baseUrl = event.baseUrl
  if (event.maxIterations !== undefined) draft.maxIterations = event.maxIterations
  if (event.taskGoal !== undefined) draft.taskGoal = event.taskGoal
  if (event.pinned !== undefined) draft.pinned = event.pinned
  if (event.archived !== undefined) draft.archived = event.archived
}

function reduceUserMessage(draft: SessionSnapshot, event: SessionEventOf<'user_message'>): void {
  draft.queue = draft.queue.filter((message) => message.messageId !== event.messageId)
  draft.turn = event.turn ?? draft.turn
  if (draft.title === '') draft.title = titleOf(event.content)
  draft.items.push({ kind: 'user', id: event.messageId, turn: draft.turn, seq: event.seq, at: event.ts, content: event.content, ...(event.images === undefined ? {} : { images: event.images }), ...(event.steering ? { steering: true } : {}) })
  if (event.steering) return
  draft.phase = 'preparing'
  setState(draft, 'thinking', event.ts)
}

/** The first line of the first message, at most 60 characters (never half a surrogate pair). */
function titleOf(content: string): string {
  const line = content.trim().split('\n', 1)[0] ?? ''
  const characters = [...line]
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : line
}

function reduceResponse(draft: SessionSnapshot, event: SessionEventOf<'llm_response'>): void {
  delete draft.quota
  const status = event.finishReason === 'error' ? 'failed' : event.finishReason === 'aborted' ? 'interrupted' : 'done'
  putItem(draft.items, {
    kind: 'assistant', id: event.messageId, turn: event.turn ?? draft.turn, iteration: event.iteration, seq: event.seq, at: event.ts, text: event.content, status, model: event.model, usage: event.usage,
    ...(event.thinking === undefined ? {} : { thinking: event.thinking }), ...(event.cost === undefined ? {} : { cost: event.cost }), ...(event.error === undefined ? {} : { error: event.error }),
  })
  for (const call of event.toolCalls ?? []) putTool(draft, call.id, { turn: event.turn ?? draft.turn, iteration: event.iteration, name: call.name, args: call.args, status: 'proposed' })
  draft.totals = { ...draft.totals, usage: addUsage(draft.totals.usage, event.usage), costs: event.cost === undefined ? draft.totals.costs : addCost(draft.totals.costs, event.cost) }
}

function reduceToolResult(draft: SessionSnapshot, event: SessionEventOf<'tool_result'>): void {
  const status = ({ ok: 'done', error: 'failed', denied: 'denied', aborted: 'aborted', unknown: 'unknown' } as const)[event.outcome]
  const item = findItem(draft.items, 'tool', event.toolCallId)
  const base: ToolItem = item ?? { kind: 'tool', id: event.toolCallId, turn: event.turn ?? draft.turn, iteration: event.iteration, name: event.tool, args: {}, status }
  const { liveOutput: _live, progress: _progress, argumentsText: _text, ...kept } = base
  putItem(draft.items, {
    ...kept, status, durationMs: event.durationMs, result: event.result,
    ...(event.summary === undefined ? {} : { summary: event.summary }), ...(event.error === undefined ? {} : { error: event.error }), ...(event.display === undefined ? {} : { display: event.display }),
  })
  draft.approvals = draft.approvals.filter((approval) => approval.toolCallId !== event.toolCallId)
}

const STATE_BY_REASON: Readonly<Record<EndReason, SessionState>> = { completed: 'done', aborted: 'stopped', failed: 'failed', limit_reached: 'failed', interrupted: 'stopped' }

function reduceTurnEnd(draft: SessionSnapshot, event: SessionEventOf<'turn_end'>): void {
  draft.items = draft.items.map((item): TranscriptItem => {
    if (item.kind === 'assistant' && item.status === 'streaming') return { ...item, status: 'interrupted' }
    if (item.kind === 'tool' && (item.status === 'proposed' || item.status === 'awaiting_approval')) return { ...item, status: 'aborted' }
    if (item.kind === 'tool' && item.status === 'running') return { ...item, status: 'unknown' }
    return item
  })
  draft.items.push({
    kind: 'turn_end', id: `end_${event.seq}`, turn: event.turn ?? draft.turn, seq: event.seq, at: event.ts, reason: event.reason, iterations: event.iterations, durationMs: event.durationMs,
    ...(event.usage === undefined ? {} : { usage: event.usage }), ...(event.cost === undefined ? {} : { cost: event.cost }), ...(event.error === undefined ? {} : { error: event.error }), ...(event.detail === undefined ? {} : { detail: event.detail }),
  })
  draft.phase = 'ended'
  draft.approvals = []
  delete draft.quota
  draft.totals = { ...draft.totals, durationMs: draft.totals.durationMs + event.durationMs }
  setState(draft, STATE_BY_REASON[event.reason], event.ts)
}

/** Everything shown after `toSeq` stays in the transcript, marked as no longer sent. */
function reduceRewind(draft: SessionSnapshot, event: SessionEventOf<'rewind'>): void {
  const last = draft.items.findLastIndex((item) => 'seq' in item && item.seq !== undefined && item.seq <= event.toSeq)
  draft.items = draft.items.map((item, index) => (index > last && item.superseded !== true ? { ...item, superseded: true } : item))
}

function addNotice(draft: SessionSnapshot, event: SessionEvent, level: 'info' | 'error', code: string, message: string, params?: Record<string, string | number | boolean>): void {
  draft.items.push({ kind: 'notice', id: `notice_${event.seq}`, seq: event.seq, at: event.ts, level, code, message, ...(params === undefined ? {} : { params }) })
}

function changeTool(draft: SessionSnapshot, toolCallId: string, change: Partial<ToolItem>): void {
  const item = findItem(draft.items, 'tool', toolCallId)
  if (item !== undefined) putItem(draft.items, { ...item, ...change })
}

function putTool(draft: SessionSnapshot, toolCallId: string, fields: Omit<ToolItem, 'kind' | 'id'>): void {
  const { argumentsText: _text, ...kept } = findItem(draft.items, 'tool', toolCallId) ?? ({ kind: 'tool', id: toolCallId } as Partial<ToolItem>)
  putItem(draft.items, { ...kept, kind: 'tool', id: toolCallId, ...fields })
}

function addUsage(left: MetonaUsage, right: MetonaUsage): MetonaUsage {
  const sum: MetonaUsage = { inputTokens: left.inputTokens + right.inputTokens, outputTokens: left.outputTokens + right.outputTokens, totalTokens: left.totalTokens + right.totalTokens }
  for (const bucket of ['cacheHitTokens', 'cacheMissTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    if (left[bucket] !== undefined || right[bucket] !== undefined) sum[bucket] = (left[bucket] ?? 0) + (right[bucket] ?? 0)
  }
  return sum
}
