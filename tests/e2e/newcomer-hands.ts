/** Two ways to work the page: with a pointer, and with nothing but keys. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'

export interface Hands {
  press(target: Locator): Promise<void>
  /** Into a field that is empty, or whose text is to go. */
  write(target: Locator, text: string): Promise<void>
  /** One of a few choices side by side. */
  choose(group: Locator, label: string): Promise<void>
  goTo(page: Page, place: 'settings' | 'new' | 'sessions' | 'first approval'): Promise<void>
  openRow(row: Locator): Promise<void>
  openTab(tab: Locator): Promise<void>
  allowOnce(page: Page): Promise<void>
  stop(page: Page): Promise<void>
}

export const pointer: Hands = {
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
  choose: (group, label) => group.getByText(label).click(),
  async goTo(page, place) {
    if (place === 'settings') await page.getByTestId(testIds.settings).click()
    else if (place === 'sessions') await page.getByTestId(testIds.settingsBack).click()
    else if (place === 'new') await page.getByTestId(testIds.newSession).first().click()
  },
  openRow: (row) => row.click(),
  openTab: (tab) => tab.click(),
  async allowOnce(page) {
    await expect.poll(() => page.getByTestId(testIds.approvalAllowOnce).isEnabled()).toBe(true)
    await page.getByTestId(testIds.approvalAllowOnce).click()
  },
  stop: (page) => page.getByTestId(testIds.stop).first().click(),
}

/** Tab, arrows, Enter and the shortcuts of the shortcuts page. Fails where the focus is on nothing, or a thing cannot be come to. */
export const keys: Hands = {
  async press(target) {
    await tabTo(target)
    await target.page().keyboard.press('Enter')
  },
  async write(target, text) {
    await tabTo(target)
    await target.page().keyboard.press('Control+a')
    await target.page().keyboard.insertText(text)
  },
  async choose(group, label) {
    const option = group.getByText(label)
    if ((await option.getAttribute('data-state')) === 'checked') return
    await walkTo(option, group.locator('[role="radio"][data-state="checked"]'), ['ArrowRight', 'ArrowLeft'])
    await expect.poll(() => option.getAttribute('data-state')).toBe('checked')
  },
  async goTo(page, place) {
    await hasFocus(page)
    if (place === 'sessions') return keys.press(page.getByTestId(testIds.settingsBack))
    const shortcut = { settings: 'Control+,', new: 'Alt+n', 'first approval': 'Control+Shift+J' }[place]
    await page.keyboard.press(shortcut)
  },
  async openRow(row) {
    await walkTo(row, row.page().locator(`[data-testid="${testIds.sessionRow}"][tabindex="0"]`), ['ArrowDown', 'ArrowUp'])
    await row.page().keyboard.press('Enter')
  },
  async openTab(tab) {
    await walkTo(tab, tab.page().locator(`[data-testid="${testIds.inspectorTab}"][data-state="active"]`), ['ArrowRight', 'ArrowLeft'])
  },
  async allowOnce(page) {
    await expect.poll(() => page.getByTestId(testIds.approvalAllowOnce).isEnabled()).toBe(true)
    await expect.poll(() => isFocused(page.getByTestId(testIds.approvalCard))).toBe(true)
    await page.keyboard.press('Enter')
  },
  async stop(page) {
    await page.keyboard.press('Control+.')
  },
}

const isFocused = (target: Locator): Promise<boolean> => target.evaluate((element) => element === element.ownerDocument.activeElement)

/** Nobody who works by keys may be left on the bare page. */
async function hasFocus(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), { timeout: 5000 }).not.toBe('BODY')
}

/** Into a list by its one tab stop, then by arrows. */
async function walkTo(target: Locator, tabStop: Locator, arrows: readonly string[]): Promise<void> {
  await tabTo(tabStop)
  for (const arrow of arrows)
    for (let steps = 0; steps < 10; steps += 1) {
      if (await isFocused(target)) return
      await target.page().keyboard.press(arrow)
    }
  throw new Error(`no arrow comes to ${String(target)}`)
}

/** By Tab, either way round, whichever is shorter: at most forty stops away. */
async function tabTo(target: Locator): Promise<void> {
  const page = target.page()
  await target.waitFor()
  if (await isFocused(target)) return
  for (const key of ['Tab', 'Shift+Tab'])
    for (let stops = 0; stops < (key === 'Tab' ? 40 : 80); stops += 1) {
      await page.keyboard.press(key)
      if (await isFocused(target)) return
    }
  throw new Error(`nothing but a pointer comes to ${String(target)}`)
}
