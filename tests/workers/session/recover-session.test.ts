import { describe, expect, test } from 'vitest'
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import { recoveryDrafts } from '#workers/session/recover-session.ts'
import { emptyHistory, extendHistory } from '#workers/session/domain/history.ts'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const numbered = (drafts: SessionEventDraft[], from = 0): SessionEvent[] =>
  drafts.map(
    (draft, index) =>
      ({ seq: from + index, ts: '2026-01-01T00:00:00.000Z', sessionId: 's_1', eventId: `e_${from + index}`, ...draft }) as SessionEvent,
  )

const start: SessionEventDraft = { event: 'session_start', workspace: '/w', agentVersion: '0' }
const asked: SessionEventDraft = { event: 'user_message', messageId: 'm_1', content: 'go', turn: 1 }
const iteration: SessionEventDraft = { event: 'iteration_start', iteration: 1, turn: 1 }
const request: SessionEventDraft = {
  event: 'llm_request',
  iteration: 1,
  provider: 'demo',
  model: 'm',
  messages: [],
  requestId: 'r_1',
  messageCount: 1,
  messagesHash: 'h',
  turn: 1,
}
const response: SessionEventDraft = {
  event: 'llm_response',
  iteration: 1,
  content: '',
  finishReason: 'tool_calls',
  usage,
  requestId: 'r_1',
  provider: 'demo',
  model: 'm',
  messageId: 'm_2',
  durationMs: 1,
  turn: 1,
  toolCalls: [
    { id: 'tc_1', name: 'run_command', args: {}, iteration: 1, timestamp: 0 },
    { id: 'tc_2', name: 'read_file', args: {}, iteration: 1, timestamp: 0 },
  ],
}
const intent: SessionEventDraft = { event: 'tool_call', iteration: 1, tool: 'run_command', args: {}, toolCallId: 'tc_1', turn: 1 }

describe('after a crash', () => {
  test('a closed session needs nothing', () => {
    const closed: SessionEventDraft = { event: 'turn_end', reason: 'completed', iterations: 1, durationMs: 1, turn: 1 }
    expect(recoveryDrafts(numbered([start, asked, closed]), [])).toEqual([])
  })

  test('an intent without outcome is unknown, a call never made is not run, and neither is run again', () => {
    const drafts = recoveryDrafts(numbered([start, asked, iteration, request, response, intent]), [])
    expect(drafts.map((draft) => [draft.event, 'outcome' in draft ? draft.outcome : 'reason' in draft ? draft.reason : ''])).toEqual([
      ['tool_result', 'unknown'],
      ['tool_result', 'aborted'],
      ['iteration_end', ''],
      ['turn_end', 'interrupted'],
    ])
  })

  test('text that was streaming is kept and marked', () => {
    const partial = { sessionId: 's_1', messageId: 'm_9', turn: 1, iteration: 1, text: 'half an ans', thinking: 'hm', updatedAt: '' }
    const events = numbered([start, asked, iteration, request])
    const recovered = numbered(recoveryDrafts(events, [partial]), events.length)
    const snapshot = reduceSession(emptySnapshot('s_1'), [...events, ...recovered])
    expect(snapshot.items.filter((item) => item.kind === 'assistant')).toMatchObject([
      { id: 'm_9', text: 'half an ans', status: 'interrupted', thinking: { content: 'hm' } },
    ])
    expect(snapshot.state).toBe('stopped')
  })

  test('every call has exactly one result in the next request', () => {
    const events = numbered([start, asked, iteration, request, response, intent])
    const history = emptyHistory()
    for (const event of [...events, ...numbered(recoveryDrafts(events, []), events.length)]) extendHistory(history, event)
    expect(history.messages.flatMap((message) => (message.toolResult === undefined ? [] : [message.toolResult.toolCallId]))).toEqual([
      'tc_1',
      'tc_2',
    ])
  })

  test('recovering twice changes nothing more', () => {
    const events = numbered([start, asked, iteration, request, response, intent])
    const once = [...events, ...numbered(recoveryDrafts(events, []), events.length)]
    expect(recoveryDrafts(once, [])).toEqual([])
  })
})
