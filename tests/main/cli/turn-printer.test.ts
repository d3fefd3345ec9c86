import { beforeEach, expect, test } from 'vitest'
import { emptySnapshot } from '#contracts/session/reduce-session.ts'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import { messagesEn } from '#main/cli/messages-en.ts'
import { messagesZh } from '#main/cli/messages-zh.ts'
import type { Output } from '#main/cli/output.ts'
import { TurnPrinter } from '#main/cli/turn-printer.ts'

let screen: string
let stdout: string
let stderr: string

beforeEach(() => {
  screen = ''
  stdout = ''
  stderr = ''
})

function output(isTerminal: boolean, take: (text: string) => void): Output {
  const write = (text: string): void => {
    screen += text
    take(text)
  }
  return {
    isTerminal,
    write,
    line: (text) => write(`${text}\n`),
    flushed: () => Promise.resolve(),
    waiting: () => 0,
    closed: false,
    onClosed: () => undefined,
  }
}

function printer(kind: 'pipe' | 'terminal', language: 'en' | 'zh' = 'en'): TurnPrinter {
  const isTerminal = kind === 'terminal'
  return new TurnPrinter({
    language,
    text: language === 'zh' ? messagesZh : messagesEn,
    out: output(isTerminal, (text) => (stdout += text)),
    err: output(isTerminal, (text) => (stderr += text)),
    colour: isTerminal,
  })
}

let seq = 0
function event(draft: SessionEventDraft): SessionEvent {
  return { seq: seq++, ts: '2026-01-01T00:00:00.000Z', sessionId: 's_one', eventId: `e_${seq}`, ...draft } as SessionEvent
}
function response(content: string, tools: string[] = []): SessionEvent {
  const toolCalls = tools.map((name, index) => ({ id: `tc_${index}`, name, args: {}, iteration: 1, timestamp: 0 }))
  return event({
    event: 'llm_response',
    iteration: 1,
    content,
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    requestId: 'r',
    provider: 'demo',
    model: 'm',
    messageId: 'm_a',
    durationMs: 1,
    ...(tools.length === 0 ? {} : { toolCalls }),
  })
}
function stream(type: 'text_delta' | 'reasoning_delta', text: string): StreamDelta {
  return { delta: 'stream', messageId: 'm_a', iteration: 1, event: { type, delta: text } }
}
function toolResult(outcome: 'ok' | 'error' | 'denied', summary: string, durationMs = 5): SessionEvent {
  return event({
    event: 'tool_result',
    iteration: 1,
    tool: 'read_file',
    success: outcome === 'ok',
    durationMs,
    result: null,
    toolCallId: 'tc_0',
    outcome,
    ...(outcome === 'ok' ? { summary } : { error: summary }),
  })
}

test('into a pipe goes the answer alone, once and with a line break at its end', () => {
  const turn = printer('pipe')
  turn.delta(stream('reasoning_delta', 'let me look'))
  turn.delta(stream('text_delta', 'I will read it.'))
  turn.event(response('I will read it.', ['read_file']))
  turn.event(toolResult('ok', '17 rows'))
  turn.delta(stream('text_delta', 'It has '))
  turn.delta(stream('text_delta', '17 rows.'))
  turn.event(response('It has 17 rows.'))
  expect({ stdout, stderr }).toEqual({
    stdout: 'It has 17 rows.\n',
    stderr: '[thinking] let me look\nI will read it.\n✓ read_file — 17 rows (5 ms)\n',
  })
})

test('on a terminal text appears as it streams, thinking dimmed, lines on lines of their own', () => {
  const turn = printer('terminal')
  turn.delta(stream('reasoning_delta', 'hm'))
  turn.delta(stream('text_delta', 'It '))
  turn.delta(stream('text_delta', 'is'))
  turn.event(response('It is'))
  turn.event(toolResult('error', 'no such file', 1500))
  expect(screen).toBe('\u001b[2mhm\u001b[22m\nIt is\n✗ read_file failed — no such file (1.5 s)\n')
})

test('deltas that were left out are made up from the snapshot and the final text, nothing twice', () => {
  const turn = printer('terminal')
  turn.delta(stream('text_delta', 'one '))
  turn.snapshot({
    ...emptySnapshot('s_one'),
    items: [{ kind: 'assistant', id: 'm_a', turn: 1, iteration: 1, at: '', text: 'one two ', status: 'streaming' }],
  })
  turn.delta(stream('text_delta', 'three'))
  turn.event(response('one two three four'))
  expect(stdout).toBe('one two three four\n')
})

test('text from models and tools cannot command the terminal', () => {
  const turn = printer('terminal')
  turn.delta(stream('text_delta', '\u001b]52;c;aGk=\u0007\u001b[2Jhi\u202e'))
  turn.event(toolResult('ok', '\u001b]0;title\u0007fine'))
  expect(stdout.includes('\u001b') || stderr.includes('\u001b')).toBe(false)
  expect(screen).toBe(']52;c;aGk=[2Jhi\n✓ read_file — ]0;titlefine (5 ms)\n')
})

test('a call that was not allowed says why, in the language asked for', () => {
  printer('pipe', 'zh').event(toolResult('denied', '无人可以询问'))
  expect(stderr).toBe('✗ read_file 未获允许 — 无人可以询问\n')
})

test('waiting for a place is said once, not with every position', () => {
  const turn = printer('pipe')
  turn.delta({ delta: 'quota', provider: 'deepseek', position: 2, ended: false })
  turn.delta({ delta: 'quota', provider: 'deepseek', position: 1, ended: false })
  turn.delta({ delta: 'quota', provider: 'deepseek', ended: true })
  expect(stderr).toBe('waiting for a place at deepseek\n')
})
