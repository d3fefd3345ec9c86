/** What a person left in the page is there after a restart, though the page then has another address. */
// needs: chromium
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { openWebShell, rowOf, startSession, type WebShellPlace } from './web-shell-place.ts'

let shell: WebShellPlace

beforeAll(async () => {
  shell = await openWebShell({ permission: 'full_access' })
}, 180_000)
afterAll(() => shell.close())

test('a draft, a picture beside it and the mark of what is unread outlast a restart on another port', { timeout: 180_000 }, async () => {
  await shell.provider.script([
    { marker: 'unread-one', answers: [{ tokens: 120, tokensPerSecond: 20 }] },
    { marker: 'draft-one', answers: [{ text: 'answered' }] },
  ])
  const page = await shell.openPage()
  const unread = await startSession(page, 'unread-one please')
  const drafted = await startSession(page, 'draft-one please')
  await page.getByTestId(testIds.composerInput).fill('half a thought')
  await page.setInputFiles('input[type="file"]', { name: 'plan.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') })
  await page.getByTestId(testIds.attachment).waitFor()
  // Elsewhere there is no picture, and here it is still.
  await rowOf(page, unread).click()
  await expect.poll(() => page.getByTestId(testIds.attachment).count()).toBe(0)
  await rowOf(page, drafted).click()
  await page.getByTestId(testIds.attachment).waitFor()
  await expect.poll(() => rowOf(page, unread).getAttribute('data-unread'), { timeout: 60_000 }).toBe('true')
  const before = shell.port
  await page.close()
  await shell.killServer()
  await shell.restartServer('elsewhere')
  expect(shell.port).not.toBe(before)

  const again = await shell.openPage()
  await expect.poll(() => rowOf(again, unread).getAttribute('data-unread'), { timeout: 30_000 }).toBe('true')
  await rowOf(again, drafted).click()
  await expect.poll(() => again.getByTestId(testIds.composerInput).inputValue(), { timeout: 20_000 }).toBe('half a thought')
  await expect.poll(() => again.getByTestId(testIds.attachment).textContent(), { timeout: 20_000 }).toContain('plan.png')
})
