/** The memory page of the real app: what a person does with what is remembered, and what is on the disk afterwards. */
// needs: chromium
import { appendFile, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { jsonLines, runCli } from '#tests/helpers/cli.ts'
import { openWebShell, type WebShellPlace } from './web-shell-place.ts'

let shell: WebShellPlace
let page: Page
const LINES = `# MEMORY.md

# 格式版本: 1.0
# 创建时间: 2026-11-01T10:00:00+08:00
# 最后更新: 2026-11-01T10:00:00+08:00
# 工作空间: /w

## 用户偏好

## 项目上下文

## 重要决策

## 待办事项

- [pending] 写更新说明

## 已知问题

`

beforeAll(async () => {
  shell = await openWebShell({
    permission: 'ask',
    prepare: ({ workspace }) => writeFile(path.join(workspace, 'MEMORY.md'), LINES),
  })
  page = await shell.openPage()
  await page.evaluate(() => (location.hash = '#/settings/memory'))
  await page.getByTestId(testIds.memoryDraft).waitFor()
}, 180_000)
afterAll(() => shell.close())

const rows = (): Locator => page.getByTestId(testIds.memoryRow)
const rowWith = (text: string): Locator => rows().filter({ hasText: text })
const kept = async (): Promise<Record<string, unknown>[]> =>
  jsonLines((await runCli(shell.place, ['memory', 'list', '--json', '-w', shell.place.workspace])).stdout)
const file = (): Promise<string> => readFile(path.join(shell.place.workspace, 'MEMORY.md'), 'utf8')

async function remember(text: string): Promise<void> {
  await page.getByTestId(testIds.memoryDraft).fill(text)
  await page.getByTestId(testIds.memoryAdd).click()
  await rowWith(text).waitFor()
}

test('what is added is found, corrected, pinned and forgotten, and every button says what it is about', { timeout: 120_000 }, async () => {
  await remember('Releases happen on Tuesdays')
  await remember('用React做前端')
  await page.getByTestId(testIds.memorySearch).fill('releases')
  await expect.poll(() => rows().count()).toBe(1)
  const row = rowWith('Releases')
  await row.getByRole('button', { name: 'Edit: Releases happen on Tuesdays' }).click()
  await page.getByTestId(testIds.memoryText).fill('Releases happen on Wednesdays')
  await page.getByTestId(testIds.memorySummary).fill('releases: Wednesday')
  await page.getByTestId(testIds.memorySave).click()
  await rowWith('Short form: releases: Wednesday').waitFor()
  await rowWith('Wednesdays').getByTestId(testIds.memoryPin).press('Enter')
  await expect.poll(() => rowWith('Wednesdays').getAttribute('data-pinned')).toBe('true')
  // The row moved up, and took the focus along.
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Unpin: Releases happen on Wednesdays')
  await page.getByTestId(testIds.memorySearch).fill('')
  await expect.poll(() => rows().count()).toBe(2)
  expect(await kept()).toMatchObject([
    { content: 'Releases happen on Wednesdays', summary: 'releases: Wednesday', pinned: true, importance: 0.5, source: 'user_input' },
    { content: '用React做前端', pinned: false },
  ])
  await rowWith('React').getByTestId(testIds.memoryWhy).click()
  await rowWith('It has not been put before a model yet.').waitFor()
  await rowWith('React').getByTestId(testIds.memoryForget).click()
  await rowWith('React').getByRole('button', { name: 'Forget for good: 用React做前端' }).click()
  await expect.poll(() => rows().count()).toBe(1)
  expect((await kept()).map(({ content }) => content)).toEqual(['Releases happen on Wednesdays'])
})

test('a text that is corrected takes its short form along, and its importance stays to the last digit', { timeout: 60_000 }, async () => {
  const row = rowWith('Wednesdays')
  await row.getByTestId(testIds.memoryEdit).click()
  await page.getByTestId(testIds.memoryText).fill('Releases happen on Fridays')
  await page.getByTestId(testIds.memorySave).click()
  await rowWith('Fridays').waitFor()
  expect(await rowWith('Short form').count()).toBe(0)
  const [item] = await kept()
  expect(item).toMatchObject({ content: 'Releases happen on Fridays', importance: 0.5, pinned: true })
  expect(item).not.toHaveProperty('summary')
})

test('what would be structure is refused with its reason, and stays in the field', { timeout: 60_000 }, async () => {
  await page.getByTestId(testIds.memoryDraft).fill('# Orders')
  await page.getByTestId(testIds.memoryAdd).click()
  const problem = page.getByTestId(testIds.problem)
  await problem.waitFor()
  expect(await problem.innerText()).toContain('A line of it is a heading or a rule')
  expect(await page.getByTestId(testIds.memoryDraft).inputValue()).toBe('# Orders')
})

test('a line of MEMORY.md is ticked off, changed and taken out, each time in the file', { timeout: 120_000 }, async () => {
  const line = (): Locator => page.getByTestId(testIds.memoryLine)
  await line().getByRole('button', { name: 'Done: 写更新说明' }).click()
  await expect.poll(file).toContain('- [done] 写更新说明')
  await line().getByTestId(testIds.memoryLineEdit).click()
  await page.getByTestId(testIds.memoryLineText).fill('写更新说明和迁移说明')
  await page.getByTestId(testIds.memoryLineText).press('Enter')
  await expect.poll(file).toContain('- [done] 写更新说明和迁移说明')
  await line().getByTestId(testIds.memoryLineForget).click()
  expect(await file()).toContain('写更新说明和迁移说明')
  await line().getByTestId(testIds.memoryLineForgetSure).click()
  await expect.poll(file).not.toContain('写更新说明')
  expect(await line().count()).toBe(0)
})

test('a pin that came with the folder is shown as none, the page says so, and Pin makes it one', { timeout: 120_000 }, async () => {
  const content = 'Deploys go out on Mondays'
  const log = path.join(shell.place.workspace, 'logs', 'workspace.jsonl')
  await shell.killServer()
  // As a pull leaves it.
  const seq = Math.max(...jsonLines(await readFile(log, 'utf8')).map((line) => Number(line['seq']))) + 1
  const item = {
    id: 'mem_pulled',
    type: 'semantic',
    source: 'user_input',
    importance: 0.5,
    content,
    pinned: true,
    createdAt: 1,
    updatedAt: 1,
  }
  await appendFile(log, `${JSON.stringify({ seq, ts: '2026-01-01T00:00:00.000Z', event: 'memory_set', item })}\n`)
  await shell.restartServer()
  await page.goto('about:blank')
  await shell.openPage(page)
  await page.evaluate(() => (location.hash = '#/settings/memory'))
  const row = rowWith(content)
  await row.waitFor()
  const told = row.getByTestId(testIds.memoryNote).getByText('This item came pinned with the folder')
  await told.waitFor()
  expect(await row.getAttribute('data-pinned')).not.toBe('true')
  await row.getByRole('button', { name: `Pin: ${content}` }).click()
  await expect.poll(() => row.getAttribute('data-pinned')).toBe('true')
  expect((await kept()).find(({ id }) => id === 'mem_pulled')).toMatchObject({ pinned: true })
  await told.waitFor({ state: 'detached' })
})

test('what was changed elsewhere meanwhile is not written over without a word', { timeout: 120_000 }, async () => {
  await remember('Tabs are four wide')
  const row = rowWith('Tabs are')
  await row.getByTestId(testIds.memoryEdit).click()
  await page.getByTestId(testIds.memoryText).fill('Tabs are two wide')
  const other = await shell.openPage()
  await other.evaluate(() => (location.hash = '#/settings/memory'))
  const there = other.getByTestId(testIds.memoryRow).filter({ hasText: 'Tabs are' })
  await there.getByTestId(testIds.memoryEdit).click()
  await other.getByTestId(testIds.memoryText).fill('Tabs are eight wide')
  await other.getByTestId(testIds.memorySave).click()
  await there.filter({ hasText: 'eight' }).waitFor()
  await page.getByTestId(testIds.memorySave).click()
  await expect.poll(() => page.getByTestId(testIds.problem).innerText(), { timeout: 10_000 }).toContain('It says now: Tabs are eight wide')
  expect(await page.getByTestId(testIds.memoryText).inputValue()).toBe('Tabs are two wide')
  await page.getByTestId(testIds.memorySave).click()
  await rowWith('Tabs are two wide').waitFor()
  expect((await kept()).map(({ content }) => content)).toContain('Tabs are two wide')
  await other.close()
})
