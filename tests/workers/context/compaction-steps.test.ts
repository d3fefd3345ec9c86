/** The steps between the session worker and the context thread, and the guard against useless compactions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { guardAfter, mayCompact, NEW_GUARD } from '#workers/context/domain/loop-guard.ts'
import { planPrune } from '#workers/context/domain/plan-prune.ts'
import { loadCounter } from '#workers/context/tokenizers/exact-counters.ts'
import { HistoryMaker } from './make-history.ts'
import { makeWorkspace, SessionDriver } from './session-driver.ts'

const HEADINGS = ['Goal', 'Constraints and preferences', 'Progress', 'Decisions and reasons', 'Next steps', 'Identifiers', 'Files']
const SUMMARY = HEADINGS.map((heading) => `## ${heading}\n- kept from the summary`).join('\n')

let workspace: string
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ path: workspace, remove } = await makeWorkspace())
})
afterAll(() => remove())

async function longSession(
  options: { contextBudget?: number; contextWindow?: number } = { contextBudget: 40_000 },
): Promise<{ driver: SessionDriver; maker: HistoryMaker }> {
  const maker = new HistoryMaker(21)
  for (let turn = 0; turn < 14; turn++) {
    maker.user(maker.text(150))
    maker.toolStep([5_000])
    maker.assistant(maker.text(200))
  }
  const driver = new SessionDriver({
    workspace,
    tools: [{ name: 'read_file', description: 'reads', parameters: { type: 'object' } }],
    ...options,
  })
  await driver.mustBuild(maker.messages)
  return { driver, maker }
}

describe('a compaction', () => {
  test('asks with the live conversation in front, byte for byte, and the same tools', async () => {
    const { driver, maker } = await longSession()
    const live = (await driver.mustBuild(maker.messages)).request
    const asked: { request: MetonaRequest; mode: string }[] = []
    await driver.compact('manual', (request, mode) => {
      asked.push({ request, mode })
      return { content: SUMMARY }
    })
    const { request, mode } = asked[0] ?? { request: live, mode: '' }
    expect([
      asked.length,
      mode,
      JSON.stringify(request.messages.slice(0, -1)) === JSON.stringify(live.messages),
      request.systemPrompt,
      JSON.stringify(request.tools),
    ]).toEqual([1, 'suffix', true, live.systemPrompt, JSON.stringify(live.tools)])
  })

  test('puts the model’s summary in place of the head; the newest messages stay as they were', async () => {
    const { driver, maker } = await longSession()
    const step = await driver.compact('manual', () => ({ content: SUMMARY }))
    const after = (await driver.mustBuild(maker.messages)).request.messages
    expect([
      step.kind === 'applied' && step.record.method,
      after[0]?.content.includes('kept from the summary'),
      after.length < maker.messages.length / 2,
      JSON.stringify(after.slice(-2)) === JSON.stringify(maker.messages.slice(-2)),
    ]).toEqual(['model', true, true, true])
  })

  test('asks once more in another way when the answer is no summary, then uses the digest', async () => {
    const { driver } = await longSession()
    const modes: string[] = []
    const step = await driver.compact('manual', (_request, mode) => {
      modes.push(mode)
      return { content: 'I would rather chat.' }
    })
    expect([modes, step.kind === 'applied' && step.record.method]).toEqual([['suffix', 'separate'], 'digest'])
  })

  test('does not ask again when the model failed', async () => {
    const { driver } = await longSession()
    const modes: string[] = []
    const step = await driver.compact('manual', (_request, mode) => {
      modes.push(mode)
      return { content: '', finishReason: 'error' }
    })
    expect([modes, step.kind === 'applied' && step.record.method]).toEqual([['suffix'], 'digest'])
  })

  test('after an overflow nobody is asked and the request shrinks', async () => {
    const { driver, maker } = await longSession({ contextBudget: 1_000_000 })
    const before = await driver.mustBuild(maker.messages)
    const step = await driver.compact('overflow', () => {
      throw new Error('asked')
    })
    const after = await driver.mustBuild(maker.messages)
    expect([step.kind, after.context.estimatedTokens < before.context.estimatedTokens * 0.9]).toEqual(['applied', true])
  })

  test('of a short conversation is nothing', async () => {
    const driver = new SessionDriver({ workspace })
    await driver.mustBuild([{ role: 'user', content: 'hi', id: 'm_1', timestamp: 1 }])
    expect(await driver.compact('manual', () => ({ content: SUMMARY }))).toMatchObject({ kind: 'nothing' })
  })

  test('the person’s instructions are part of the question', async () => {
    const { driver, maker } = await longSession()
    await driver.mustBuild(maker.messages)
    const { planCompaction } = await import('#workers/context/entry.ts')
    const step = await planCompaction({
      sessionId: driver.sessionId,
      requestId: 'r_i',
      reason: 'manual',
      instructions: 'keep the table names',
      now: 1,
    })
    expect(step.kind === 'ask_model' && step.request.messages.at(-1)?.content.includes('keep the table names')).toBe(true)
  })

  test('a window without room for one more question gets a separate one that fits', async () => {
    const window = 6_000
    const maker = new HistoryMaker(22)
    const driver = new SessionDriver({ workspace, contextWindow: window, maxOutput: 0 })
    let tokens = 0
    while (tokens < window * 0.84) {
      maker.user(maker.text(120))
      maker.assistant(maker.text(300))
      tokens = (await driver.mustBuild(maker.messages)).context.estimatedTokens
    }
    const asked: { request: MetonaRequest; mode: string }[] = []
    const step = await driver.compact('manual', (request, mode) => {
      asked.push({ request, mode })
      return { content: SUMMARY }
    })
    const counter = await loadCounter('deepseek')
    const text = asked[0]?.request.messages.map((message) => message.content).join('\n') ?? ''
    expect([asked.map((one) => one.mode), counter.count(text) + (asked[0]?.request.params.maxTokens ?? 0) < window, step.kind]).toEqual([
      ['separate'],
      true,
      'applied',
    ])
  })
})

describe('pruning', () => {
  test('happens once a cycle, keeps the newest results and the last two turns', async () => {
    const maker = new HistoryMaker(31)
    const driver = new SessionDriver({ workspace, contextBudget: 60_000 })
    const pruned: number[] = []
    for (let turn = 0; turn < 26; turn++) {
      maker.user(maker.text(100))
      maker.toolStep([6_000])
      const built = await driver.mustBuild(maker.messages)
      if (built.compaction?.method === 'prune') pruned.push(turn)
      maker.assistant('ok')
    }
    const last = (await driver.mustBuild(maker.messages)).request.messages.filter((message) => message.toolResult !== undefined)
    expect([
      pruned.length,
      last[0]?.toolResult?.summary?.startsWith('[older tool output removed'),
      typeof last.at(-1)?.toolResult?.summary,
    ]).toEqual([1, true, 'undefined'])
  })

  test('is not done for less than a fifth of the budget', () => {
    const maker = new HistoryMaker(32)
    for (let turn = 0; turn < 6; turn++) {
      maker.user('x')
      maker.toolStep([2_000])
    }
    expect(planPrune(maker.messages, 0, 100_000, () => 600)).toBe(undefined)
  })
})

describe('the loop guard', () => {
  test('stops after two that end nearly full', () => {
    const once = guardAfter(NEW_GUARD, 40, 0.85)
    expect([mayCompact(once), mayCompact(guardAfter(once, 40, 0.9))]).toEqual([true, false])
  })

  test('stops when hardly anything happens between compactions', () => {
    let guard = NEW_GUARD
    for (let round = 0; round < 3; round++) guard = guardAfter(guard, 2, 0.3)
    expect(mayCompact(guard)).toBe(false)
  })

  test('a long working turn is not stopped at its third', () => {
    let guard = NEW_GUARD
    for (let round = 0; round < 5; round++) guard = guardAfter(guard, 60, 0.3)
    expect(mayCompact(guard)).toBe(true)
  })

  test('asks for no model any more once it stopped, until the person writes again', async () => {
    const { driver, maker } = await longSession({ contextBudget: 40_000 })
    const kinds: string[] = []
    const round = async (): Promise<void> => {
      // One result so large that every compaction ends nearly full again.
      maker.toolStep([70_000])
      await driver.mustBuild(maker.messages)
      kinds.push((await driver.compact('automatic', () => ({ content: SUMMARY }))).kind)
    }
    for (let step = 0; step < 5; step++) await round()
    maker.user('and now this')
    await round()
    expect([kinds.slice(0, 5).includes('stopped'), kinds[5]]).toEqual([true, 'applied'])
  })
})
