import { describe, expect, test } from 'vitest'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { MISSING_RESULT, repairPairs } from '#workers/context/domain/repair-pairs.ts'

const user = (content: string): MetonaMessage => ({ role: 'user', content, timestamp: 1 })
const asks = (...ids: string[]): MetonaMessage => ({
  role: 'assistant',
  content: '',
  timestamp: 2,
  toolCalls: ids.map((id) => ({ id, name: 'read_file', args: {}, iteration: 1, timestamp: 2 })),
})
const gives = (id: string, result = `result of ${id}`): MetonaMessage => ({
  role: 'tool',
  content: '',
  timestamp: 3,
  toolResult: { toolCallId: id, toolName: 'read_file', result, success: true, durationMs: 1, timestamp: 3 },
})
const shape = (messages: readonly MetonaMessage[]): string[] =>
  messages.map((message) =>
    message.toolResult !== undefined
      ? `<${message.toolResult.toolCallId}:${String(message.toolResult.result)}`
      : message.toolCalls !== undefined
        ? `>${message.toolCalls.map((call) => call.id).join(',')}`
        : `${message.role}:${message.content}`,
  )

describe('repairPairs', () => {
  test('leaves a sound history as it is, message by message', () => {
    const history = [user('a'), asks('t1', 't2'), gives('t2'), gives('t1'), user('b')]
    expect(repairPairs(history).messages.every((message, index) => message === history[index])).toBe(true)
  })

  test('answers a call that has no result', () => {
    expect(shape(repairPairs([user('a'), asks('t1', 't2'), gives('t2'), user('b')]).messages)).toEqual([
      'user:a',
      '>t1,t2',
      '<t2:result of t2',
      `<t1:${MISSING_RESULT}`,
      'user:b',
    ])
  })

  test('drops a result that has no call, and a second result of one call', () => {
    const { messages, report } = repairPairs([gives('t0'), asks('t1'), gives('t1'), gives('t1', 'again')])
    expect({ shape: shape(messages), report }).toEqual({
      shape: ['>t1', '<t1:result of t1'],
      report: { missingResults: 0, orphanResults: 1, duplicates: 1, moved: 0, emptyAnswers: 0 },
    })
  })

  test('moves what stands between a call and its result behind the result', () => {
    expect(shape(repairPairs([asks('t1'), user('between'), gives('t1')]).messages)).toEqual(['>t1', '<t1:result of t1', 'user:between'])
  })

  test('gives the second use of a call id a name of its own, with its result', () => {
    expect(shape(repairPairs([asks('t1'), gives('t1', 'first'), asks('t1'), gives('t1', 'second')]).messages)).toEqual([
      '>t1',
      '<t1:first',
      '>t1_2',
      '<t1_2:second',
    ])
  })

  test('keeps one of two calls with the same id in one answer', () => {
    expect(shape(repairPairs([asks('t1', 't1'), gives('t1')]).messages)).toEqual(['>t1', '<t1:result of t1'])
  })

  test('drops an answer that says nothing and asks nothing', () => {
    expect(shape(repairPairs([user('a'), { role: 'assistant', content: ' \n', timestamp: 1 }]).messages)).toEqual(['user:a'])
  })

  test('changes nothing when it runs over its own output', () => {
    const once = repairPairs([gives('t0'), asks('t1', 't1'), user('x'), asks('t1'), gives('t1'), asks('t9')]).messages
    expect(repairPairs(once).messages).toEqual(once)
  })
})
