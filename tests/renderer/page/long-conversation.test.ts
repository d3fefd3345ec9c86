/** A conversation of ten thousand messages, and what a person does to those that were sent. */
// needs: chromium
import { testIds } from '#renderer/ui/test-ids.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configEntries } from '../../e2e/screenshot-scenes.ts'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { waitUntil } from '../helpers.ts'
import { openPage, useChromium, type OpenedPage } from './open-page.ts'

useChromium()

const ID = 's_longlong00'
let host: ScriptedHost
let opened: OpenedPage

beforeEach(() => {
  host = new ScriptedHost()
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/w', openedAt: '', trusted: true }] }))
  host.answer('config.list', () => ({ entries: configEntries({ 'ui.language': 'en' }) }))
  host.addSession(ID, '/w', { title: 'Long' })
})
afterEach(async () => {
  await opened.close()
})

/** `turns` questions, each with its answer. */
function talk(turns: number): void {
  const drafts = []
  for (let turn = 1; turn <= turns; turn += 1)
    drafts.push(
      { event: 'user_message', messageId: `u${turn}`, content: `question ${turn}`, turn } as const,
      {
        event: 'llm_response',
        iteration: 1,
        turn,
        content: `answer **${turn}** with needle-${turn}-end\n\n- one\n- two`,
        finishReason: 'stop',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        requestId: 'r',
        provider: 'p',
        model: 'm',
        messageId: `a${turn}`,
        durationMs: 1,
      } as const,
      { event: 'turn_end', turn, reason: 'completed', iterations: 1, durationMs: 1 } as const,
    )
  host.emit(ID, ...drafts)
}

async function open(): Promise<void> {
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.at(testIds.transcript).waitFor()
}
const message = (id: string) => opened.page.locator(`[data-message="${id}"]`)
/** What comes before the end of the conversation waits until it is let go. */
function heldBeginning(): PromiseWithResolvers<void> {
  const beginning = Promise.withResolvers<void>()
  host.answer('session.items', async ({ sessionId, before, limit }) => {
    await beginning.promise
    return { items: host.session(sessionId).items.slice(Math.max(0, before - limit), before) }
  })
  return beginning
}
const place = async (id: string): Promise<number> => Math.round((await message(id).boundingBox())?.y ?? -1)
/** Once it no longer moves. */
async function restingPlace(id: string): Promise<number> {
  let before = await place(id)
  await waitUntil(async () => {
    const now = await place(id)
    const still = now === before
    before = now
    expect(still).toBe(true)
  })
  return before
}
const calls = (method: string): unknown[] => host.calls.filter((call) => call.method === method).map((call) => call.params)

test('opens at its end with few rows on the page; one from the beginning is found, shown and marked', { timeout: 120_000 }, async () => {
  talk(5000)
  await open()
  await message('a5000').waitFor()
  const mounted = await opened.page.locator('[data-row]').count()
  console.log(`${mounted} of 15000 rows on the page`)
  expect(mounted).toBeLessThan(100)
  expect(await opened.at(testIds.transcript).getAttribute('data-at-end')).toBe('true')
  await opened.page.keyboard.press('Control+f')
  await opened.at(testIds.findInput).fill('needle-17-')
  await expect.poll(() => opened.at(testIds.find).getAttribute('data-count'), { timeout: 20_000 }).toBe('1')
  await message('a17').waitFor()
  await expect
    .poll(() =>
      opened.page.evaluate(() =>
        [...((CSS as unknown as { highlights: Map<string, Set<unknown>> }).highlights.get('metona-find-now') ?? [])].map(String),
      ),
    )
    .toEqual(['needle-17-'])
  expect(await opened.at(testIds.transcript).getAttribute('data-at-end')).toBe('false')
  await opened.page.keyboard.press('Escape')
  expect(await opened.at(testIds.find).count()).toBe(0)
})

test('someone who reads the middle is not moved by what comes in at the end', { timeout: 120_000 }, async () => {
  talk(300)
  await open()
  await opened.page.keyboard.press('Control+f')
  await opened.at(testIds.findInput).fill('needle-100-')
  await message('a100').waitFor()
  await opened.page.keyboard.press('Escape')
  const before = await restingPlace('a100')
  host.emit(
    ID,
    { event: 'user_message', messageId: 'u301', content: 'go', turn: 301 },
    { event: 'iteration_start', iteration: 1, turn: 301 },
  )
  for (let index = 0; index < 200; index += 1)
    host.emit(ID, { delta: 'stream', messageId: 'a301', iteration: 1, event: { type: 'text_delta', delta: `line ${index}\n\n` } })
  await waitUntil(() => expect([...host.connections].some((connection) => connection.acks.length > 0)).toBe(true))
  expect(await place('a100')).toBe(before)
})

