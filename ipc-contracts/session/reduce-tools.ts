/** The part of the fold that deals with tool calls and the questions about them. Changes the draft in place. */
import type { SessionEventOf } from './session-event.ts'
import type { SessionSnapshot } from './session-snapshot.ts'
import { setState, without } from './change-draft.ts'
import { findItem, putItem, type ToolItem } from './transcript-items.ts'

const STATUS_BY_OUTCOME = { ok: 'done', error: 'failed', denied: 'denied', aborted: 'aborted', unknown: 'unknown' } as const
const ENDED: readonly ToolItem['status'][] = Object.values(STATUS_BY_OUTCOME)

export function reducePermissionRequest(draft: SessionSnapshot, event: SessionEventOf<'permission_request'>): void {
  const { toolCallId, tool, argumentsHash, display, risk, reason, grantPrefix } = event
  draft.phase = 'awaiting_approval'
  draft.approvals = [
    ...draft.approvals.filter((approval) => approval.toolCallId !== toolCallId),
    {
      toolCallId,
      tool,
      argumentsHash,
      display,
      ...(event.diff === undefined ? {} : { diff: event.diff }),
      risk,
      reason,
      ...(event.reasonParams === undefined ? {} : { reasonParams: event.reasonParams }),
      ...(grantPrefix === undefined ? {} : { grantPrefix }),
      ...(event.sessionGrant === undefined ? {} : { sessionGrant: event.sessionGrant }),
      ...(event.sandboxed === undefined ? {} : { sandboxed: event.sandboxed }),
      ...(event.domains === undefined ? {} : { domains: event.domains }),
      ...(event.question === undefined ? {} : { question: event.question }),
      requestedAt: event.ts,
    },
  ]
  changeTool(draft, event, (item) => ({ ...item, status: 'awaiting_approval' }))
  setState(draft, 'needs', event.ts, tool)
}

export function reducePermission(draft: SessionSnapshot, event: SessionEventOf<'permission'>): void {
  changeTool(draft, event, (item) => {
    // A call that has ended stays what it became, whenever the answer to its question comes.
    if (ENDED.includes(item.status)) return item
    // A question in the middle of a call: whatever the answer, the call goes on.
    if (item.startedAt !== undefined && item.status === 'awaiting_approval') return { ...item, status: 'running' }
    const allowed = item.status === 'awaiting_approval' ? 'proposed' : item.status
    return {
      ...item,
      status: event.decision === 'deny' ? 'denied' : allowed,
      decision: {
        decision: event.decision,
        by: event.by,
        reason: event.reason,
        ...(event.reasonParams === undefined ? {} : { reasonParams: event.reasonParams }),
        at: event.ts,
      },
    }
  })
  closeQuestion(draft, event.toolCallId, event.tool, event.ts)
}

export function reduceToolCall(draft: SessionSnapshot, event: SessionEventOf<'tool_call'>): void {
  putTool(draft, {
    id: event.toolCallId,
    turn: event.turn ?? draft.turn,
    iteration: event.iteration,
    name: event.tool,
    args: event.args,
    status: 'running',
    startedAt: event.ts,
  })
  // Beside a question that is still open, what the person must see is the question.
  if (draft.approvals.length > 0) return
  draft.phase = 'executing_tools'
  setState(draft, 'tool', event.ts, event.tool)
}

export function reduceToolResult(draft: SessionSnapshot, event: SessionEventOf<'tool_result'>): void {
  const status = STATUS_BY_OUTCOME[event.outcome]
  const {
    liveOutput: _live,
    progress: _progress,
    argumentsText: _text,
    ...kept
  } = findItem(draft.items, 'tool', event.toolCallId, event.turn ?? draft.turn) ?? {
    kind: 'tool' as const,
    id: event.toolCallId,
    turn: event.turn ?? draft.turn,
    iteration: event.iteration,
    name: event.tool,
    args: {},
    status,
  }
  putItem(draft, {
    ...kept,
    status,
    durationMs: event.durationMs,
    result: event.result,
    ...(event.summary === undefined ? {} : { summary: event.summary }),
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.display === undefined ? {} : { display: event.display }),
  })
  closeQuestion(draft, event.toolCallId, event.tool, event.ts)
}

/** A call the model asked for, known whole. */
export function putTool(draft: SessionSnapshot, fields: Omit<ToolItem, 'kind'>): void {
  const { argumentsText: _text, ...kept } = findItem(draft.items, 'tool', fields.id, fields.turn) ?? { kind: 'tool' as const }
  putItem(draft, { ...kept, ...fields })
}

function changeTool(
  draft: SessionSnapshot,
  event: { toolCallId: string; turn?: number | undefined },
  change: (item: ToolItem) => ToolItem,
): void {
  const item = findItem(draft.items, 'tool', event.toolCallId, event.turn ?? draft.turn)
  if (item !== undefined) putItem(draft, change(item))
}

/** After the last question the tools go on; before it, the newest one still open is what the session needs. */
function closeQuestion(draft: SessionSnapshot, toolCallId: string, tool: string, at: string): void {
  draft.approvals = without(draft.approvals, (approval) => approval.toolCallId === toolCallId)
  if (draft.state !== 'needs') return
  const open = draft.approvals.at(-1)
  if (open !== undefined) return setState(draft, 'needs', at, open.tool)
  draft.phase = 'executing_tools'
  setState(draft, 'tool', at, tool)
}
