/** The fold: each kind of event, each kind of delta, what comes late or twice, and that batches do not matter. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SessionEntry } from '#contracts/session/client-protocol.ts'
import { emptySnapshot, reduceSession, summarise } from '#contracts/session/reduce-session.ts'
import { SessionEventSchema, type SessionEventDraft } from '#contracts/session/session-event.ts'
import { SessionSnapshotSchema, SessionSummarySchema, type SessionSnapshot } from '#contracts/session/session-snapshot.ts'
import type { TranscriptItem } from '#contracts/session/transcript-item.ts'
import { StreamDeltaSchema, type StreamDelta } from '#contracts/session/stream-delta.ts'
import { proof } from '#tests/helpers/proof.ts'
import {
  at,
  decision,
  intent,
  isEvent,
  numbered,
  outcome,
  question,
  request,
  response,
  start,
  stream,
  turnEnd,
  usage,
  userMessage,
  wholeSession,
} from './make-entries.ts'

const ID = 's_test000001'
const read = { id: 'tc_read', name: 'read_file' }
const shell = { id: 'tc_shell', name: 'run_command' }

const fold = (entries: readonly SessionEntry[], from: SessionSnapshot = emptySnapshot(ID)): SessionSnapshot => reduceSession(from, entries)
const foldDrafts = (...drafts: (SessionEventDraft | StreamDelta)[]): SessionSnapshot => fold(numbered(drafts))
const itemOf = (snapshot: SessionSnapshot, id: string): TranscriptItem => {
  const item = snapshot.items.find((one) => one.id === id)
  if (item === undefined) throw new Error(`no item ${id} in ${snapshot.items.map((one) => one.id).join(', ')}`)
  return item
}

/** Only what differs from `before`, so that a test names everything its event changed. */
function changes(before: SessionSnapshot, after: SessionSnapshot): Partial<SessionSnapshot> {
  const left = before as Record<string, unknown>
  const right = after as Record<string, unknown>
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return Object.fromEntries([...keys].filter((key) => left[key] !== right[key]).map((key) => [key, right[key]]))
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) freeze(inner)
  }
  return value
}

interface EventCase {
  readonly before: readonly (SessionEventDraft | StreamDelta)[]
  readonly event: SessionEventDraft
  /** Besides `lastSeq` and `updatedAt`, which every event sets. */
  readonly changed: Partial<SessionSnapshot> | ((snapshot: SessionSnapshot) => Partial<SessionSnapshot>)
}

const running = [start, userMessage(1), { event: 'iteration_start', iteration: 1, turn: 1 }, request(1, 1)] satisfies SessionEventDraft[]
const asked = [...running, response(1, 1, '', [read, shell])]

