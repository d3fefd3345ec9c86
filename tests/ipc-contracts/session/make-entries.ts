/** Builds session entries for the tests of the fold: short to write, complete by the schemas. */
import * as fc from 'fast-check'
import { isDelta, type SessionEntry } from '#contracts/session/client-protocol.ts'
import { SessionEventSchema, type SessionEvent, type SessionEventDraft } from '#contracts/session/session-event.ts'
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'

const START = Date.UTC(2026, 5, 25, 12)

/** Numbers events from 0 and gives the n-th the time 12:00 + n seconds. */
export function numbered(drafts: readonly (SessionEventDraft | StreamDelta)[], firstSeq = 0): SessionEntry[] {
  let seq = firstSeq
  return drafts.map((draft) => {
    if ('delta' in draft) return draft
    const event = { seq, ts: at(seq), sessionId: 's_test000001', eventId: `e_${seq}`, ...draft }
    seq++
    return SessionEventSchema.parse(event)
  })
}

/** The time of the event with that number. */
export const at = (seq: number): string => new Date(START + seq * 1000).toISOString()

export const isEvent = (entry: SessionEntry): entry is SessionEvent => !isDelta(entry)

export const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 }

export const start: SessionEventDraft = {
  event: 'session_start',
  workspace: '/home/user/my-project',
  model: 'deepseek/deepseek-v4-pro',
  agentVersion: '0.1.0',
}

export const userMessage = (turn: number, content = '读取 data.csv'): SessionEventDraft => ({
  event: 'user_message',
  messageId: `u_${turn}`,
  content,
  turn,
})

export const stream = (turn: number, iteration: number, event: MetonaStreamEvent): StreamDelta => ({
  delta: 'stream',
  messageId: `a_${turn}_${iteration}`,
  iteration,
  event,
})

export interface CallShape {
  readonly id: string
  readonly name: string
}

export const response = (turn: number, iteration: number, text: string, calls: readonly CallShape[] = []): SessionEventDraft => ({
  event: 'llm_response',
  iteration,
  content: text,
  finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
  usage,
  requestId: `r_${turn}_${iteration}`,
  provider: 'deepseek',
  model: 'deepseek-v4-pro',
  messageId: `a_${turn}_${iteration}`,
  durationMs: 900,
  turn,
  ...(calls.length > 0 ? { toolCalls: calls.map((call) => ({ ...call, args: { file_path: 'data.csv' }, iteration, timestamp: 1 })) } : {}),
})

export const request = (turn: number, iteration: number): SessionEventDraft => ({
  event: 'llm_request',
  iteration,
  provider: 'deepseek',
  model: 'deepseek-v4-pro',
  messages: [],
  requestId: `r_${turn}_${iteration}`,
  messageCount: iteration,
  messagesHash: 'hash',
  turn,
})

export const question = (turn: number, iteration: number, call: CallShape): SessionEventDraft => ({
  event: 'permission_request',
  iteration,
  tool: call.name,
  toolCallId: call.id,
  argumentsHash: `hash_${call.id}`,
  display: `${call.name} data.csv`,
  risk: 'execute',
  reason: 'mode ask',
  turn,
})

export const decision = (turn: number, iteration: number, call: CallShape, allow: boolean): SessionEventDraft => ({
  event: 'permission',
  iteration,
  tool: call.name,
  toolCallId: call.id,
  decision: allow ? 'allow' : 'deny',
  by: 'user',
  reason: 'asked',
  turn,
})

export const intent = (turn: number, iteration: number, call: CallShape): SessionEventDraft => ({
  event: 'tool_call',
  iteration,
  tool: call.name,
  args: { file_path: 'data.csv' },
  toolCallId: call.id,
  turn,
})

export const outcome = (
  turn: number,
  iteration: number,
  call: CallShape,
  kind: 'ok' | 'error' | 'denied' | 'aborted' | 'unknown' = 'ok',
): SessionEventDraft => ({
  event: 'tool_result',
  iteration,
  tool: call.name,
  success: kind === 'ok',
  durationMs: 5,
  result: kind === 'ok' ? '17 行' : '',
  toolCallId: call.id,
  outcome: kind,
  turn,
})

export const turnEnd = (turn: number, reason: 'completed' | 'aborted' | 'failed' | 'limit_reached' | 'interrupted' = 'completed') =>
  ({ event: 'turn_end', reason, iterations: 1, durationMs: 4000, turn }) satisfies SessionEventDraft

/* ---- random sessions: what a session worker may really send, in a legal order ---- */

const text = fc.string({ unit: 'grapheme', maxLength: 12 })

