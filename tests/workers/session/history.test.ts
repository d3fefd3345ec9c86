import { describe, expect, test } from 'vitest'
import { emptySnapshot, reduceSession } from '#contracts/session/reduce-session.ts'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import { emptyHistory, extendHistory } from '#workers/session/domain/history.ts'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const user = (id: string, turn: number): SessionEventDraft => ({ event: 'user_message', messageId: id, content: id, turn })
const answer = (id: string, turn: number, change: object = {}): SessionEventDraft =>
  ({
    event: 'llm_response',
    iteration: 1,
    content: id,
    finishReason: 'stop',
    usage,
    requestId: 'r',
    provider: 'p',
    model: 'm',
    messageId: id,
    durationMs: 1,
    turn,
    ...change,
  }) as SessionEventDraft
const numbered = (drafts: SessionEventDraft[]): SessionEvent[] =>
  drafts.map((draft, seq) => ({ seq, ts: '2026-01-01T00:00:00.000Z', sessionId: 's_1', eventId: `e_${seq}`, ...draft }) as SessionEvent)
const sent = (drafts: SessionEventDraft[]): string[] => {
  const history = emptyHistory()
  for (const event of numbered(drafts)) extendHistory(history, event)
  return history.messages.map((message) => `${message.role} ${message.content}`)
}

test('a retry sends the user message again without the answer it replaces', () => {
  expect(sent([user('one', 1), answer('first', 1), { event: 'rewind', toSeq: 0, reason: 'retry', turn: 2 }, answer('second', 2)])).toEqual([
    'user one',
    'assistant second',
  ])
})

test('an edit leaves out the message itself too', () => {
  expect(
    sent([
      user('one', 1),
      answer('first', 1),
      user('two', 2),
      answer('second', 2),
      { event: 'rewind', toSeq: 1, reason: 'edit', turn: 3 },
      user('better', 3),
    ]),
  ).toEqual(['user one', 'assistant first', 'user better'])
})

describe('memories that stand in what is sent', () => {
  const built = (messageId: string, memory: string, turn: number): SessionEventDraft => ({
    event: 'context_built',
    tokens: 1,
    ratio: 0,
    turnContexts: [{ messageId, turnContext: `<context>${memory}</context>` }],
    memories: [{ id: memory, score: 1, words: [] }],
    turn,
  })
  const searched = (memory: string, turn: number): SessionEventDraft => ({
    event: 'tool_result',
    iteration: 1,
    tool: 'recall',
    success: true,
    durationMs: 1,
    result: memory,
    toolCallId: `c_${memory}`,
    outcome: 'ok',
    memories: [{ id: memory, score: 1, words: [] }],
    turn,
  })
  const recalled = (drafts: SessionEventDraft[]): string[] => {
    const history = emptyHistory()
    for (const event of numbered(drafts)) extendHistory(history, event)
    return [...history.recalled.keys()]
  }
  const talk = [
    user('one', 1),
    built('one', 'mem_a', 1),
    answer('first', 1),
    user('two', 2),
    built('two', 'mem_b', 2),
    searched('mem_c', 2),
  ]

  test('are those of every message and every search', () => {
    expect(recalled(talk)).toEqual(['mem_a', 'mem_b', 'mem_c'])
  })
  test('go with the message that is edited, and can come again', () => {
    expect(recalled([...talk, { event: 'rewind', toSeq: 2, reason: 'edit', turn: 3 }])).toEqual(['mem_a'])
  })
  test('stay with the message that is asked again, without what was searched since', () => {
    expect(recalled([...talk, { event: 'rewind', toSeq: 3, reason: 'retry', turn: 3 }])).toEqual(['mem_a', 'mem_b'])
  })
})

test('an answer that failed before any text leaves no message', () => {
  const error = { code: 'rate_limited' as const, message: 'x', retryable: true }
  expect(sent([user('one', 1), answer('lost', 1, { content: '', finishReason: 'error', error })])).toEqual(['user one'])
})

test('text that was cut off stays in the history', () => {
  expect(sent([user('one', 1), answer('half', 1, { finishReason: 'aborted' })])).toEqual(['user one', 'assistant half'])
})

test('the transcript keeps what a rewind left behind, marked', () => {
  const snapshot = reduceSession(
    emptySnapshot('s_1'),
    numbered([user('one', 1), answer('first', 1), { event: 'rewind', toSeq: 0, reason: 'retry', turn: 2 }, answer('second', 2)]),
  )
  expect(snapshot.items.map((item) => [item.id, item.superseded === true])).toEqual([
    ['one', false],
    ['first', true],
    ['second', false],
  ])
})