const cases: Readonly<Record<SessionEventDraft['event'], EventCase>> = {
  session_start: {
    before: [],
    event: start,
    changed: { workspace: '/home/user/my-project', model: 'deepseek/deepseek-v4-pro', createdAt: at(0), since: at(0) },
  },
  session_resumed: {
    before: [start, { event: 'session_end', totalIterations: 0, totalTokens: 0, totalDurationMs: 0 }],
    event: { event: 'session_resumed', workspace: '/elsewhere', agentVersion: '0.1.0' },
    changed: { ended: false },
  },
  session_updated: {
    before: [start],
    event: {
      event: 'session_updated',
      title: '新标题',
      permission: 'auto_edit',
      sandbox: 'off',
      maxIterations: 5,
      baseUrl: 'http://127.0.0.1:1',
      taskGoal: '目标',
      pinned: true,
      archived: true,
    },
    changed: {
      title: '新标题',
      permission: 'auto_edit',
      sandbox: 'off',
      maxIterations: 5,
      baseUrl: 'http://127.0.0.1:1',
      taskGoal: '目标',
      pinned: true,
      archived: true,
    },
  },
  user_message: {
    before: [start, { event: 'message_queued', messageId: 'u_1', content: '先', steering: false }],
    event: userMessage(1, '第一行\n第二行'),
    changed: {
      title: '第一行',
      turn: 1,
      queue: [],
      items: [{ kind: 'user', id: 'u_1', turn: 1, seq: 2, at: at(2), content: '第一行\n第二行' }],
      phase: 'preparing',
      state: 'thinking',
      since: at(2),
    },
  },
  message_queued: {
    before: running,
    event: { event: 'message_queued', messageId: 'q_1', content: '然后', steering: true, turn: 1 },
    changed: { queue: [{ messageId: 'q_1', content: '然后', steering: true }] },
  },
  message_unqueued: {
    before: [...running, { event: 'message_queued', messageId: 'q_1', content: '然后', steering: true, turn: 1 }],
    event: { event: 'message_unqueued', messageId: 'q_1' },
    changed: { queue: [] },
  },
  context_built: {
    before: running,
    event: { event: 'context_built', tokens: 1240, ratio: 0.01, window: 128_000, needsCompression: false, turn: 1 },
    changed: { context: { tokens: 1240, ratio: 0.01, window: 128_000, needsCompression: false } },
  },
  iteration_start: {
    before: asked,
    event: { event: 'iteration_start', iteration: 2, turn: 1 },
    changed: { iteration: 2, phase: 'preparing', activity: undefined as never, since: at(5) },
  },
  llm_request: {
    before: running.slice(0, 3),
    event: request(1, 1),
    changed: { phase: 'streaming', activity: 'deepseek-v4-pro', since: at(3) },
  },
  llm_response: {
    before: running,
    event: response(1, 1, '共 17 行'),
    changed: ({ items }) => ({
      items: [
        ...items,
        {
          kind: 'assistant',
          id: 'a_1_1',
          turn: 1,
          iteration: 1,
          seq: 4,
          at: at(4),
          text: '共 17 行',
          status: 'done',
          model: 'deepseek-v4-pro',
          usage,
        },
      ],
      totals: { iterations: 0, usage, costs: [], durationMs: 0 },
    }),
  },
  side_request: {
    before: running,
    event: { event: 'side_request', purpose: 'summary', provider: 'deepseek', model: 'm', usage, durationMs: 5, turn: 1 },
    changed: { totals: { iterations: 0, usage, costs: [], durationMs: 0 } },
  },
  permission_request: {
    before: asked,
    event: question(1, 1, shell),
    changed: ({ items }) => ({
      phase: 'awaiting_approval',
      state: 'needs',
      activity: 'run_command',
      since: at(5),
      approvals: [
        {
          toolCallId: 'tc_shell',
          tool: 'run_command',
          argumentsHash: 'hash_tc_shell',
          display: 'run_command data.csv',
          risk: 'execute',
          reason: 'mode ask',
          requestedAt: at(5),
        },
      ],
      items: items.map((item) => (item.id === 'tc_shell' ? { ...item, status: 'awaiting_approval' } : item)) as TranscriptItem[],
    }),
  },
  permission: {
    before: [...asked, question(1, 1, shell)],
    event: decision(1, 1, shell, true),
    changed: ({ items }) => ({
      phase: 'executing_tools',
      state: 'tool',
      since: at(6),
      approvals: [],
      items: items.map((item) =>
        item.id === 'tc_shell'
          ? { ...item, status: 'proposed', decision: { decision: 'allow', by: 'user', reason: 'asked', at: at(6) } }
          : item,
      ) as TranscriptItem[],
    }),
  },
  tool_call: {
    before: asked,
    event: intent(1, 1, read),
    changed: ({ items }) => ({
      phase: 'executing_tools',
      state: 'tool',
      activity: 'read_file',
      since: at(5),
      items: items.map((item) => (item.id === 'tc_read' ? { ...item, status: 'running', startedAt: at(5) } : item)) as TranscriptItem[],
    }),
  },
  tool_result: {
    before: [
      ...asked,
      intent(1, 1, read),
      { delta: 'tool_output', toolCallId: 'tc_read', text: 'live' },
      { delta: 'tool_progress', toolCallId: 'tc_read', done: 1, unit: 'rows' },
    ],
    event: outcome(1, 1, read),
    changed: ({ items }) => ({
      items: items.map((item) => {
        if (item.kind !== 'tool' || item.id !== 'tc_read') return item
        const { liveOutput: _live, progress: _progress, ...kept } = item
        return { ...kept, status: 'done', durationMs: 5, result: '17 行' }
      }),
    }),
  },
  iteration_end: {
    before: running,
    event: { event: 'iteration_end', iteration: 1, durationMs: 3000, turn: 1 },
    changed: { totals: { iterations: 1, usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 }, costs: [], durationMs: 0 } },
  },
  turn_end: {
    before: running,
    event: turnEnd(1),
    changed: ({ items, totals }) => ({
      phase: 'ended',
      state: 'done',
      activity: undefined as never,
      since: at(4),
      totals: { ...totals, durationMs: 4000 },
      items: [
        ...items,
        { kind: 'turn_end', id: 'end_4', turn: 1, seq: 4, at: at(4), reason: 'completed', iterations: 1, durationMs: 4000 },
      ],
    }),
  },
  compaction: {
    before: running,
    event: { event: 'compaction', summary: 's', upToSeq: 1, tokensBefore: 9, tokensAfter: 3, method: 'digest', turn: 1 },
    changed: ({ items }) => ({
      items: [...items, { kind: 'notice', id: 'notice_4', seq: 4, at: at(4), level: 'info', code: 'compaction', message: 'digest' }],
    }),
  },
  rewind: {
    before: [...running, response(1, 1, 'a'), turnEnd(1)],
    event: { event: 'rewind', toSeq: 1, reason: 'retry' },
    changed: ({ items }) => ({ items: items.map((item) => (item.kind === 'user' ? item : { ...item, superseded: true })) }),
  },
  stop_report: {
    before: running,
    event: { event: 'stop_report', processesFound: 2, processesKilled: 2, survivors: [], committed: true, turn: 1 },
    changed: {},
  },
  error: {
    before: running,
    event: { event: 'error', code: 'DISK_FULL', message: 'no space', turn: 1 },
    changed: ({ items }) => ({
      items: [...items, { kind: 'notice', id: 'notice_4', seq: 4, at: at(4), level: 'error', code: 'DISK_FULL', message: 'no space' }],
    }),
  },
  notice: {
    before: running,
    event: { event: 'notice', code: 'LOG_REPAIRED', message: 'torn line', params: { lines: 1 }, turn: 1 },
    changed: ({ items }) => ({
      items: [
        ...items,
        {
          kind: 'notice',
          id: 'notice_4',
          seq: 4,
          at: at(4),
          level: 'info',
          code: 'LOG_REPAIRED',
          message: 'torn line',
          params: { lines: 1 },
        },
      ],
    }),
  },
  session_end: {
    before: [start],
    event: { event: 'session_end', totalIterations: 3, totalTokens: 5430, totalDurationMs: 10_000 },
    changed: { ended: true },
  },
}

