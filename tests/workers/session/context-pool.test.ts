import { writeFile, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { BuildInput } from '#contracts/context/context-tasks.ts'
import { ContextPool } from '#workers/session/context-pool.ts'

/** A context thread that does as its input says. */
const ENTRY = `
import { threadId, parentPort } from 'node:worker_threads'
const seen = new Set()
export function build({ messages, from, sessionId }) {
  const order = messages.at(-1)
  if (order?.spin && from > 0) for (;;);
  if (order?.spinAlways) for (;;);
  if (order?.exit && from > 0) process.exit(3)
  if (order?.flood && from > 0) for (let n = 0; n < 20000; n++) parentPort.postMessage('flood')
  if (order?.block) for (const end = performance.now() + order.block; performance.now() < end; );
  if (from > 0 && !seen.has(sessionId)) return { ok: false, reason: 'unknown_session' }
  seen.add(sessionId)
  throw new Error('built by ' + threadId + ' from ' + from)
}
export function ping() { return { threadId } }
`

let folder: string
let pool: ContextPool

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'metona-context-'))
  await writeFile(path.join(folder, 'entry.mjs'), ENTRY)
  pool = new ContextPool({ entry: path.join(folder, 'entry.mjs'), taskDeadlineMs: 1_500 })
})
afterEach(async () => {
  await pool.close()
  await rm(folder, { recursive: true, force: true })
})

const never = new AbortController().signal

function build(sessionId: string, order: Record<string, unknown>, from = 1, signal: AbortSignal = never): Promise<string> {
  // The stand-in answers by throwing, so that no whole request has to be made up here.
  return pool
    .build(
      { sessionId, from, messages: [order] } as unknown as BuildInput,
      () => ({ from: 0, messages: [order] as never }),
      () => Promise.resolve([]),
      signal,
    )
    .then(
      () => 'built',
      (error: { code: string; message: string }) => `${error.code} ${error.message}`,
    )
}

const thread = async (): Promise<number> => ((await pool.run('', 'ping', {})) as { threadId: number }).threadId

describe('a thread that', () => {
  test.each([{ spin: true }, { exit: true }, { flood: true }])(
    '%o: is replaced, and the request made again from the whole history',
    async (order) => {
      const before = await thread()
      expect(await build('s_1', order)).toMatch(/^INTERNAL built by \d+ from 0$/)
      expect(await thread()).not.toBe(before)
    },
  )

  test('stands still for ever is given up after the second try', async () => {
    expect(await build('s_1', { spinAlways: true })).toMatch(/^WORKER_LOST .*no answer within 1500 ms/)
  })

  test('is replaced loses nothing of what waited for it', async () => {
    const answers = await Promise.all([build('s_1', { spin: true }), build('s_2', {}, 0), build('s_3', {}, 0)])
    expect(answers).toEqual([
      expect.stringMatching(/^INTERNAL built by \d+ from 0$/),
      expect.stringMatching(/from 0$/),
      expect.stringMatching(/from 0$/),
    ])
  })
})

test('Stop does not wait for the thread, and does not end it', async () => {
  const before = await thread()
  const controller = new AbortController()
  const built = build('s_1', { block: 1_000 }, 0, controller.signal)
  setTimeout(() => controller.abort(), 100)
  expect(await built).toMatch(/^CALL_CANCELLED/)
  expect(await thread()).toBe(before)
})
