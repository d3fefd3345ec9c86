import { describe, expect, test } from 'vitest'
import type { SessionEntry } from '#contracts/session/client-protocol.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { LiveSession } from '#workers/session/live-session.ts'
import { SessionStore } from '#workers/session/session-store.ts'
import { createRedactor } from '#workers/shared/redact.ts'
import { eventually } from '#tests/helpers/eventually.ts'

interface Bench {
  readonly session: LiveSession
  readonly stored: SessionEvent[]
  readonly shown: SessionEntry[]
  readonly turns: { turn: number; userInput: string; aborted: boolean }[]
  failures: number
  /** Lets the commits through that wait. */
  release(): void
}

const notAsked = (): never => {
  throw new Error('nothing is asked of storage here')
}

/** A session whose storage is this list; `held` keeps commits waiting. */
function bench(options: { held?: boolean; fails?: AppError[] } = {}): Bench {
  const stored: SessionEvent[] = []
  const shown: SessionEntry[] = []
  const turns: Bench['turns'] = []
  const failures = [...(options.fails ?? [])]
  let release: () => void = () => undefined
  const gate = options.held === true ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve()
  const appendEvents = async ({ events }: { events: SessionEvent[] }): Promise<{ lastSeq: number }> => {
    await gate
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    stored.push(...events)
    return { lastSeq: events.at(-1)?.seq ?? -1 }
  }
  const redactor = createRedactor([{ name: 'K', value: 'a-secret-value' }])
  const result: Bench = {
    stored,
    shown,
    turns,
    failures: 0,
    release: () => release(),
    session: new LiveSession(
      's_1',
      '/w',
      new SessionStore({ open: async () => ({ appendEvents }) as never, ask: notAsked }, '/w'),
      {
        published: (_session, entries) => shown.push(...entries),
        clean: (value) => redactor.value(value),
        failed: () => (result.failures += 1),
        runTurn: async (_session, { turn, userInput, signal }) => void turns.push({ turn, userInput, aborted: signal.aborted }),
      },
      [],
    ),
  }
  return result
}

const ask = (content: string, messageId = 'm_1') => ({ messageId, content, images: undefined, whenBusy: 'queue' as const })

test('what calls of earlier turns put before the model is known after a summary, and when the session is loaded again', async () => {
  const { session, stored } = bench()
  const call = { event: 'tool_call', iteration: 1, tool: 'x', args: {}, turn: 1 } as const
  await session.commit([
    { ...call, toolCallId: 'tc_1', exposes: { secret: '.env' } },
    { ...call, toolCallId: 'tc_2', exposes: { secret: 'other.pem', outside: true } },
    { ...call, toolCallId: 'tc_3' },
    { event: 'compaction', summary: 'nothing to see', upToSeq: 2, tokensBefore: 9, tokensAfter: 1, method: 'model' },
  ])
  const store = new SessionStore({ open: async () => ({}) as never, ask: notAsked }, '/w')
  const loaded = new LiveSession('s_1', '/w', store, {} as never, stored)
  expect([session.exposure, loaded.exposure]).toEqual([
    { secret: '.env', outside: true },
    { secret: '.env', outside: true },
  ])
})

describe('a committed event', () => {
  test('is shown byte for byte as it is stored, in the order of the log', async () => {
    const { session, stored, shown } = bench()
    await session.commit([
      {
        turn: 2,
        reason: 'failed',
        event: 'turn_end',
        error: { retryable: true, providerCode: 'X', message: 'm', code: 'unknown' },
        durationMs: 1,
        iterations: 1,
      },
    ])
    expect(JSON.stringify(shown)).toBe(JSON.stringify(stored))
    expect(Object.keys(stored[0] ?? {})).toEqual([
      'seq',
      'ts',
      'event',
      'sessionId',
      'reason',
      'iterations',
      'durationMs',
      'error',
      'turn',
      'eventId',
    ])
  })

  test('is not shown before it is stored', async () => {
    const { session, shown, release } = bench({ held: true })
    const committed = session.commit([{ event: 'error', code: 'X', message: 'm' }])
    await new Promise((resolve) => setImmediate(resolve))
    expect(shown).toEqual([])
    release()
    await committed
    expect(shown).toHaveLength(1)
  })

  test('that does not fit the schema takes no number', async () => {
    const { session, stored } = bench()
    await expect(session.commit([{ event: 'error', code: 1 as never, message: 'm' }])).rejects.toThrow()
    await session.commit([{ event: 'error', code: 'X', message: 'm' }])
    expect(stored.map((event) => event.seq)).toEqual([0])
  })

  test('holds no secret, whoever made it', async () => {
    const { session, stored, turns } = bench()
    await session.turns.prompt(ask('use a-secret-value here'))
    await eventually('the turn', () => turns.length === 1)
    expect(stored).toMatchObject([{ content: 'use [redacted K] here' }])
    expect(turns).toMatchObject([{ userInput: 'use [redacted K] here' }])
  })
})

describe('a store that', () => {
  test.each(['WORKER_LOST', 'CALL_TIMEOUT', 'STORAGE_BACKLOG'])('fails with %s is asked again', async (code) => {
    const { session, stored } = bench({ fails: [new AppError({ code, message: '', retryable: true })] })
    await session.commit([{ event: 'error', code: 'X', message: 'm' }])
    expect(stored).toHaveLength(1)
  })

  test('fails for good is reported once, and nothing of it is shown', async () => {
    const made = bench({ fails: [new AppError({ code: 'SEQ_CONFLICT', message: 'no' })] })
    await expect(made.session.commit([{ event: 'error', code: 'X', message: 'm' }])).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
    await expect(made.session.commit([{ event: 'error', code: 'Y', message: 'm' }])).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
    expect([made.failures, made.shown]).toEqual([1, []])
  })
})

describe('Stop', () => {
  test('while the message is still being committed ends its turn as well', async () => {
    const { session, turns, release } = bench({ held: true })
    const prompted = session.turns.prompt(ask('go'))
    const stopped = session.turns.stop()
    release()
    expect(await prompted).toBe('started')
    expect(await stopped).toBe(true)
    expect(turns).toEqual([{ turn: 1, userInput: 'go', aborted: true }])
  })

  test('without a turn says so', async () => {
    expect(await bench().session.turns.stop()).toBe(false)
  })
})

test('a second message while the first is being committed is queued behind it', async () => {
  const { session, stored, turns, release } = bench({ held: true })
  const first = session.turns.prompt(ask('one', 'm_1'))
  const second = session.turns.prompt(ask('two', 'm_2'))
  release()
  expect([await first, await second]).toEqual(['started', 'queued'])
  await eventually('both turns', () => turns.length === 2)
  expect(turns.map((turn) => turn.userInput)).toEqual(['one', 'two'])
  expect(stored.map((event) => event.event)).toEqual(['user_message', 'message_queued', 'user_message'])
})

test('a message sent twice is one message', async () => {
  const { session, turns } = bench()
  expect(await session.turns.prompt(ask('one'))).toBe('started')
  expect(await session.turns.prompt(ask('one'))).toBe('duplicate')
  await eventually('the turn', () => turns.length === 1)
  expect(turns).toHaveLength(1)
})