describe('every kind of event', () => {
  test('the table below has each kind once', () => {
    expect(Object.keys(cases).sort()).toEqual(SessionEventSchema.options.map((option) => option.shape.event.value).sort())
  })

  test.each(Object.entries(cases))('%s changes exactly this', (_kind, { before, event, changed }) => {
    const base = foldDrafts(...before)
    const seq = before.filter((one) => !('delta' in one)).length
    const after = fold(numbered([event], seq), base)
    const expected = typeof changed === 'function' ? changed(base) : changed
    // Opening and closing a session is no news about it.
    const news = event.event === 'session_resumed' || event.event === 'session_end' ? {} : { updatedAt: at(seq) }
    expect(changes(base, after)).toEqual({ lastSeq: seq, ...news, ...expected })
  })
})

describe('states and phases', () => {
  const walk = (...drafts: (SessionEventDraft | StreamDelta)[]): [string, string | undefined, string | undefined][] => {
    const states: [string, string | undefined, string | undefined][] = []
    let snapshot = emptySnapshot(ID)
    for (const entry of numbered(drafts)) {
      snapshot = reduceSession(snapshot, [entry])
      states.push([snapshot.state, snapshot.phase, snapshot.activity])
    }
    return states
  }

  test('two questions at once: the session needs a person until both are answered', () => {
    expect(
      walk(
        ...asked,
        question(1, 1, read),
        question(1, 1, shell),
        decision(1, 1, shell, true),
        intent(1, 1, shell),
        decision(1, 1, read, false),
        outcome(1, 1, read, 'denied'),
        outcome(1, 1, shell),
      ).slice(5),
    ).toEqual([
      ['needs', 'awaiting_approval', 'read_file'],
      ['needs', 'awaiting_approval', 'run_command'],
      ['needs', 'awaiting_approval', 'read_file'],
      ['needs', 'awaiting_approval', 'read_file'],
      ['tool', 'executing_tools', 'read_file'],
      ['tool', 'executing_tools', 'read_file'],
      ['tool', 'executing_tools', 'read_file'],
    ])
  })

  test('a question that its result closes (nobody answered) does not stay open', () => {
    const snapshot = foldDrafts(...asked, question(1, 1, read), outcome(1, 1, read, 'denied'))
    expect([snapshot.state, snapshot.phase, snapshot.approvals]).toEqual(['tool', 'executing_tools', []])
  })

  test('waiting for quota shows as such and ends with the answer, even when its end was never told', () => {
    const quota = { delta: 'quota', provider: 'deepseek', position: 2, ended: false } as const
    expect(walk(...running, quota, { ...quota, ended: true }).slice(-2)).toEqual([
      ['quota', 'streaming', 'deepseek'],
      ['thinking', 'streaming', undefined],
    ])
    const answered = foldDrafts(...running, quota, response(1, 1, 'x'))
    expect([answered.state, answered.quota, answered.activity]).toEqual(['thinking', undefined, 'deepseek-v4-pro'])
  })

  test.each([
    ['completed', 'done'],
    ['aborted', 'stopped'],
    ['failed', 'failed'],
    ['limit_reached', 'failed'],
    ['interrupted', 'stopped'],
  ] as const)('a turn that ended %s leaves the session %s', (reason, state) => {
    expect(foldDrafts(...running, turnEnd(1, reason)).state).toBe(state)
  })

  test('the end of a turn closes what was open: text, proposed and running calls', () => {
    const snapshot = foldDrafts(
      ...asked,
      intent(1, 1, read),
      { event: 'iteration_start', iteration: 2, turn: 1 },
      stream(1, 2, { type: 'text_delta', delta: '半' }),
      turnEnd(1, 'interrupted'),
    )
    expect(snapshot.items.map((item) => ('status' in item ? `${item.id} ${item.status}` : item.id))).toEqual([
      'u_1',
      'a_1_1 done',
      'tc_read unknown',
      'tc_shell aborted',
      'a_1_2 interrupted',
      'end_7',
    ])
  })

  test.each([
    ['ok', 'done'],
    ['error', 'failed'],
    ['denied', 'denied'],
    ['aborted', 'aborted'],
    ['unknown', 'unknown'],
  ] as const)('an outcome %s is a card %s', (kind, status) => {
    expect(itemOf(foldDrafts(...asked, intent(1, 1, read), outcome(1, 1, read, kind)), 'tc_read')).toMatchObject({ status })
  })

  test.each([
    ['stop', 'done'],
    ['length', 'done'],
    ['error', 'failed'],
    ['aborted', 'interrupted'],
  ] as const)('an answer that finished with %s is %s', (finishReason, status) => {
    const snapshot = foldDrafts(...running, { ...response(1, 1, 'x'), finishReason } as SessionEventDraft)
    expect(itemOf(snapshot, 'a_1_1')).toMatchObject({ status })
  })

  test('a message folded into a running turn leaves the turn as it is', () => {
    const before = foldDrafts(...running)
    const after = fold(numbered([{ event: 'user_message', messageId: 'u_s', content: '顺便', steering: true, turn: 1 }], 4), before)
    expect([after.state, after.phase, after.since]).toEqual([before.state, before.phase, before.since])
    expect(itemOf(after, 'u_s')).toMatchObject({ steering: true })
  })

  test('a title is the first line, cut between characters, and never replaces one that was set', () => {
    expect(foldDrafts(start, userMessage(1, `  ${'好😀'.repeat(40)}\n二`)).title).toBe(`${'好😀'.repeat(29)}好…`)
    expect(foldDrafts({ ...start, title: '旧' } as SessionEventDraft, userMessage(1, '新')).title).toBe('旧')
  })

  test('costs add up per currency, counts over all buckets', () => {
    const cost = { currency: 'CNY', cacheHit: 0.5, cacheMiss: 1, cacheWrite: 0, output: 2, total: 3.5 }
    const rich = { ...usage, cacheHitTokens: 40, cacheMissTokens: 60, cacheWriteTokens: 7, cacheWriteLongTokens: 3, reasoningTokens: 5 }
    const answer = (iteration: number, currency: string, counts: object): SessionEventDraft =>
      ({ ...response(1, iteration, 'x'), usage: { ...usage, ...counts }, cost: { ...cost, currency } }) as SessionEventDraft
    expect(foldDrafts(...running, answer(1, 'CNY', rich), answer(2, 'USD', {}), answer(3, 'CNY', rich)).totals).toEqual({
      iterations: 0,
      durationMs: 0,
      usage: {
        inputTokens: 300,
        outputTokens: 60,
        totalTokens: 360,
        cacheHitTokens: 80,
        cacheMissTokens: 120,
        cacheWriteTokens: 14,
        cacheWriteLongTokens: 6,
        reasoningTokens: 10,
      },
      costs: [
        { currency: 'CNY', cacheHit: 1, cacheMiss: 2, cacheWrite: 0, output: 4, total: 7 },
        { ...cost, currency: 'USD' },
      ],
    })
  })
})

