/** Events of a plausible session, made from a number: the same number gives the same events. */
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'

export interface ScriptOptions {
  readonly sessionId: string
  readonly workspace?: string
  readonly turns?: number
  readonly toolsPerTurn?: number
  /** Characters of each answer. */
  readonly answerLength?: number
  readonly seed?: number
  /** Milliseconds since the epoch of the first event. */
  readonly startAt?: number
}

const WORDS = ['分析', 'data', '读取', 'rows', '城市', 'order', '价格', 'table', 'naïve', 'the', '结论', 'file', 'mean', '😀', 'column']

/** Small, fast, and good enough to vary tests. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function randomText(random: () => number, length: number): string {
  let text = ''
  while (text.length < length) text += `${WORDS[Math.floor(random() * WORDS.length)]} `
  return text.slice(0, length).toWellFormed()
}

/** A whole session: start, turns with tool calls, no end. */
export function sessionScript(options: ScriptOptions): SessionEvent[] {
  const random = randomFrom(options.seed ?? 1)
  const { sessionId, workspace = '/somewhere', turns = 2, toolsPerTurn = 1, answerLength = 60 } = options
  const drafts: SessionEventDraft[] = [{ event: 'session_start', workspace, model: 'demo/scripted', agentVersion: '0.0.0' }]
  for (let turn = 1; turn <= turns; turn++) drafts.push(...turnDrafts(random, sessionId, turn, toolsPerTurn, answerLength))
  const startAt = options.startAt ?? Date.UTC(2026, 5, 25, 12, 0, 0)
  return drafts.map((draft, seq) => numbered(draft, seq, sessionId, new Date(startAt + seq * 137).toISOString()))
}

export function numbered(draft: SessionEventDraft, seq: number, sessionId: string, ts: string): SessionEvent {
  const { event, ...fields } = draft
  return { seq, ts, event, sessionId, ...fields, eventId: `e_${sessionId}_${seq}` } as SessionEvent
}

function turnDrafts(random: () => number, sessionId: string, turn: number, tools: number, answerLength: number): SessionEventDraft[] {
  const drafts: SessionEventDraft[] = [
    { event: 'user_message', messageId: `m_${sessionId}_${turn}`, content: randomText(random, 40), turn },
  ]
  for (let iteration = 1; iteration <= tools + 1; iteration++) {
    const isLast = iteration > tools
    const requestId = `r_${sessionId}_${turn}_${iteration}`
    const toolCallId = `tc_${sessionId}_${turn}_${iteration}`
    const usage = { inputTokens: 100 * iteration, outputTokens: 20, totalTokens: 100 * iteration + 20, cacheHitTokens: 10 }
    const model = { provider: 'demo', model: 'scripted' }
    drafts.push(
      { event: 'context_built', tokens: 100 * iteration, ratio: 0.01, iteration, turn },
      { event: 'iteration_start', iteration, turn },
      { event: 'llm_request', iteration, ...model, messages: [], requestId, messageCount: iteration, messagesHash: 'f'.repeat(64), turn },
      {
        event: 'llm_response',
        iteration,
        content: randomText(random, answerLength),
        finishReason: isLast ? 'stop' : 'tool_calls',
        usage,
        requestId,
        ...model,
        messageId: `a_${sessionId}_${turn}_${iteration}`,
        durationMs: 812.4,
        firstTokenMs: 90,
        cost: { currency: 'USD', cacheHit: 0.001, cacheMiss: 0.002, cacheWrite: 0, output: 0.003, total: 0.006 },
        turn,
        ...(isLast ? {} : { toolCalls: [{ id: toolCallId, name: 'read_file', args: { file_path: 'data.csv' }, iteration, timestamp: 0 }] }),
      },
    )
    if (!isLast) {
      drafts.push(
        { event: 'permission', iteration, tool: 'read_file', toolCallId, decision: 'allow', by: 'mode', reason: 'reads are allowed', turn },
        { event: 'tool_call', iteration, tool: 'read_file', args: { file_path: 'data.csv' }, toolCallId, turn },
        {
          event: 'tool_result',
          iteration,
          tool: 'read_file',
          success: true,
          durationMs: 4.6,
          result: { text: randomText(random, 80) },
          toolCallId,
          outcome: 'ok',
          summary: randomText(random, 30),
          turn,
        },
      )
    }
    drafts.push({ event: 'iteration_end', iteration, durationMs: 900, turn })
  }
  drafts.push({ event: 'turn_end', reason: 'completed', iterations: tools + 1, durationMs: 2000, turn })
  return drafts
}
