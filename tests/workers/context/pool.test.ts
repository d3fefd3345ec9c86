/** The tasks as the session worker calls them: a real Piscina thread, from the sources. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { threadId as ownThreadId } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CompactionStepSchema } from '#contracts/context/compaction.ts'
import { BuildInputSchema, BuildOutputSchema, type BuildOutput } from '#contracts/context/context-tasks.ts'
import { ReportOutputSchema } from '#contracts/context/token-report.ts'
import { buildAsRead } from '#tests/helpers/build-as-read.ts'
import { HistoryMaker } from './make-history.ts'
import { makeWorkspace, SessionDriver, type Built } from './session-driver.ts'

const ENTRY = fileURLToPath(new URL('../../../workers/context/entry.ts', import.meta.url))
const open = (): Piscina => new Piscina({ filename: ENTRY, minThreads: 1, maxThreads: 1, atomics: 'disabled', idleTimeout: Infinity })

let pool: Piscina
let workspace: string
let remove: () => Promise<void>
beforeAll(async () => {
  pool = open()
  ;({ path: workspace, remove } = await makeWorkspace({ 'AGENTS.md': 'Be brief.' }))
})
afterAll(async () => {
  await pool.destroy()
  await remove()
})

async function buildIn(
  where: Piscina,
  driver: SessionDriver,
  maker: HistoryMaker,
  extra: Partial<Parameters<SessionDriver['task']>[1]> = {},
): Promise<BuildOutput> {
  return buildAsRead(
    async (input) => BuildOutputSchema.parse(await where.run(BuildInputSchema.parse(input), { name: 'build' })),
    driver.task(maker.messages, extra),
  )
}

describe('the context thread', () => {
  test('is a thread of its own', async () => {
    const { threadId } = (await pool.run({}, { name: 'ping' })) as { threadId: number }
    const built = (await buildIn(pool, new SessionDriver({ workspace }), makerOf(1))) as Built
    expect([threadId !== ownThreadId, built.threadId]).toEqual([true, threadId])
  })

  test('keeps each session’s history, and forgets it when told', async () => {
    const driver = new SessionDriver({ workspace })
    const maker = makerOf(2)
    await buildIn(pool, driver, maker)
    maker.toolStep([50])
    const grown = (await buildIn(pool, driver, maker)) as Built
    await pool.run({ sessionId: driver.sessionId }, { name: 'forget' })
    maker.toolStep([50])
    expect([grown.request.messages.length, await buildIn(pool, driver, maker)]).toEqual([3, { ok: false, reason: 'unknown_session' }])
  })

  test('a thread that took another’s place asks for the history and then makes the same bytes', async () => {
    const driver = new SessionDriver({ workspace })
    const maker = makerOf(3)
    const before = (await buildIn(pool, driver, maker, { taskGoal: 'ship' })) as Built
    const other = open()
    try {
      maker.toolStep([50])
      const asked = await buildIn(other, driver, maker)
      const history = maker.messages.map((message) => ({
        ...message,
        ...before.turnContexts?.map(({ messageId, turnContext }) => (messageId === message.id ? { turnContext } : {})).at(0),
      }))
      const after = (await buildIn(other, driver, maker, { from: 0, messages: history, taskGoal: 'ship' })) as Built
      expect([asked, JSON.stringify(after.request.messages[0]), after.request.systemPrompt]).toEqual([
        { ok: false, reason: 'unknown_session' },
        JSON.stringify(before.request.messages[0]),
        before.request.systemPrompt,
      ])
    } finally {
      await other.destroy()
    }
  })

  test('answers every task in the form of its contract', async () => {
    const driver = new SessionDriver({ workspace, contextBudget: 20_000 })
    const maker = makerOf(4)
    for (let turn = 0; turn < 8; turn++) maker.toolStep([6_000])
    const built = (await buildIn(pool, driver, maker)) as Built
    const requestId = built.request.meta.requestId
    const report = ReportOutputSchema.parse(
      await pool.run(
        { sessionId: driver.sessionId, requestId, usage: { inputTokens: built.context.estimatedTokens, outputTokens: 1, totalTokens: 2 } },
        { name: 'report' },
      ),
    )
    const step = CompactionStepSchema.parse(
      await pool.run({ sessionId: driver.sessionId, requestId: 'r_plan', reason: 'manual', now: 1 }, { name: 'planCompaction' }),
    )
    const next = CompactionStepSchema.parse(await pool.run({ sessionId: driver.sessionId, planId: 'r_plan' }, { name: 'applySummary' }))
    expect([report.used, report.account?.model, step.kind, next.kind]).toEqual([true, 'deepseek-v4-pro', 'ask_model', 'applied'])
  })

  test('unknown sessions are named as such by every task', async () => {
    const kinds = [
      await pool.run({ sessionId: 's_none', requestId: 'r', reason: 'manual', now: 1 }, { name: 'planCompaction' }),
      await pool.run({ sessionId: 's_none', planId: 'r' }, { name: 'applySummary' }),
      await pool.run(
        { sessionId: 's_none', requestId: 'r', usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } },
        { name: 'report' },
      ),
      await pool.run({ sessionId: 's_none' }, { name: 'forget' }),
    ]
    expect(kinds).toEqual([
      { kind: 'unknown_session' },
      { kind: 'unknown_session' },
      { used: false, estimated: 0, reported: 1, error: 0 },
      { known: false },
    ])
  })
})

test('starting loads no package and no vocabulary', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    await import(${JSON.stringify(`file://${ENTRY}`)})
    process.stdout.write(JSON.stringify(loaded.filter((url) => url.includes('node_modules') || url.includes('vocabulary'))))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../../..', import.meta.url)),
  })
  expect(JSON.parse(stdout)).toEqual([])
})

function makerOf(seed: number): HistoryMaker {
  const maker = new HistoryMaker(seed)
  maker.user(maker.text(80))
  return maker
}
