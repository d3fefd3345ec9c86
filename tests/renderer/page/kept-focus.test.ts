/** Whoever works by keys is never left on the bare page: what had the focus goes away, and the focus goes to what is near. */
// needs: chromium
import { testIds } from '#renderer/ui/test-ids.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ScriptedHost } from '../../helpers/scripted-host.ts'
import { busyHost, NOW } from '../../e2e/screenshot-scenes.ts'
import { memoryHost } from '../../e2e/memory-scene.ts'
import { waitUntil } from '../helpers.ts'
import { openPage, useChromium, type OpenedPage } from './open-page.ts'

useChromium()

let host: ScriptedHost
let opened: OpenedPage
beforeEach(() => {
  host = busyHost({ language: 'en', theme: 'light' })
})
afterEach(() => opened.close())

async function open(address: string): Promise<void> {
  opened = await openPage(host, { address, now: NOW, viewport: { width: 1440, height: 900 } })
}
const press = (key: string): Promise<void> => opened.page.keyboard.press(key)
/** What has the focus: its test id, else its words. */
const focused = (): Promise<string> =>
  opened.page.evaluate(() => {
    const { activeElement } = document
    return (
      activeElement?.getAttribute('data-testid') ?? activeElement?.getAttribute('aria-label') ?? activeElement?.textContent?.trim() ?? ''
    )
  })
const comesTo = async (wanted: string): Promise<void> => {
  await waitUntil(async () => expect(await focused()).toBe(wanted))
}
const awake = async (): Promise<void> => opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).first().waitFor()

test('an answered question leads to the next one, the last one back to the conversation', async () => {
  const ask = (toolCallId: string): void =>
    host.emit('s_spike', {
      event: 'permission_request',
      iteration: 2,
      turn: 1,
      tool: 'run_command',
      toolCallId,
      argumentsHash: toolCallId,
      display: toolCallId,
      risk: 'network',
      reason: '',
    })
  ask('tc_second')
  await open('#/session/s_spike')
  await awake()
  await press('Control+Shift+J')
  await comesTo(testIds.approvalCard)
  await press('Enter')
  await waitUntil(async () => expect(await opened.at(testIds.approvalCard).count()).toBe(1))
  await comesTo(testIds.approvalCard)
  await awake()
  await press('Enter')
  await comesTo(testIds.transcript)
})

test('a form that opens has the focus in its first field; closed, the row it belongs to has it', async () => {
  host.answer('providers.setKey', () => ({ stored: 'this_run' }))
  await open('#/settings/providers')
  const row = opened.page.locator('[data-provider="anthropic"]')
  await row.getByTestId(testIds.providerEdit).focus()
  await press('Enter')
  await comesTo(testIds.providerKey)
  await opened.page.keyboard.type('sk-123456789')
  await press('Enter')
  await row.getByTestId(testIds.providerKey).waitFor({ state: 'detached' })
  await waitUntil(async () => expect(await row.evaluate((element) => element.contains(document.activeElement))).toBe(true))
  await row.getByTestId(testIds.providerAddress).focus()
  await press('Enter')
  await comesTo(testIds.providerAddressInput)
})

test('memory: the text that is edited has the focus, and before something is forgotten the harmless button', async () => {
  host = memoryHost({ language: 'en', theme: 'light' })
  await open('#/settings/memory')
  const row = opened.at(testIds.memoryRow).first()
  await row.getByTestId(testIds.memoryEdit).focus()
  await press('Enter')
  await comesTo(testIds.memoryText)
  await row.getByTestId(testIds.memoryForget).focus()
  await press('Enter')
  await comesTo('Cancel')
})

test('Stop hands the focus to the field, a page that is left to the one that comes', async () => {
  await open('#/session/s_tests')
  await opened.at(testIds.stop).focus()
  await press('Enter')
  await comesTo(testIds.composerInput)
  await press('Control+,')
  await opened.at(testIds.settingsNav).waitFor()
  await comesTo('Providers and keys')
  // Round the panes, and through the pages of the settings by arrows.
  await press('F6')
  await comesTo('Providers and keys')
  await press('ArrowDown')
  await comesTo('Models and prices')
  await press('Enter')
  await opened.at(testIds.modelRow).first().waitFor()
  await press('F6')
  await waitUntil(async () =>
    expect(await opened.page.evaluate(() => document.querySelector('main')?.contains(document.activeElement))).toBe(true),
  )
})

test('the first message of a new session leaves one where one writes, whatever stands above', async () => {
  host.banners = [{ id: 'b1', level: 'info', code: 'JOURNAL_MODE', message: '' }]
  host.answer('session.create', () => ({ sessionId: 's_guide' }))
  await open('#/new')
  await opened.at(testIds.composerInput).fill('hello')
  await press('Enter')
  await opened.page.locator(`[data-testid="${testIds.transcript}"][data-session="s_guide"]`).waitFor()
  await comesTo(testIds.composerInput)
})

test('a command typed to its last letter is meant, and its panel gives the focus back to the field', async () => {
  await open('#/session/s_sales')
  await opened.at(testIds.composerInput).pressSequentially('/mode')
  await opened.at(testIds.suggestion).first().waitFor()
  await press('Enter')
  await opened.at(testIds.permissionOption).first().waitFor()
  await press('Escape')
  await comesTo(testIds.composerInput)
  await opened.at(testIds.modelPicker).focus()
  await press('Enter')
  await comesTo(testIds.modelSearch)
  await press('Escape')
  await comesTo(testIds.modelPicker)
})

test('a dialog that the palette opened gives the focus back to where one wrote', async () => {
  await open('#/session/s_sales')
  await opened.at(testIds.composerInput).focus()
  await press('Control+k')
  await comesTo(testIds.paletteInput)
  await opened.page.keyboard.type('>open folder')
  await press('Enter')
  await comesTo(testIds.folderPath)
  await press('Escape')
  await comesTo(testIds.composerInput)
})

test('what a person leaves by a press elsewhere stays left', async () => {
  await open('#/session/s_sales')
  await opened.at(testIds.composerInput).focus()
  await opened.page
    .locator('header')
    .first()
    .click({ position: { x: 700, y: 5 } })
  await opened.page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve)))),
  )
  expect(await opened.page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
})

test('a command that is begun before the folder has opened is helped as soon as it has', async () => {
  const folder = Promise.withResolvers<void>()
  host.answer('workspace.recent', async () => {
    await folder.promise
    return { workspaces: [{ path: '/w', openedAt: '', trusted: true }] }
  })
  host.answer('files.find', () => ({ files: [{ path: 'notes.md', at: [] }], total: 1, complete: true }))
  await open('#/new')
  await opened.at(testIds.composerInput).pressSequentially('@no')
  folder.resolve()
  await waitUntil(async () => expect(await opened.at(testIds.suggestion).allInnerTexts()).toEqual(['notes.md']))
})
