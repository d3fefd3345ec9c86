/**
 * The first hour of somebody new, in a real browser with real workers: start, demonstration, a key against a fake endpoint,
 * a folder, trust, a question, an approval, Stop, a restart, going on, undo. What happened is read from the disk.
 */
// needs: chromium
import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { openWebShell, rowOf, startSession, type WebShellPlace } from './web-shell-place.ts'

const KEY = 'sk-newcomer-0123456789abcdef'
let shell: WebShellPlace

beforeAll(async () => {
  shell = await openWebShell({ permission: 'ask', newcomer: true })
}, 180_000)
afterAll(() => shell.close())

const stateOf = (page: Page, sessionId: string) => expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 })
const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

async function addKey(page: Page): Promise<void> {
  const row = page.locator('[data-provider="deepseek"]')
  await row.getByTestId(testIds.providerEdit).click()
  await row.getByTestId(testIds.providerKey).fill(KEY)
  await row.getByTestId(testIds.providerSave).click()
  await page.locator('[data-provider="deepseek"][data-check="ok"]').waitFor({ timeout: 20_000 })
}

function profileRows<T>(sql: string): T[] {
  const database = new Database(path.join(shell.place.profile, 'profile.db'), { readonly: true })
  try {
    return database.prepare<[], T>(sql).all()
  } finally {
    database.close()
  }
}

test('from the first start to an undone change', { timeout: 240_000 }, async () => {
  const { provider, place } = shell
  const page = await shell.context.newPage()

  // Start and demonstration, in the language chosen on the page.
  await page.goto(`http://127.0.0.1:${shell.port}/`)
  await page.getByTestId(testIds.welcome).waitFor()
  await page.getByTestId(testIds.welcomeLanguage).getByText('简体中文').click()
  await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe('zh-CN')
  await page.getByTestId(testIds.welcomeLanguage).getByText('English').click()
  await page.getByTestId(testIds.runDemo).click()
  await page.locator(`[data-testid="${testIds.turnEnded}"][data-reason="completed"]`).waitFor({ timeout: 60_000 })
  expect(await page.getByTestId(testIds.messageAssistant).last().innerText()).not.toBe('')
  expect((await provider.requests()).length).toBe(0)

  // A key, checked against the endpoint that was set.
  await page.getByTestId(testIds.settings).click()
  await page.locator('[data-provider="deepseek"]').getByTestId(testIds.providerAddress).click()
  await page.locator('[data-provider="deepseek"]').getByTestId(testIds.providerAddressInput).fill(provider.baseUrl)
  await page.locator('[data-provider="deepseek"]').getByTestId(testIds.providerAddressSave).click()
  await addKey(page)
  expect((await provider.requests()).at(-1)?.headers['authorization']).toBe(`Bearer ${KEY}`)

  // A folder, written with ~, and trust; nothing is in it before.
  await page.getByRole('button', { name: 'Back to sessions' }).click()
  await page.getByTestId(testIds.openFolder).first().click()
  await page.getByTestId(testIds.folderChoose).click()
  await page.getByTestId(testIds.folderChoose).waitFor()
  await page.getByTestId(testIds.folderPath).fill(`~/${path.basename(place.workspace)}`)
  await page.getByTestId(testIds.folderOpen).click()
  await page.getByTestId(testIds.trustDialog).waitFor()
  expect(await page.getByTestId(testIds.trustDialog).innerText()).toContain('AGENTS.md')
  expect([
    await exists(path.join(place.workspace, 'AGENTS.md')),
    profileRows(`SELECT * FROM trust WHERE path = '${place.workspace}'`),
  ]).toEqual([false, []])
  await page.getByTestId(testIds.trustAccept).click()
  await page.getByTestId(testIds.trustDialog).waitFor({ state: 'detached' })
  await expect.poll(() => exists(path.join(place.workspace, 'AGENTS.md'))).toBe(true)
  expect(profileRows(`SELECT path FROM trust WHERE path = '${place.workspace}'`)).toEqual([{ path: place.workspace }])

  // A question and an approval.
  await provider.script([
    {
      marker: 'write-the-note',
      answers: [
        { toolCalls: [{ name: 'write_file', args: { file_path: 'note.txt', content: 'written\n' } }] },
        { text: 'It is written.' },
        { tokens: 3000, tokensPerSecond: 100 },
        { tokens: 3000, tokensPerSecond: 100 },
        { text: 'finished after the restart' },
      ],
    },
  ])
  const sessionId = await startSession(page, 'write-the-note please')
  await page.getByTestId(testIds.approvalCard).waitFor({ timeout: 30_000 })
  expect(await exists(path.join(place.workspace, 'note.txt'))).toBe(false)
  await expect.poll(() => page.getByTestId(testIds.approvalAllowOnce).isEnabled()).toBe(true)
  await page.getByTestId(testIds.approvalAllowOnce).click()
  await stateOf(page, sessionId).toBe('done')
  expect(await readFile(path.join(place.workspace, 'note.txt'), 'utf8')).toBe('written\n')

  // Stop.
  await page.getByTestId(testIds.composerInput).fill('now a long answer')
  await page.getByTestId(testIds.composerInput).press('Enter')
  await expect.poll(() => page.getByTestId(testIds.messageAssistant).last().innerText(), { timeout: 30_000 }).toContain('w40')
  await page.getByTestId(testIds.stop).first().click()
  await stateOf(page, sessionId).toBe('stopped')

  // Restart in the middle of another answer: the key was for that run, which is said; nothing else steps in for it.
  // The stopped answer begins with the same words.
  const answered = await page.getByTestId(testIds.messageAssistant).count()
  await page.getByTestId(testIds.composerInput).fill('once more')
  await page.getByTestId(testIds.composerInput).press('Enter')
  await stateOf(page, sessionId).toBe('thinking')
  await expect
    .poll(() => page.getByTestId(testIds.messageAssistant).nth(answered).innerText({ timeout: 30_000 }), { timeout: 60_000 })
    .toMatch(/^w0 .* w20 /)
  await shell.killServer()
  await page.getByTestId(testIds.connectionLost).waitFor({ timeout: 20_000 })
  await shell.restartServer()
  await page.locator(`[data-testid="${testIds.banner}"][data-code="KEY_LOST"]`).waitFor({ timeout: 60_000 })
  await page.getByTestId(testIds.newSession).first().click()
  await expect.poll(() => page.getByTestId(testIds.modelPicker).getAttribute('aria-label')).toContain('deepseek/')
  await page.getByTestId(testIds.keyAdd).click()
  await addKey(page)
  await expect.poll(() => page.locator(`[data-testid="${testIds.banner}"][data-code="KEY_LOST"]`).count()).toBe(0)

  // Going on, then taking the change back.
  await page.getByRole('button', { name: 'Back to sessions' }).click()
  await rowOf(page, sessionId).click()
  await page.getByTestId(testIds.resume).last().click()
  await stateOf(page, sessionId).toBe('done')
  expect(await page.getByTestId(testIds.messageAssistant).last().innerText()).toContain('finished after the restart')
  await page.locator(`[data-testid="${testIds.inspectorTab}"][data-tab="changes"]`).click()
  await page.getByTestId(testIds.undoAll).click()
  await expect.poll(() => exists(path.join(place.workspace, 'note.txt')), { timeout: 20_000 }).toBe(false)

  // The key is in no file of the profile or the folder.
  const database = await readFile(path.join(place.profile, 'profile.db'))
  expect(database.includes(KEY)).toBe(false)
})
