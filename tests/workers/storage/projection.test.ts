import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import { must, openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { numbered } from './session-script.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

const TS = '2026-06-25T12:00:00.000Z'
const rows = (sql: string): unknown[] => storage.workspaces.get(storage.folder).database.prepare(sql).all()
const append = async (...drafts: SessionEventDraft[]): Promise<SessionEvent[]> => {
  const events = [{ event: 'session_start', workspace: '/w', agentVersion: '1' } as const, ...drafts].map((draft, seq) =>
    numbered(draft, seq, 's_p', TS),
  )
  await storage.append(events)
  return events
}

const usage = { inputTokens: 1240, outputTokens: 85, totalTokens: 1325 }
const response = (fields: Partial<Extract<SessionEventDraft, { event: 'llm_response' }>> = {}): SessionEventDraft => ({
  event: 'llm_response',
  iteration: 1,
  content: 'Thought: 需要读取文件...',
  finishReason: 'tool_calls',
  usage,
  requestId: 'r_1',
  provider: 'deepseek',
  model: 'deepseek-v4-pro',
  messageId: 'a_1',
  durationMs: 1700.4,
  turn: 1,
  ...fields,
})

it('makes an audit row of each tool call, permission check, error, model request and response', async () => {
  await append(
    {
      event: 'llm_request',
      iteration: 1,
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      messages: [],
      requestId: 'r_1',
      messageCount: 3,
      messagesHash: 'ab',
      turn: 1,
    },
    response(),
    {
      event: 'permission',
      iteration: 1,
      tool: 'read_file',
      toolCallId: 'tc_1',
      decision: 'allow',
      by: 'user',
      reason: 'asked',
      scope: 'once',
      turn: 1,
    },
    { event: 'tool_call', iteration: 1, tool: 'read_file', args: { file_path: 'data.csv' }, toolCallId: 'tc_1', turn: 1 },
    {
      event: 'tool_result',
      iteration: 1,
      tool: 'read_file',
      success: true,
      durationMs: 5,
      result: '...',
      toolCallId: 'tc_1',
      outcome: 'ok',
      turn: 1,
    },
    {
      event: 'permission',
      iteration: 1,
      tool: 'run_command',
      toolCallId: 'tc_2',
      decision: 'deny',
      by: 'non_interactive',
      reason: 'nobody to ask',
      turn: 1,
    },
    {
      event: 'tool_result',
      iteration: 1,
      tool: 'run_command',
      success: false,
      durationMs: 0,
      result: null,
      toolCallId: 'tc_2',
      outcome: 'denied',
      error: 'denied',
      turn: 1,
    },
    { event: 'error', code: 'LOG_REPAIRED', message: 'torn', turn: 1 },
  )
  expect(
    rows('SELECT session_id, iteration, event_type, actor, target, outcome, duration_ms, created_at, log_seq FROM audit_logs ORDER BY id'),
  ).toEqual([
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'llm_request',
      actor: 'agent',
      target: 'deepseek/deepseek-v4-pro',
      outcome: null,
      duration_ms: null,
      created_at: TS,
      log_seq: 1,
    },
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'llm_response',
      actor: 'agent',
      target: 'deepseek/deepseek-v4-pro',
      outcome: 'success',
      duration_ms: 1700,
      created_at: TS,
      log_seq: 2,
    },
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'permission_check',
      actor: 'user',
      target: 'read_file',
      outcome: 'success',
      duration_ms: null,
      created_at: TS,
      log_seq: 3,
    },
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'tool_intent',
      actor: 'agent',
      target: 'read_file',
      outcome: null,
      duration_ms: null,
      created_at: TS,
      log_seq: 4,
    },
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'tool_call',
      actor: 'agent',
      target: 'read_file',
      outcome: 'success',
      duration_ms: 5,
      created_at: TS,
      log_seq: 5,
    },
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'permission_check',
      actor: 'system',
      target: 'run_command',
      outcome: 'denied',
      duration_ms: null,
      created_at: TS,
      log_seq: 6,
    },
    {
      session_id: 's_p',
      iteration: 1,
      event_type: 'tool_call',
      actor: 'agent',
      target: 'run_command',
      outcome: 'denied',
      duration_ms: 0,
      created_at: TS,
      log_seq: 7,
    },
    {
      session_id: 's_p',
      iteration: null,
      event_type: 'error',
      actor: 'system',
      target: 'LOG_REPAIRED',
      outcome: 'error',
      duration_ms: null,
      created_at: TS,
      log_seq: 8,
    },
  ])
  expect(JSON.parse(must((rows('SELECT details FROM audit_logs WHERE log_seq = 5') as { details: string }[])[0]).details)).toEqual({
    toolCallId: 'tc_1',
    outcome: 'ok',
    args: { file_path: 'data.csv' },
    intentSeq: 4,
  })
})

it('chains audit rows by SHA-256 over the row, the one before it and its event', async () => {
  const events = await append({ event: 'error', code: 'A', message: 'one' }, { event: 'error', code: 'B', message: 'two' })
  const sha = (text: string): string => createHash('sha256').update(text).digest('hex')
  const expected = (previous: string, code: string, message: string, seq: number): string =>
    sha(
      JSON.stringify([
        previous,
        's_p',
        seq,
        null,
        'error',
        'system',
        code,
        JSON.stringify({ message }),
        'error',
        null,
        TS,
        sha(JSON.stringify(events[seq])),
      ]),
    )
  const first = expected('0'.repeat(64), 'A', 'one', 1)
  expect(rows('SELECT prev_hash, hash FROM audit_logs ORDER BY id')).toEqual([
    { prev_hash: '0'.repeat(64), hash: first },
    { prev_hash: first, hash: expected(first, 'B', 'two', 2) },
  ])
})