describe('deltas', () => {
  test('the kinds used here are all kinds there are', () => {
    expect(StreamDeltaSchema.options.map((option) => option.shape.delta.value)).toEqual([
      'stream',
      'tool_output',
      'tool_progress',
      'phase',
      'quota',
      'retry',
    ])
  })

  test('text, thinking and a call grow while they stream, the message before its call', () => {
    const snapshot = foldDrafts(
      ...running,
      stream(1, 1, { type: 'thinking_start' }),
      stream(1, 1, { type: 'reasoning_delta', delta: '想' }),
      stream(1, 1, { type: 'text_delta', delta: '先' }),
      stream(1, 1, { type: 'text_delta', delta: '读' }),
      stream(1, 1, { type: 'tool_call_start', toolCallId: 'tc_read', name: 'read_file' }),
      stream(1, 1, { type: 'tool_call_delta', toolCallId: 'tc_read', delta: '{"file' }),
      stream(1, 1, { type: 'usage', usage }),
    )
    expect(snapshot.items.slice(1)).toEqual([
      {
        kind: 'assistant',
        id: 'a_1_1',
        turn: 1,
        iteration: 1,
        at: at(3),
        text: '先读',
        status: 'streaming',
        model: 'deepseek/deepseek-v4-pro',
        thinking: { content: '想', status: 'thinking', durationMs: 0, tokensUsed: 0 },
        usage,
      },
      { kind: 'tool', id: 'tc_read', turn: 1, iteration: 1, name: 'read_file', args: {}, argumentsText: '{"file', status: 'proposed' },
    ])
  })

  test('a second block of thinking goes on after the first', () => {
    const snapshot = foldDrafts(
      ...running,
      stream(1, 1, { type: 'thinking_start' }),
      stream(1, 1, { type: 'reasoning_delta', delta: '一' }),
      stream(1, 1, { type: 'thinking_start' }),
      stream(1, 1, { type: 'reasoning_delta', delta: '二' }),
    )
    expect(itemOf(snapshot, 'a_1_1')).toMatchObject({ thinking: { content: '一二', status: 'thinking' } })
  })

  test('a call without any text still comes after its message, live as after a reload', () => {
    const events = [...running, response(1, 1, '', [read]), turnEnd(1)] satisfies SessionEventDraft[]
    const live = foldDrafts(
      ...running,
      stream(1, 1, { type: 'tool_call_start', toolCallId: 'tc_read', name: 'read_file' }),
      ...events.slice(4),
    )
    expect(live.items.map((item) => item.id)).toEqual(['u_1', 'a_1_1', 'tc_read', 'end_5'])
    expect(live).toEqual(foldDrafts(...events))
  })

  test('a call the stream began and the answer does not hold goes away', () => {
    const begun = stream(1, 1, { type: 'tool_call_start', toolCallId: 'tc_lost', name: 'read_file' })
    expect(foldDrafts(...running, begun, response(1, 1, '', [read])).items.map((item) => item.id)).toEqual(['u_1', 'a_1_1', 'tc_read'])
  })

  test('live output keeps its last 64 Ki and no half character', () => {
    const snapshot = foldDrafts(
      ...asked,
      intent(1, 1, read),
      { delta: 'tool_output', toolCallId: 'tc_read', text: '😀'.repeat(32 * 1024) },
      { delta: 'tool_output', toolCallId: 'tc_read', text: 'x' },
    )
    const item = itemOf(snapshot, 'tc_read')
    expect(item.kind === 'tool' && item.liveOutput).toBe(`${'😀'.repeat(32 * 1024 - 1)}x`)
  })

  test('progress replaces progress', () => {
    const progress = (done: number): StreamDelta => ({ delta: 'tool_progress', toolCallId: 'tc_read', done, unit: 'rows' })
    const snapshot = foldDrafts(...asked, intent(1, 1, read), progress(1), progress(2))
    expect(itemOf(snapshot, 'tc_read')).toMatchObject({ progress: { done: 2, unit: 'rows' } })
  })
})

