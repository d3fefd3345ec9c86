import { expect, test } from 'vitest'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { exportSession } from '#contracts/export/export-session.ts'
import { transcriptText } from '#main/cli/transcript-text.ts'

const HOSTILE = '<script>alert(1)</script> & "quotes" ```\n# not a heading'
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const head = (seq: number) => ({ seq, ts: '2026-01-01T00:00:00.000Z', sessionId: 's_one', eventId: `e_${seq}` })
const EVENTS: SessionEvent[] = [
  { ...head(0), event: 'session_start', workspace: '/w', model: 'demo/scripted', agentVersion: '0' },
  { ...head(1), event: 'user_message', messageId: 'm_1', content: HOSTILE, turn: 1 },
  {
    ...head(2),
    event: 'llm_response',
    iteration: 1,
    content: '',
    finishReason: 'tool_calls',
    usage,
    requestId: 'r',
    provider: 'demo',
    model: 'scripted',
    messageId: 'm_2',
    durationMs: 1,
    toolCalls: [{ id: 'tc_1', name: 'read_file', args: { file_path: 'x' }, iteration: 1, timestamp: 0 }],
    turn: 1,
  },
  { ...head(3), event: 'tool_call', iteration: 1, tool: 'read_file', args: { file_path: 'x' }, toolCallId: 'tc_1', turn: 1 },
  {
    ...head(4),
    event: 'tool_result',
    iteration: 1,
    tool: 'read_file',
    success: true,
    durationMs: 1,
    result: HOSTILE,
    toolCallId: 'tc_1',
    outcome: 'ok',
    turn: 1,
  },
  {
    ...head(5),
    event: 'llm_response',
    iteration: 2,
    content: 'The answer.',
    finishReason: 'stop',
    usage,
    requestId: 'r',
    provider: 'demo',
    model: 'scripted',
    messageId: 'm_3',
    durationMs: 1,
    turn: 1,
  },
  { ...head(6), event: 'turn_end', reason: 'completed', iterations: 2, durationMs: 2000, turn: 1 },
]

test('JSON holds every event as it stands', () => {
  expect(JSON.parse(exportSession('json', EVENTS, 'en'))).toEqual({ sessionId: 's_one', events: EVENTS })
})

test('HTML shows everything and runs nothing', () => {
  const html = exportSession('html', EVENTS, 'en')
  expect(html).not.toMatch(/<script|<img|<iframe|<link|<a /i)
  expect(html).toContain("default-src 'none'")
  expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62; &#38; &#34;quotes&#34;')
  expect(html).toContain('The answer.')
})

test('Markdown puts tool output into a fence that its text cannot end', () => {
  const markdown = exportSession('md', EVENTS, 'en')
  expect(markdown).toContain(`\`\`\`\`\n${HOSTILE}\n\`\`\`\``)
  expect(markdown).toContain('## Assistant (scripted)\n\nThe answer.')
})

test('the terminal text names who said what', () => {
  expect(transcriptText(EVENTS, 'en')).toBe(
    `You:\n${HOSTILE}\n\nTool: read_file {"file_path":"x"}\n→ done ${HOSTILE}\n\nAssistant (scripted):\nThe answer.\n\nended: completed · 2.0 s\n`,
  )
})