it('keeps long arguments in the event and their hash in the audit row', async () => {
  const args = { content: 'x'.repeat(10_000) }
  await append({ event: 'tool_call', iteration: 1, tool: 'write_file', args, toolCallId: 'tc_1', turn: 1 })
  const { details } = must((rows('SELECT details FROM audit_logs') as { details: string }[])[0])
  expect(details.length).toBeLessThan(5000)
  expect(details).toContain(createHash('sha256').update(JSON.stringify(args)).digest('hex'))
})

it('makes a usage row of each answer, with money only where the price is known', async () => {
  await append(
    response({
      firstTokenMs: 210.5,
      cost: { currency: 'CNY', cacheHit: 0.1, cacheMiss: 0.2, cacheWrite: 0, output: 0.3, total: 0.6 },
      usage: { ...usage, cacheHitTokens: 1000, cacheMissTokens: 240 },
    }),
    response({ requestId: 'r_2', messageId: 'a_2' }),
  )
  expect(
    rows(
      'SELECT seq, provider, model, input_tokens, output_tokens, total_tokens, cache_hit_tokens, cache_miss_tokens, currency, cost, first_token_ms FROM usage ORDER BY seq',
    ),
  ).toEqual([
    {
      seq: 1,
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      input_tokens: 1240,
      output_tokens: 85,
      total_tokens: 1325,
      cache_hit_tokens: 1000,
      cache_miss_tokens: 240,
      currency: 'CNY',
      cost: 0.6,
      first_token_ms: 210.5,
    },
    {
      seq: 2,
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      input_tokens: 1240,
      output_tokens: 85,
      total_tokens: 1325,
      cache_hit_tokens: null,
      cache_miss_tokens: null,
      currency: null,
      cost: null,
      first_token_ms: null,
    },
  ])
})

it('makes message rows of what the person, the model and the tools said', async () => {
  await append({ event: 'user_message', messageId: 'm_1', content: '读取 data.csv', turn: 1 }, response(), {
    event: 'tool_result',
    iteration: 1,
    tool: 'read_file',
    success: true,
    durationMs: 5,
    result: { rows: 3 },
    toolCallId: 'tc_1',
    outcome: 'ok',
    summary: '3 rows',
    turn: 1,
  })
  expect(rows('SELECT seq, turn, iteration, role, message_id, content, ts FROM messages ORDER BY seq')).toEqual([
    { seq: 1, turn: 1, iteration: null, role: 'user', message_id: 'm_1', content: '读取 data.csv', ts: TS },
    { seq: 2, turn: 1, iteration: 1, role: 'assistant', message_id: 'a_1', content: 'Thought: 需要读取文件...', ts: TS },
    { seq: 3, turn: 1, iteration: 1, role: 'tool', message_id: 'tc_1', content: '3 rows', ts: TS },
  ])
})

it('keeps a queued message as a row until it is in the transcript or taken back', async () => {
  const queued = (messageId: string): SessionEventDraft => ({
    event: 'message_queued',
    messageId,
    content: messageId,
    steering: messageId === 'm_2',
  })
  await append(
    queued('m_1'),
    queued('m_2'),
    queued('m_3'),
    { event: 'user_message', messageId: 'm_1', content: 'm_1', turn: 1 },
    { event: 'message_unqueued', messageId: 'm_3' },
  )
  expect(rows('SELECT message_id, seq, content, steering, ts FROM queued_messages')).toEqual([
    { message_id: 'm_2', seq: 2, content: 'm_2', steering: 1, ts: TS },
  ])
})

it('lists a session with its title, model, state and last number', async () => {
  await append(
    { event: 'session_updated', model: 'deepseek/deepseek-v4-pro', pinned: true },
    { event: 'user_message', messageId: 'm_1', content: '第一行\n第二行', turn: 1 },
  )
  const { sessions } = await storage.service.listSessions({ workspace: storage.folder })
  expect(sessions).toEqual([
    {
      sessionId: 's_p',
      workspace: storage.folder,
      title: '第一行',
      model: 'deepseek/deepseek-v4-pro',
      pinned: true,
      archived: false,
      state: 'thinking',
      since: TS,
      turn: 1,
      lastSeq: 2,
      createdAt: TS,
      updatedAt: TS,
    },
  ])
})

it('names the sessions whose last turn has no end, before and after the workspace is opened again', async () => {
  await append({ event: 'user_message', messageId: 'm_1', content: 'x', turn: 1 })
  expect((await storage.service.unfinishedSessions({ workspace: storage.folder })).sessionIds).toEqual(['s_p'])
  await storage.close()
  storage = storage.again()
  await storage.open()
  expect((await storage.service.unfinishedSessions({ workspace: storage.folder })).sessionIds).toEqual(['s_p'])
  await storage.append([numbered({ event: 'turn_end', reason: 'interrupted', iterations: 0, durationMs: 0, turn: 1 }, 2, 's_p', TS)])
  expect((await storage.service.unfinishedSessions({ workspace: storage.folder })).sessionIds).toEqual([])
})