describe('what comes late or twice', () => {
  const late: readonly (readonly [string, StreamDelta])[] = [
    ['text of the finished answer', stream(1, 1, { type: 'text_delta', delta: '!' })],
    ['text of an answer nobody knows', stream(1, 9, { type: 'text_delta', delta: '!' })],
    ['thinking', stream(1, 1, { type: 'reasoning_delta', delta: '!' })],
    ['a call', stream(1, 1, { type: 'tool_call_start', toolCallId: 'tc_late', name: 'read_file' })],
    ['a call that is done', stream(1, 1, { type: 'tool_call_start', toolCallId: 'tc_read', name: 'read_file' })],
    ['usage', stream(1, 1, { type: 'usage', usage })],
    ['output of a tool that is done', { delta: 'tool_output', toolCallId: 'tc_read', text: '!' }],
    ['output of a tool nobody knows', { delta: 'tool_output', toolCallId: 'tc_none', text: '!' }],
    ['progress of a tool that is done', { delta: 'tool_progress', toolCallId: 'tc_read', done: 1, unit: 'rows' }],
    ['a retry', { delta: 'retry', attempt: 1, reason: 'rate_limited', delayMs: 10 }],
  ]
  const answered = foldDrafts(...asked, intent(1, 1, read), outcome(1, 1, read))
  const ended = fold(numbered([turnEnd(1)], 7), answered)

  test.each(late.filter(([what]) => what !== 'text of an answer nobody knows'))('%s, within the turn, changes nothing', (_what, delta) => {
    expect(fold([delta], answered)).toBe(answered)
  })

  test.each([
    ...late,
    ['a phase of the turn', { delta: 'phase', phase: 'streaming', turn: 1, since: 1 }] as const,
    ['a wait for quota', { delta: 'quota', provider: 'deepseek', ended: false }] as const,
  ])('%s, after the turn, changes nothing', (_what, delta) => {
    expect(fold([delta], ended)).toBe(ended)
  })

  test('the denial of a question whose call has ended leaves the call as it ended, and closes the question', () => {
    const open = foldDrafts(...asked, intent(1, 1, read), question(1, 1, read), outcome(1, 1, read))
    const { items, approvals } = fold(numbered([decision(1, 1, read, false)], 8), open)
    expect([approvals, items.find(({ id }) => id === 'tc_read')]).toMatchObject([[], { status: 'done' }])
    expect(items).toEqual(open.items)
  })

  test('the phase of an earlier turn does not touch a later one', () => {
    const second = fold(numbered([userMessage(2)], 8), ended)
    expect(fold([{ delta: 'phase', phase: 'ended', turn: 1, since: 1 }], second)).toBe(second)
    expect(fold([{ delta: 'phase', phase: 'streaming', turn: 2, since: 1 }], second).phase).toBe('streaming')
  })

  test('events that were applied before are skipped', () => {
    const entries = numbered([...asked, intent(1, 1, read), outcome(1, 1, read), turnEnd(1)])
    const once = fold(entries)
    expect(fold(entries, once)).toBe(once)
    expect(fold(entries.slice(0, 3), once)).toBe(once)
    expect(fold(numbered([userMessage(2)], 8), once)).toEqual(fold([...entries, ...entries, ...numbered([userMessage(2)], 8)]))
  })
})

