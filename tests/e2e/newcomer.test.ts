/**
 * The first hour of somebody new, in a real browser with real workers: start, demonstration, a key against a fake endpoint,
 * a folder, trust, a question, an approval, Stop, a restart, going on, undo. What happened is read from the disk. In both
 * languages, with a pointer and without one.
 */
// needs: chromium
import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { afterEach, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { keys, pointer, type Hands } from './newcomer-hands.ts'
import { openWebShell, rowOf, type WebShellPlace } from './web-shell-place.ts'

const KEY = 'sk-newcomer-0123456789abcdef'
let shell: WebShellPlace

afterEach(() => shell.close())

const stateOf = (page: Page, sessionId: string) => expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 })
const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

async function addKey(page: Page, hands: Hands): Promise<void> {
  const row = page.locator('[data-provider="deepseek"]')
  await hands.press(row.getByTestId(testIds.providerEdit))
  await hands.write(row.getByTestId(testIds.providerKey), KEY)
  await hands.press(row.getByTestId(testIds.providerSave))
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

const ways = [
  { name: 'in English, with a pointer', language: 'en', hands: pointer },
  { name: '用中文，用指针', language: 'zh-CN', hands: pointer },
  { name: 'in English, by keys alone', language: 'en', hands: keys },
  { name: '用中文，只用键盘', language: 'zh-CN', hands: keys },
] as const

test.for(ways)('from the first start to an undone change, $name', { timeout: 240_000 }, async ({ language, hands }) => {
  shell = await openWebShell({ permission: 'ask', newcomer: true })
  const { provider, place } = shell
  const page = await shell.context.newPage()

  // Start and demonstration, in the language chosen on the page.
  await page.goto(`http://127.0.0.1:${shell.port}/`)
  await page.getByTestId(testIds.welcome).waitFor()
  for (const wanted of language === 'en' ? (['zh-CN', 'en'] as const) : (['zh-CN'] as const)) {
    await hands.choose(page.getByTestId(testIds.welcomeLanguage), wanted === 'en' ? 'English' : '简体中文')
    await expect.poll(() => page.evaluate(() => document.documentElement.lang)).toBe(wanted)
  }
  await hands.press(page.getByTestId(testIds.runDemo))
  await page.locator(`[data-testid="${testIds.turnEnded}"][data-reason="completed"]`).waitFor({ timeout: 60_000 })
  expect(await page.getByTestId(testIds.messageAssistant).last().innerText()).not.toBe('')
  expect((await provider.requests()).length).toBe(0)

  // A key, checked against the endpoint that was set.
  await hands.goTo(page, 'settings')
  const row = page.locator('[data-provider="deepseek"]')
  await hands.press(row.getByTestId(testIds.providerAddress))
  await hands.write(row.getByTestId(testIds.providerAddressInput), provider.baseUrl)
  await hands.press(row.getByTestId(testIds.providerAddressSave))
  await addKey(page, hands)
  expect((await provider.requests()).at(-1)?.headers['authorization']).toBe(`Bearer ${KEY}`)

  // A folder, written with ~, and trust; nothing is in it before.
  await hands.goTo(page, 'sessions')
  await hands.press(page.getByTestId(testIds.openFolder).first())
  await hands.press(page.getByTestId(testIds.folderChoose))
  await page.getByTestId(testIds.folderChoose).waitFor()
  await hands.write(page.getByTestId(testIds.folderPath), `~/${path.basename(place.workspace)}`)
  await hands.press(page.getByTestId(testIds.folderOpen))
  await page.getByTestId(testIds.trustDialog).waitFor()
  expect(await page.getByTestId(testIds.trustDialog).innerText()).toContain('AGENTS.md')
  expect([
    await exists(path.join(place.workspace, 'AGENTS.md')),
    profileRows(`SELECT * FROM trust WHERE path = '${place.workspace}'`),
  ]).toEqual([false, []])
  await hands.press(page.getByTestId(testIds.trustAccept))
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
  // The trusted folder is where one writes next.
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('data-testid'))).toBe(testIds.composerInput)
  const say = async (words: string): Promise<void> => {
    await hands.write(page.getByTestId(testIds.composerInput), words)
    await page.keyboard.press('Enter')
  }
  await say(language === 'en' ? 'write-the-note please' : '请执行 write-the-note，写一条便笺')
  await page.getByTestId(testIds.approvalCard).waitFor({ timeout: 30_000 })
  const sessionId = (await page.getByTestId(testIds.transcript).getAttribute('data-session')) ?? ''
  expect(await exists(path.join(place.workspace, 'note.txt'))).toBe(false)
  await hands.goTo(page, 'first approval')
  await hands.allowOnce(page)
  await stateOf(page, sessionId).toBe('done')
  expect(await readFile(path.join(place.workspace, 'note.txt'), 'utf8')).toBe('written\n')

  // Stop.
  await say('now a long answer')
  await expect.poll(() => page.getByTestId(testIds.messageAssistant).last().innerText(), { timeout: 30_000 }).toContain('w40')
  await hands.stop(page)
  await stateOf(page, sessionId).toBe('stopped')

  // Restart in the middle of another answer: the key was for that run, which is said; nothing else steps in for it.
  // The stopped answer begins with the same words.
  const answered = await page.getByTestId(testIds.messageAssistant).count()
  await say('once more')
  await stateOf(page, sessionId).toBe('thinking')
  await expect
    .poll(() => page.getByTestId(testIds.messageAssistant).nth(answered).innerText({ timeout: 30_000 }), { timeout: 60_000 })
    .toMatch(/^w0 .* w20 /)
  await shell.killServer()
  await page.getByTestId(testIds.connectionLost).waitFor({ timeout: 20_000 })
  await shell.restartServer()
  await page.locator(`[data-testid="${testIds.banner}"][data-code="KEY_LOST"]`).waitFor({ timeout: 60_000 })
  await hands.goTo(page, 'new')
  await expect.poll(() => page.getByTestId(testIds.modelPicker).getAttribute('aria-label')).toContain('deepseek/')
  await hands.press(page.getByTestId(testIds.keyAdd))
  await addKey(page, hands)
  await expect.poll(() => page.locator(`[data-testid="${testIds.banner}"][data-code="KEY_LOST"]`).count()).toBe(0)

  // Going on, then taking the change back.
  await hands.goTo(page, 'sessions')
  await hands.openRow(rowOf(page, sessionId))
  await hands.press(page.getByTestId(testIds.resume).last())
  await stateOf(page, sessionId).toBe('done')
  expect(await page.getByTestId(testIds.messageAssistant).last().innerText()).toContain('finished after the restart')
  await hands.openTab(page.locator(`[data-testid="${testIds.inspectorTab}"][data-tab="changes"]`))
  await hands.press(page.getByTestId(testIds.undoAll))
  await expect.poll(() => exists(path.join(place.workspace, 'note.txt')), { timeout: 20_000 }).toBe(false)

  // The key is in no file of the profile or the folder.
  const database = await readFile(path.join(place.profile, 'profile.db'))
  expect(database.includes(KEY)).toBe(false)
  // Whoever went this way by keys is still somewhere.
  if (hands === keys) await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
})