/** What streams in one iteration before its answer is durable; cut anywhere. */
const streamed = (turn: number, iteration: number, calls: readonly CallShape[]): fc.Arbitrary<StreamDelta[]> =>
  fc
    .record({
      thinking: fc.option(fc.array(text, { maxLength: 4 })),
      texts: fc.array(text, { maxLength: 6 }),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
    })
    .map(({ thinking, texts, keep }) => {
      const events: MetonaStreamEvent[] = []
      if (thinking !== null) {
        events.push({ type: 'thinking_start' }, ...thinking.map((delta) => ({ type: 'reasoning_delta' as const, delta })))
        events.push({ type: 'thinking_end', thinking: { content: thinking.join(''), status: 'complete', durationMs: 1, tokensUsed: 1 } })
      }
      events.push(...texts.map((delta) => ({ type: 'text_delta' as const, delta })))
      for (const call of [...calls, { id: `${turn}_${iteration}_never`, name: 'never_asked' }]) {
        events.push(
          { type: 'tool_call_start', toolCallId: call.id, name: call.name },
          { type: 'tool_call_delta', toolCallId: call.id, delta: '{"fi' },
        )
        if (call.name !== 'never_asked') {
          const args = { file_path: 'data.csv' }
          events.push({ type: 'tool_call_complete', toolCall: { ...call, args, iteration, timestamp: 1 } })
        }
      }
      events.push({ type: 'usage', usage }, { type: 'done', finishReason: 'stop' })
      const kept = events.slice(0, Math.ceil(events.length * keep))
      return kept.map((event) => stream(turn, iteration, event))
    })

const toolStep = (turn: number, iteration: number, call: CallShape): fc.Arbitrary<(SessionEventDraft | StreamDelta)[]> =>
  fc
    .record({
      asked: fc.boolean(),
      allow: fc.boolean(),
      live: fc.array(text, { maxLength: 3 }),
      kind: fc.constantFrom('ok', 'error', 'aborted'),
    })
    .map(({ asked, allow, live, kind }) => {
      const entries: (SessionEventDraft | StreamDelta)[] = asked ? [question(turn, iteration, call)] : []
      entries.push(decision(turn, iteration, call, allow))
      if (!allow) return [...entries, outcome(turn, iteration, call, 'denied')]
      entries.push(intent(turn, iteration, call))
      entries.push(...live.map((output): StreamDelta => ({ delta: 'tool_output', toolCallId: call.id, text: output })))
      entries.push({ delta: 'tool_progress', toolCallId: call.id, done: 1, total: 2, unit: 'rows' })
      return [...entries, outcome(turn, iteration, call, kind)]
    })

const iterationOf = (turn: number, iteration: number): fc.Arbitrary<(SessionEventDraft | StreamDelta)[]> =>
  fc.integer({ min: 0, max: 3 }).chain((count) => {
    const calls = Array.from({ length: count }, (_none, index) => ({
      id: `tc_${turn}_${iteration}_${index}`,
      name: index % 2 === 0 ? 'read_file' : 'run_command',
    }))
    return fc
      .record({
        text,
        quota: fc.boolean(),
        deltas: streamed(turn, iteration, calls),
        steps: fc.tuple(...calls.map((call) => toolStep(turn, iteration, call))),
      })
      .map((parts) => [
        { event: 'context_built' as const, tokens: 1240, ratio: 0.01, turn },
        { event: 'iteration_start' as const, iteration, turn },
        request(turn, iteration),
        ...(parts.quota ? [{ delta: 'quota' as const, provider: 'deepseek', position: 1, ended: false }] : []),
        ...parts.deltas,
        response(turn, iteration, parts.text, calls),
        ...parts.steps.flat(),
        { event: 'iteration_end' as const, iteration, durationMs: 3000, turn },
      ])
  })

const turnOf = (turn: number): fc.Arbitrary<(SessionEventDraft | StreamDelta)[]> =>
  fc
    .record({
      count: fc.integer({ min: 1, max: 3 }),
      content: text,
      queued: fc.boolean(),
      reason: fc.constantFrom('completed', 'aborted', 'failed', 'limit_reached'),
    })
    .chain(({ count, content, queued, reason }) =>
      fc
        .tuple(...Array.from({ length: count }, (_none, index) => iterationOf(turn, index + 1)))
        .map((iterations) => [
          userMessage(turn, content),
          { delta: 'phase' as const, phase: 'preparing' as const, turn, since: 1 },
          ...(queued ? [{ event: 'message_queued' as const, messageId: `q_${turn}`, content: '再来', steering: false, turn }] : []),
          ...iterations.flat(),
          ...(queued ? [{ event: 'message_unqueued' as const, messageId: `q_${turn}` }] : []),
          { ...turnEnd(turn, reason) },
        ]),
    )

/** A whole session of one to three turns, all of them ended, events and deltas together. */
export const wholeSession: fc.Arbitrary<SessionEntry[]> = fc
  .integer({ min: 1, max: 3 })
  .chain((turns) => fc.tuple(...Array.from({ length: turns }, (_none, index) => turnOf(index + 1))))
  .map((turns) => numbered([start, ...turns.flat(), { event: 'session_end', totalIterations: 3, totalTokens: 1, totalDurationMs: 1 }]))
