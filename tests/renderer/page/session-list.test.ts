/** Thousands of sessions in the list, all within reach of the keyboard; and what a row says while it waits. */
// needs: chromium
import { expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { openPage, useChromium } from './open-page.ts'

useChromium()

const MANY = 5000

test('5,000 sessions: few are drawn, the last is one key away, and what changes shows', { timeout: 120_000 }, async () => {
  const host = new ScriptedHost()
  const time = Date.parse('2026-03-01T00:00:00Z')
  for (let index = 0; index < MANY; index += 1) {
    host.now = () => time - index * 60_000
    host.addSession(`s_${index}`, '/home/ada/refunds', { title: `Session ${index}` })
  }
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/home/ada/refunds', openedAt: '', trusted: true }] }))
  const opened = await openPage(host)
  try {
    const { page, at } = opened
    const focused = (): Promise<string | undefined> =>
      page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['session'])
    await at(testIds.sessionRow).first().waitFor()
    const drawn = await at(testIds.sessionRow).count()
    expect(drawn).toBeGreaterThan(10)
    expect(drawn).toBeLessThan(100)
    await at(testIds.sessionRow).first().focus()
    await page.keyboard.press('End')
    await expect.poll(focused).toBe(`s_${MANY - 1}`)
    await page.keyboard.press('ArrowUp')
    await expect.poll(focused).toBe(`s_${MANY - 2}`)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('[aria-current="true"]').getAttribute('data-session')).toBe(`s_${MANY - 2}`)
    await page.keyboard.press('Home')
    await expect.poll(focused).toBe('s_0')
    // The one that is open stays the one that Tab comes to, however far the list has been scrolled.
    expect(await page.locator(`[data-testid="${testIds.sessionRow}"][data-session="s_${MANY - 2}"][tabindex="0"]`).count()).toBe(1)
    host.emit('s_1', { event: 'session_updated', title: 'renamed elsewhere' })
    await page.getByText('renamed elsewhere').waitFor()
  } finally {
    await opened.close()
  }
})

test('a session that waits for quota says about how long, or how many are before it', { timeout: 60_000 }, async () => {
  const host = new ScriptedHost()
  host.addSession('s_a', '/w', { title: 'A' })
  host.addSession('s_b', '/w', { title: 'B' })
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/w', openedAt: '', trusted: true }] }))
  const now = new Date('2026-03-01T00:00:00Z')
  const opened = await openPage(host, { now })
  try {
    const row = (id: string) => opened.page.locator(`[data-testid="${testIds.sessionRow}"][data-session="${id}"]`)
    await row('s_a').waitFor()
    host.emit('s_a', { delta: 'quota', provider: 'deepseek', position: 0, untilMs: now.getTime() + 20_000, ended: false })
    host.emit('s_b', { delta: 'quota', provider: 'deepseek', position: 2, ended: false })
    await expect.poll(() => row('s_a').getAttribute('data-state')).toBe('quota')
    await expect.poll(() => row('s_a').innerText()).toContain('~20 s')
    await expect.poll(() => row('s_b').innerText()).toContain('2 ahead')
  } finally {
    await opened.close()
  }
})
