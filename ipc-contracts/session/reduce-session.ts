/** The one fold from entries to a snapshot: pure, used in the session worker and in every client. */
import type { MetonaUsage } from '../metona/metona-response.ts'
import type { SessionEntry } from './client-protocol.ts'
import { setState, without } from './change-draft.ts'
import { addCost } from './cost.ts'
import { reduceDelta } from './reduce-delta.ts'
import { putTool, reducePermission, reducePermissionRequest, reduceToolCall, reduceToolResult } from './reduce-tools.ts'
import type { EndReason, SessionState } from './session-enums.ts'
import type { SessionEvent, SessionEventOf } from './session-event.ts'
import type { SessionSnapshot, SessionSummary } from './session-snapshot.ts'
import type { TranscriptItem } from './transcript-item.ts'

import { addItem, changeItems, changeTurnItems, putItem, releaseItems, removeTools } from './transcript-items.ts'

/** A session before its first event. */
export function emptySnapshot(sessionId: string): SessionSnapshot {
  return {
    sessionId,
    workspace: '',
    title: '',
    model: '',
    permission: 'ask',
    sandbox: 'auto',
    pinned: false,
    archived: false,
    ended: false,
    state: 'idle',
    since: '',
    turn: 0,
    iteration: 0,
    items: [],
    approvals: [],
    queue: [],
    totals: { iterations: 0, usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, costs: [], durationMs: 0 },
    lastSeq: -1,
    createdAt: '',
    updatedAt: '',
  }
}

/**
 * Applies `entries` in order. The given snapshot is not changed. What did not change keeps its identity (each
 * item, the list of items, the snapshot itself), so a view may compare by reference. Durable events at or below
 * `lastSeq` are skipped.
 */
export function reduceSession(snapshot: SessionSnapshot, entries: readonly SessionEntry[]): SessionSnapshot {
  const draft: SessionSnapshot = { ...snapshot }
  for (const entry of entries) {
    if ('delta' in entry) reduceDelta(draft, entry)
    else if (entry.seq > draft.lastSeq) reduceEvent(draft, entry)
  }
  releaseItems(draft)
  return isSame(draft, snapshot) ? snapshot : draft
}

/** The list row of a snapshot. */
export function summarise(snapshot: SessionSnapshot): SessionSummary {
  const { sessionId, workspace, title, model, pinned, archived, state, since, activity, quota, turn, lastSeq, createdAt, updatedAt } =
    snapshot
  const row = { sessionId, workspace, title, model, pinned, archived, state, since, turn, lastSeq, createdAt, updatedAt }
  return { ...row, ...(activity === undefined ? {} : { activity }), ...(quota === undefined ? {} : { quota }) }
}

function isSame(left: SessionSnapshot, right: SessionSnapshot): boolean {
  const keys = Object.keys(left) as (keyof SessionSnapshot)[]
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key])
}

function reduceEvent(draft: SessionSnapshot, event: SessionEvent): void {
  draft.lastSeq = event.seq
  // Opening and closing are no news: a list by recency keeps its order over a restart.
  if (event.event !== 'session_resumed' && event.event !== 'session_end') draft.updatedAt = event.ts
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
      draft.queue = without(draft.queue, (message) => message.messageId === event.messageId)
      return
    case 'context_built':
      draft.context = {
        tokens: event.tokens,
        ratio: event.ratio,
        ...(event.window === undefined ? {} : { window: event.window }),
        ...(event.needsCompression === undefined ? {} : { needsCompression: event.needsCompression }),
      }
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
    case 'side_request':
      return addSpending(draft, event)
    case 'permission_request':
      return reducePermissionRequest(draft, event)
    case 'permission':
      return reducePermission(draft, event)
    case 'tool_call':
      return reduceToolCall(draft, event)
    case 'tool_result':
      return reduceToolResult(draft, event)
    case 'iteration_end':
      draft.totals = { ...draft.totals, iterations: draft.totals.iterations + 1 }
      return
    case 'turn_end':
      return reduceTurnEnd(draft, event)
    case 'compaction':
      return addNotice(draft, event, { level: 'info', code: 'compaction', message: event.method })
    case 'rewind':
      return reduceRewind(draft, event)
    case 'stop_report':
      return
    case 'error':
      return addNotice(draft, event, { level: 'error', code: event.code, message: event.message })
    case 'notice':
      return addNotice(draft, event, {
        level: 'info',
        code: event.code,
        message: event.message,
        ...(event.params === undefined ? {} : { params: event.params }),
      })
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
  draft.queue = without(draft.queue, (message) => message.messageId === event.messageId)
  draft.turn = event.turn ?? draft.turn
  if (draft.title === '') draft.title = titleOf(event.content)
  addItem(draft, {
    kind: 'user',
    id: event.messageId,
    turn: draft.turn,
    seq: event.seq,
    at: event.ts,
    content: event.content,
    ...(event.images === undefined ? {} : { images: event.images }),
    ...(event.steering ? { steering: true } : {}),
  })
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
  const turn = event.turn ?? draft.turn
  const calls = event.toolCalls ?? []
  delete draft.quota
  if (draft.state === 'quota') setState(draft, 'thinking', event.ts, event.model)
  putItem(draft, {
    kind: 'assistant',
    id: event.messageId,
    turn,
    iteration: event.iteration,
    seq: event.seq,
    at: event.ts,
    text: event.content,
    status: event.finishReason === 'error' ? 'failed' : event.finishReason === 'aborted' ? 'interrupted' : 'done',
    model: event.model,
    usage: event.usage,
    ...(event.thinking === undefined ? {} : { thinking: event.thinking }),
    ...(event.cost === undefined ? {} : { cost: event.cost }),
    ...(event.error === undefined ? {} : { error: event.error }),
  })
  // What the stream began and the answer does not hold was never asked for.
  removeTools(
    draft,
    turn,
    (item) => item.status === 'proposed' && item.iteration === event.iteration && !calls.some((call) => call.id === item.id),
  )
  for (const { id, name, args } of calls) putTool(draft, { id, turn, iteration: event.iteration, name, args, status: 'proposed' })
  if (event.copied !== true) addSpending(draft, event)
}

