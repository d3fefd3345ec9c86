/** The list of sessions in a real browser with real workers: what is done to a session there is what the disk says of it. */
// needs: chromium
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { TOAST_MS } from '#renderer/stores/toasts.ts'
import { runCli } from '#tests/helpers/cli.ts'
import { openWebShell, rowOf, startSession, type WebShellPlace } from './web-shell-place.ts'

let shell: WebShellPlace

beforeAll(async () => {
  shell = await openWebShell({ permission: 'full_access' })
}, 180_000)
afterAll(() => shell.close())
afterEach(async () => {
  for (const page of shell.context.pages()) await page.close()
  await shell.provider.reset()
})

interface StoredRow {
  readonly title: string
  readonly pinned: number
  readonly archived: number
}

/** The row as the database has it, read beside the running app; undefined for a session that is gone. */
function stored(sessionId: string): StoredRow | undefined {
  const database = new Database(path.join(shell.place.workspace, '.metona', 'agent.db'), { readonly: true })
  try {
    return database.prepare<[string], StoredRow>('SELECT title, pinned, archived FROM sessions WHERE session_id = ?').get(sessionId)
  } finally {
    database.close()
  }
}

async function finishedSession(page: Page, prompt: string): Promise<string> {
  await shell.provider.script([{ marker: prompt, answers: [{ text: `answer to ${prompt}` }] }])
  const sessionId = await startSession(page, prompt)
  await expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 }).toBe('done')
  return sessionId
}

async function pick(page: Page, sessionId: string, deed: string): Promise<void> {
  await rowOf(page, sessionId).click({ button: 'right' })
  await page.locator(`[data-testid="${testIds.sessionMenuItem}"][data-does="${deed}"]`).click()
}

test('renamed by keyboard, pinned by menu, archived and taken out again', { timeout: 120_000 }, async () => {
  const page = await shell.openPage()
  const sessionId = await finishedSession(page, 'first-words')
  await rowOf(page, sessionId).focus()
  await page.keyboard.press('F2')
  await page.getByTestId(testIds.sessionRename).fill('退款 and refunds')
  await page.keyboard.press('Enter')
  await expect.poll(() => stored(sessionId), { timeout: 10_000 }).toEqual({ title: '退款 and refunds', pinned: 0, archived: 0 })
  await pick(page, sessionId, 'pin')
  await expect.poll(() => stored(sessionId)?.pinned, { timeout: 10_000 }).toBe(1)
  await pick(page, sessionId, 'archive')
  await expect.poll(() => rowOf(page, sessionId).count(), { timeout: 10_000 }).toBe(0)
  await expect.poll(() => stored(sessionId)?.archived, { timeout: 10_000 }).toBe(1)
  await page.getByTestId(testIds.sessionArchive).click()
  await pick(page, sessionId, 'archive')
  await expect.poll(() => stored(sessionId)?.archived, { timeout: 10_000 }).toBe(0)
})

test('a fork is a session of its own that holds the same messages', { timeout: 120_000 }, async () => {
  const page = await shell.openPage()
  const sessionId = await finishedSession(page, 'to-be-forked')
  await pick(page, sessionId, 'fork')
  const transcript = page.getByTestId(testIds.transcript)
  await expect.poll(() => transcript.getAttribute('data-session'), { timeout: 20_000 }).not.toBe(sessionId)
  const forked = (await transcript.getAttribute('data-session')) ?? ''
  await expect.poll(() => stored(forked)?.title, { timeout: 10_000 }).toBe('to-be-forked (2)')
  expect(await contents(forked)).toEqual(await contents(sessionId))
})

test('search finds what was said in any session, in both scripts, and opens it there', { timeout: 120_000 }, async () => {
  const page = await shell.openPage()
  const english = await finishedSession(page, 'the quokka question')
  const chinese = await finishedSession(page, '查一下八月的退款')
  for (const [sessionId, typed] of [
    [english, 'quokka question'],
    [chinese, '八月 退款'],
  ] as const) {
    await page.keyboard.press('Control+Shift+F')
    await page.getByTestId(testIds.paletteInput).fill(typed)
    const hit = page.locator(`[data-testid="${testIds.paletteItem}"][data-item^="message ${sessionId}"]`).first()
    await hit.waitFor({ timeout: 10_000 })
    const seq = Number((await hit.getAttribute('data-item'))?.split(' ')[2])
    expect(await eventText(sessionId, seq)).toContain(typed.split(' ')[0])
    await hit.click()
    await expect.poll(() => page.getByTestId(testIds.transcript).getAttribute('data-session')).toBe(sessionId)
  }
})

test('deleted: gone from the disk when the offer to undo is over, and not before', { timeout: 120_000 }, async () => {
  const page = await shell.openPage()
  const kept = await finishedSession(page, 'keep-this-one')
  await pick(page, kept, 'delete')
  await expect.poll(() => rowOf(page, kept).count()).toBe(0)
  expect(stored(kept)?.title).toBe('keep-this-one')
  await page.getByTestId(testIds.toastAction).last().click()
  await expect.poll(() => rowOf(page, kept).count()).toBe(1)

  const gone = await finishedSession(page, 'away-with-this-one')
  await rowOf(page, gone).focus()
  await page.keyboard.press('Delete')
  await page.mouse.move(0, 0)
  await expect.poll(() => stored(gone), { timeout: TOAST_MS + 20_000 }).toBe(undefined)
  expect(stored(kept)?.title).toBe('keep-this-one')
})

test('closing the page carries out a deletion that was not taken back', { timeout: 120_000 }, async () => {
  const page = await shell.openPage()
  const gone = await finishedSession(page, 'deleted-and-closed')
  await pick(page, gone, 'delete')
  await expect.poll(() => rowOf(page, gone).count()).toBe(0)
  await page.close({ runBeforeUnload: true })
  await expect.poll(() => stored(gone), { timeout: 20_000 }).toBe(undefined)
})

test('the exported files are those of the terminal, byte for byte', { timeout: 120_000 }, async () => {
  const page = await shell.openPage()
  const sessionId = await finishedSession(page, 'export-me <b>&</b> ```')
  for (const format of ['md', 'json', 'html']) {
    const download = page.waitForEvent('download')
    await pick(page, sessionId, `export-${format}`)
    const file = await (await download).path()
    const { stdout } = await runCli(shell.place, [
      '--lang',
      'en',
      'sessions',
      'export',
      sessionId,
      '--format',
      format,
      '-w',
      shell.place.workspace,
    ])
    expect([format, await readFile(file, 'utf8')]).toEqual([format, stdout])
    expect(stdout.length).toBeGreaterThan(100)
  }
})

/** The text of one event as the database has it. */
async function eventText(sessionId: string, seq: number): Promise<string> {
  const { stdout } = await runCli(shell.place, ['sessions', 'show', sessionId, '--json', '-w', shell.place.workspace])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { seq: number; content?: string })
  return events.find((event) => event.seq === seq)?.content ?? ''
}

/** Roles and texts of a session, as the terminal reads them from the disk. */
async function contents(sessionId: string): Promise<unknown> {
  const { stdout } = await runCli(shell.place, ['sessions', 'show', sessionId, '--json', '-w', shell.place.workspace])
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; content?: string })
    .filter(({ event }) => event === 'user_message' || event === 'llm_response')
    .map(({ event, content }) => [event, content])
}