describe('identity', () => {
  test('nothing to apply gives the snapshot itself', () => {
    const snapshot = foldDrafts(...asked)
    expect(fold([], snapshot)).toBe(snapshot)
  })

  test('items that did not change are the same objects, the list too when none changed', () => {
    const before = foldDrafts(...asked, intent(1, 1, read))
    const output = fold([{ delta: 'tool_output', toolCallId: 'tc_read', text: 'x' }], before)
    expect(output.items.map((item, index) => item === before.items[index])).toEqual([true, true, false, true])
    const titled = fold(numbered([{ event: 'session_updated', title: 'neu' }], 6), before)
    expect(titled.items).toBe(before.items)
    const ended = fold(numbered([turnEnd(1)], 6), before)
    expect(ended.items.slice(0, 2).map((item, index) => item === before.items[index])).toEqual([true, true])
  })

  test('the given snapshot is never changed', () => {
    const entries = numbered([
      ...asked,
      question(1, 1, read),
      decision(1, 1, read, true),
      intent(1, 1, read),
      outcome(1, 1, read),
      turnEnd(1),
    ])
    let snapshot = freeze(emptySnapshot(ID))
    for (const entry of entries) snapshot = freeze(reduceSession(snapshot, [freeze(entry)]))
    expect(snapshot).toEqual(fold(entries))
  })
})