test('someone who reads the end is not moved by the beginning, which comes after it', { timeout: 120_000 }, async () => {
  talk(2000)
  const beginning = heldBeginning()
  await open()
  await opened.page.keyboard.press('Control+f')
  await opened.at(testIds.findInput).fill('needle-1950-')
  await message('a1950').waitFor()
  await opened.page.keyboard.press('Escape')
  const before = await restingPlace('a1950')
  const height = () => opened.at(testIds.transcript).evaluate((region) => region.scrollHeight)
  const ofTheEnd = await height()
  beginning.resolve()
  await waitUntil(async () => expect(await height()).toBeGreaterThan(5 * ofTheEnd))
  expect(Math.abs((await restingPlace('a1950')) - before)).toBeLessThanOrEqual(2)
})

test('a find keeps its place when what comes before it has come', { timeout: 120_000 }, async () => {
  talk(2000)
  const beginning = heldBeginning()
  await open()
  await opened.page.keyboard.press('Control+f')
  await opened.at(testIds.findInput).fill('needle-19')
  await message('a1999').waitFor()
  await opened.page.keyboard.press('Enter')
  const count = async () => Number(await opened.at(testIds.find).getAttribute('data-count'))
  // From the last one to the first.
  await message('a1900').waitFor()
  expect(await count()).toBe(100)
  beginning.resolve()
  // Those of 19 and 190 to 199 as well.
  await waitUntil(async () => expect(await count()).toBe(111))
  await opened.page.keyboard.press('Enter')
  await waitUntil(async () => expect([await message('a1901').isVisible(), await message('a190').count()]).toEqual([true, 0]))
  await restingPlace('a1901')
  expect([await message('a190').count(), await opened.at(testIds.earlier).count()]).toEqual([0, 0])
})

test('what is found only in the beginning is shown when that has come', { timeout: 120_000 }, async () => {
  talk(2000)
  const beginning = heldBeginning()
  await open()
  await opened.page.keyboard.press('Control+f')
  await opened.at(testIds.findInput).fill('needle-17-')
  expect(await opened.at(testIds.find).getAttribute('data-count')).toBe('0')
  beginning.resolve()
  await message('a17').waitFor()
})

test('a message of the beginning that was searched for is shown once it has come', { timeout: 120_000 }, async () => {
  talk(2000)
  const seq = host.session(ID).items.find((item) => item.id === 'a17')
  host.answer('session.search', () => ({
    hits: [
      {
        sessionId: ID,
        seq: seq?.kind === 'assistant' ? (seq.seq ?? 0) : 0,
        title: 'Long',
        snippet: 'needle-17-end',
        ts: new Date().toISOString(),
      },
    ],
  }))
  const beginning = heldBeginning()
  opened = await openPage(host)
  await opened.page.keyboard.press('Control+Shift+F')
  await opened.at(testIds.paletteInput).fill('needle-17-')
  await opened.page.locator(`[data-item^="message ${ID}"]`).first().click()
  await message('a2000').waitFor()
  beginning.resolve()
  await message('a17').waitFor()
  expect(await opened.at(testIds.transcript).getAttribute('data-at-end')).toBe('false')
})

test('a message said anew goes out in place of the old one; what it replaced is folded away', { timeout: 60_000 }, async () => {
  host.answer('history.edit', ({ newMessageId, content }) => {
    host.emit(
      ID,
      { event: 'rewind', toSeq: 3, reason: 'edit', turn: 3 },
      { event: 'user_message', messageId: newMessageId, content, turn: 3 },
      { event: 'turn_end', turn: 3, reason: 'completed', iterations: 1, durationMs: 1 },
    )
    return { state: 'started' }
  })
  talk(2)
  await open()
  await message('u2').hover()
  await message('u2').getByTestId(testIds.edit).click()
  await message('u2').getByTestId(testIds.editInput).fill('question two, better')
  await message('u2').getByTestId(testIds.editSend).click()
  await opened.page.getByText('question two, better').waitFor()
  expect(calls('history.edit')).toEqual([
    { sessionId: ID, messageId: 'u2', newMessageId: expect.stringMatching(/^m_/), content: 'question two, better' },
  ])
  expect(await message('u2').count()).toBe(0)
  await opened.at(testIds.replaced).click()
  await message('u2').waitFor()
  expect(await message('u2').getByTestId(testIds.edit).count()).toBe(0)
})

test('a session is forked from a message: before what was asked, after what was answered', { timeout: 60_000 }, async () => {
  host.answer('session.fork', ({ atSeq }) => {
    host.addSession(`s_fork${String(atSeq).padStart(6, '0')}`, '/w', { title: 'Fork' })
    return { sessionId: `s_fork${String(atSeq).padStart(6, '0')}` }
  })
  talk(2)
  await open()
  await message('u2').hover()
  await message('u2').getByTestId(testIds.fork).click()
  await expect.poll(() => opened.at(testIds.transcript).getAttribute('data-session')).toBe('s_fork000003')
  expect(await opened.at(testIds.composerInput).inputValue()).toBe('question 2')
  expect(calls('session.fork')).toEqual([{ workspace: '/w', sessionId: ID, atSeq: 3 }])
  // After an answer that ended its turn the end belongs to it.
  await opened.page.goBack()
  await message('a2').hover()
  await message('a2').getByTestId(testIds.fork).click()
  await expect.poll(() => calls('session.fork').at(-1)).toEqual({ workspace: '/w', sessionId: ID, atSeq: 6 })
})
