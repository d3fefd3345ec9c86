import { expect, test } from 'vitest'
import type { SessionEntry } from '#contracts/session/client-protocol.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import { appendEntry } from '#workers/session/merge-deltas.ts'

const text = (delta: string, messageId = 'm_1'): StreamDelta => ({
  delta: 'stream',
  messageId,
  iteration: 1,
  event: { type: 'text_delta', delta },
})
const collect = (...entries: SessionEntry[]): SessionEntry[] => {
  const list: SessionEntry[] = []
  for (const entry of entries) appendEntry(list, entry)
  return list
}

test('neighbouring text of one message is one entry', () => {
  expect(collect(text('a'), text('b'))).toEqual([text('ab')])
})

test('text of two messages stays apart', () => {
  expect(collect(text('a'), text('b', 'm_2'))).toEqual([text('a'), text('b', 'm_2')])
})

test('thinking between two texts keeps the order', () => {
  const thinking: StreamDelta = { delta: 'stream', messageId: 'm_1', iteration: 1, event: { type: 'reasoning_delta', delta: 't' } }
  expect(collect(text('a'), thinking, text('b'))).toEqual([text('a'), thinking, text('b')])
})

test('an entry already handed out is not changed', () => {
  const first = text('a')
  collect(first, text('b'))
  expect(first).toEqual(text('a'))
})

test('dropped bytes of live output add up', () => {
  expect(
    collect(
      { delta: 'tool_output', toolCallId: 'tc', text: 'a', dropped: 3 },
      { delta: 'tool_output', toolCallId: 'tc', text: 'b', dropped: 4 },
    ),
  ).toEqual([{ delta: 'tool_output', toolCallId: 'tc', text: 'ab', dropped: 7 }])
})