function addSpending(draft: SessionSnapshot, { usage, cost }: Pick<SessionEventOf<'llm_response'>, 'usage' | 'cost'>): void {
  draft.totals = {
    ...draft.totals,
    usage: addUsage(draft.totals.usage, usage),
    costs: cost === undefined ? draft.totals.costs : addCost(draft.totals.costs, cost),
  }
}

const STATE_BY_REASON: Readonly<Record<EndReason, SessionState>> = {
  completed: 'done',
  aborted: 'stopped',
  failed: 'failed',
  limit_reached: 'failed',
  interrupted: 'stopped',
}

function reduceTurnEnd(draft: SessionSnapshot, event: SessionEventOf<'turn_end'>): void {
  changeTurnItems(draft, event.turn ?? draft.turn, (item): TranscriptItem => {
    if (item.kind === 'assistant' && item.status === 'streaming') return { ...item, status: 'interrupted' }
    if (item.kind === 'tool' && (item.status === 'proposed' || item.status === 'awaiting_approval')) return { ...item, status: 'aborted' }
    if (item.kind === 'tool' && item.status === 'running') return { ...item, status: 'unknown' }
    return item
  })
  addItem(draft, {
    kind: 'turn_end',
    id: `end_${event.seq}`,
    turn: event.turn ?? draft.turn,
    seq: event.seq,
    at: event.ts,
    reason: event.reason,
    iterations: event.iterations,
    durationMs: event.durationMs,
    ...(event.usage === undefined ? {} : { usage: event.usage }),
    ...(event.cost === undefined ? {} : { cost: event.cost }),
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.detail === undefined ? {} : { detail: event.detail }),
  })
  draft.phase = 'ended'
  if (draft.approvals.length > 0) draft.approvals = []
  delete draft.quota
  draft.totals = { ...draft.totals, durationMs: draft.totals.durationMs + event.durationMs }
  setState(draft, STATE_BY_REASON[event.reason], event.ts)
}

/** Everything shown after `toSeq` stays in the transcript, marked as no longer sent. */
function reduceRewind(draft: SessionSnapshot, event: SessionEventOf<'rewind'>): void {
  const last = draft.items.findLastIndex((item) => 'seq' in item && item.seq !== undefined && item.seq <= event.toSeq)
  changeItems(draft, (item, index) => (index > last && item.superseded !== true ? { ...item, superseded: true } : item))
}

type NoticeItem = Extract<TranscriptItem, { kind: 'notice' }>

function addNotice(draft: SessionSnapshot, event: SessionEvent, content: Pick<NoticeItem, 'level' | 'code' | 'message' | 'params'>): void {
  addItem(draft, { kind: 'notice', id: `notice_${event.seq}`, seq: event.seq, at: event.ts, ...content })
}

/** Sums every count; one that neither side reports stays absent. */
function addUsage(left: MetonaUsage, right: MetonaUsage): MetonaUsage {
  const sum: MetonaUsage = { ...left }
  for (const [bucket, count] of Object.entries(right) as [keyof MetonaUsage, number | undefined][]) {
    if (count !== undefined) sum[bucket] = (left[bucket] ?? 0) + count
  }
  return sum
}