describe('properties over random sessions', () => {
  const runs = { numRuns: proof(2000, 150) }

  test('any batching gives the same snapshot, and changes no input', () => {
    fc.assert(
      fc.property(wholeSession, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }), (entries, sizes) => {
        let snapshot = freeze(emptySnapshot(ID))
        for (let from = 0, turn = 0; from < entries.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          snapshot = freeze(reduceSession(snapshot, freeze(entries.slice(from, from + size))))
          from += size
        }
        expect(snapshot).toEqual(fold(entries))
      }),
      runs,
    )
  })

  test('after the end of a turn, live and reloaded show the same', () => {
    fc.assert(
      fc.property(wholeSession, (entries) => {
        expect(fold(entries)).toEqual(fold(entries.filter(isEvent)))
      }),
      runs,
    )
  })

  test('deltas that come again after everything change nothing', () => {
    fc.assert(
      fc.property(wholeSession, (entries) => {
        const snapshot = fold(entries)
        expect(fold([...entries.filter((entry) => !isEvent(entry)), ...entries.filter(isEvent)], snapshot)).toBe(snapshot)
      }),
      runs,
    )
  })

  test('every snapshot on the way is one by the schema, and so is its row', () => {
    fc.assert(
      fc.property(wholeSession, (entries) => {
        let snapshot = emptySnapshot(ID)
        for (const entry of entries) {
          snapshot = reduceSession(snapshot, [entry])
          expect(SessionSnapshotSchema.parse(snapshot)).toEqual(snapshot)
        }
        const row = summarise(snapshot)
        expect(SessionSummarySchema.parse(row)).toEqual(row)
      }),
      { numRuns: proof(200, 25) },
    )
  })
})
