/**
 * What a person does in a conversation, in the whole app: real workers, real files, only the model is scripted. What came
 * of it is read from the folder, never from the page.
 */
// needs: chromium
import type { Page } from 'playwright-core'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { testIds } from '#renderer/ui/test-ids.ts'
import { chromiumMissing } from '#tests/helpers/chromium.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { proof } from '#tests/helpers/proof.ts'
import { openWebShell, rowOf, startSession, type WebShellPlace } from './web-shell-place.ts'

if (chromiumMissing !== undefined) console.log(chromiumMissing)
const suite = describe.skipIf(chromiumMissing !== undefined && process.env['CI'] !== 'true')

const FILES = proof(50_000, 5_000)
let shell: WebShellPlace

interface LogLine {
  readonly seq: number
  readonly event: string
  readonly [name: string]: unknown
}

/** The session's log as it is on disk. */
async function logOf(sessionId: string): Promise<LogLine[]> {
  const folder = path.join(shell.place.workspace, 'logs')
  const name = (await readdir(folder)).find((file) => file.startsWith(`session_${sessionId}_`))
  if (name === undefined) return []
  const text = await readFile(path.join(folder, name), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine)
}
const logged = (sessionId: string, event: string): Promise<LogLine> =>
  eventually(`${event} in the log`, async () => (await logOf(sessionId)).findLast((line) => line.event === event))
const done = (page: Page, sessionId: string): Promise<void> =>
  expect.poll(() => rowOf(page, sessionId).getAttribute('data-state'), { timeout: 30_000 }).toBe('done')
const inWorkspace = (...names: string[]): string => path.join(shell.place.workspace, ...names)
const contentOf = (...names: string[]): Promise<string | undefined> => readFile(inWorkspace(...names), 'utf8').catch(() => undefined)
const sent = async (page: Page, text: string): Promise<void> => {
  await page.getByTestId(testIds.composerInput).fill(text)
  await page.getByTestId(testIds.composerInput).press('Enter')
}

suite('a conversation', () => {
  beforeAll(async () => {
    shell = await openWebShell({
      permission: 'ask',
      prepare: async ({ workspace }) => {
        for (let folder = 0; folder < FILES / 500; folder += 1) {
          const place = path.join(workspace, 'src', `part-${folder}`)
          await mkdir(place, { recursive: true })
          await Promise.all(Array.from({ length: 500 }, (_, index) => writeFile(path.join(place, `module-${folder}-${index}.ts`), '')))
        }
        await writeFile(path.join(workspace, 'notes.md'), 'before\n')
      },
    })
  }, 240_000)
  afterAll(() => shell.close())
  afterEach(async () => {
    for (const page of shell.context.pages()) await page.close()
    await shell.provider.reset()
  })

  test(
    'a message said anew: the log keeps both, the model sees the new one only; a fork begins where it was asked to',
    { timeout: 90_000 },
    async () => {
      await shell.provider.script([
        { marker: 'wrong-words', answers: [{ text: 'answer to the wrong words' }] },
        { marker: 'right-words', answers: [{ text: 'answer to the right words' }] },
      ])
      const page = await shell.openPage()
      const sessionId = await startSession(page, 'wrong-words please')
      await done(page, sessionId)
      const message = page.getByTestId(testIds.messageUser).first()
      await message.hover()
      await message.getByTestId(testIds.edit).click()
      await message.getByTestId(testIds.editInput).fill('right-words please')
      await message.getByTestId(testIds.editSend).click()
      await page.getByText('answer to the right words').waitFor()
      await done(page, sessionId)
      const log = await logOf(sessionId)
      expect(log.filter((line) => line.event === 'user_message').map((line) => line['content'])).toEqual([
        'wrong-words please',
        'right-words please',
      ])
      expect(log.find((line) => line.event === 'rewind')?.['reason']).toBe('edit')
      const request = (await shell.provider.requests()).findLast((entry) => JSON.stringify(entry.body).includes('right-words'))
      expect(JSON.stringify(request?.body)).not.toContain('wrong-words')

      const answer = page.getByTestId(testIds.messageAssistant).last()
      await answer.hover()
      await answer.getByTestId(testIds.fork).click()
      await expect.poll(() => page.getByTestId(testIds.transcript).getAttribute('data-session'), { timeout: 20_000 }).not.toBe(sessionId)
      const forked = (await page.getByTestId(testIds.transcript).getAttribute('data-session')) ?? ''
      expect((await logged(forked, 'session_start'))['forkedFrom']).toMatchObject({ sessionId })
      expect((await logOf(forked)).some((line) => line.event === 'llm_response')).toBe(true)
    },
  )

  test('a file is named by a few letters among many, within 50 ms once they are known', { timeout: 120_000 }, async () => {
    await shell.provider.script([{ marker: 'part-7', answers: [{ text: 'seen' }] }])
    const page = await shell.openPage()
    await page.getByTestId(testIds.newSession).first().click()
    const input = page.getByTestId(testIds.composerInput)
    await input.fill('read @')
    await page.getByTestId(testIds.suggestion).first().waitFor({ timeout: 60_000 })
    await page.evaluate(watchSuggestions)
    await input.pressSequentially('mod7-42', { delay: 120 })
    const times = await page.evaluate(() => (globalThis as unknown as { suggestionTimes: number[] }).suggestionTimes)
    console.log(`${FILES} files, letter to list: ${times.map((time) => time.toFixed(0)).join(' ')} ms`)
    expect(times.length).toBeGreaterThan(3)
    if (proof(true, false)) expect(times.toSorted((left, right) => left - right)[Math.floor(times.length / 2)]).toBeLessThan(50)
    expect(await page.getByTestId(testIds.suggestion).first().innerText()).toBe('src/part-7/module-7-42.ts')
    await input.press('Enter')
    expect(await input.inputValue()).toBe('read @src/part-7/module-7-42.ts ')
    await input.press('Enter')
    await page.getByTestId(testIds.messageUser).first().waitFor()
    const sessionId = (await page.getByTestId(testIds.transcript).getAttribute('data-session')) ?? ''
    expect((await logged(sessionId, 'user_message'))['content']).toBe('read @src/part-7/module-7-42.ts')
  })

  test(
    'commands: a goal is kept, changed files are taken back, too short a conversation is not compacted',
    { timeout: 90_000 },
    async () => {
      await shell.provider.script([
        {
          marker: 'change-notes',
          answers: [
            { toolCalls: [{ name: 'read_file', args: { file_path: 'notes.md' } }] },
            { toolCalls: [{ name: 'edit_file', args: { file_path: 'notes.md', old_text: 'before', new_text: 'after' } }] },
            { text: 'changed' },
          ],
        },
      ])
      const page = await shell.openPage()
      const sessionId = await startSession(page, 'change-notes please')
      await page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).click({ timeout: 30_000 })
      await done(page, sessionId)
      expect(await contentOf('notes.md')).toBe('after\n')
      await sent(page, '/goal ship it')
      await expect.poll(async () => (await logged(sessionId, 'session_updated'))['taskGoal'], { timeout: 20_000 }).toBe('ship it')
      await sent(page, '/undo')
      await eventually('the file as it was', async () => (await contentOf('notes.md')) === 'before\n')
      expect((await logged(sessionId, 'notice'))['code']).toBe('changes_undone')
      await sent(page, '/compact')
      await page.locator(`[data-testid="${testIds.problem}"][data-code="NOTHING_TO_COMPACT"]`).waitFor({ timeout: 30_000 })
      expect((await logOf(sessionId)).some((line) => line.event === 'compaction')).toBe(false)
      await sent(page, '/clear')
      await expect.poll(() => page.getByTestId(testIds.transcript).getAttribute('data-session'), { timeout: 20_000 }).not.toBe(sessionId)
    },
  )

  test('a pasted picture goes with the message, a dropped file into the folder and by its path', { timeout: 60_000 }, async () => {
    await shell.provider.script([{ marker: 'take-these', answers: [{ text: 'taken' }] }])
    const page = await shell.openPage()
    await page.getByTestId(testIds.newSession).first().click()
    await page.getByTestId(testIds.composerInput).focus()
    await page.evaluate(bringAlong)
    await expect.poll(() => page.getByTestId(testIds.attachment).count()).toBe(2)
    await sent(page, 'take-these please')
    await page.getByTestId(testIds.messageUser).first().waitFor()
    const sessionId = (await page.getByTestId(testIds.transcript).getAttribute('data-session')) ?? ''
    const message = await logged(sessionId, 'user_message')
    expect(message['content']).toBe('take-these please\n@.metona/attachments/report.txt')
    expect(message['images']).toEqual([{ mediaType: 'image/png', data: Buffer.from('not really a picture').toString('base64') }])
    expect(await contentOf('.metona', 'attachments', 'report.txt')).toBe('report body')
  })

  test(
    'questions of two sessions in one queue: denied with a reason by keyboard, allowed, never by a key held too early',
    { timeout: 90_000 },
    async () => {
      const write = (name: string): object => ({ toolCalls: [{ name: 'write_file', args: { file_path: name, content: name } }] })
      await shell.provider.script([
        { marker: 'first-asks', answers: [write('first.txt'), { text: 'well' }] },
        { marker: 'second-asks', answers: [write('second.txt'), { text: 'well' }] },
      ] as Parameters<typeof shell.provider.script>[0])
      const page = await shell.openPage()
      const first = await startSession(page, 'first-asks please')
      await expect.poll(() => rowOf(page, first).getAttribute('data-state'), { timeout: 30_000 }).toBe('needs')
      const second = await startSession(page, 'second-asks please')
      await expect.poll(() => rowOf(page, second).getAttribute('data-state'), { timeout: 30_000 }).toBe('needs')
      await page.getByTestId(testIds.newSession).first().click()
      await page.getByTestId(testIds.approvalQueueOpen).click()
      const queue = page.getByTestId(testIds.approvalQueue)
      await queue.getByTestId(testIds.approvalCard).waitFor()
      await queue.locator(`[data-testid="${testIds.approvalDeny}"]:enabled`).waitFor()
      await queue.getByTestId(testIds.approvalCard).focus()
      await page.keyboard.press('d')
      await page.keyboard.type('not this one')
      await page.keyboard.press('Enter')
      await done(page, first)
      expect(await logged(first, 'permission')).toMatchObject({ decision: 'deny', by: 'user', reason: 'not this one' })
      expect(await contentOf('first.txt')).toBeUndefined()
      // The next card has come under the same keys: the Enter that is still on its way answers nothing.
      await queue.locator(`[data-testid="${testIds.approvalCard}"]`).waitFor()
      await queue.getByTestId(testIds.approvalCard).focus()
      await page.keyboard.down('Enter')
      await page.keyboard.down('Enter')
      await page.keyboard.up('Enter')
      expect((await logOf(second)).some((line) => line.event === 'permission')).toBe(false)
      await queue.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).click()
      await done(page, second)
      expect(await contentOf('second.txt')).toBe('second.txt')
    },
  )

  test('inspector: a change is taken back by itself, waterfalls are the trace files, lines are the log', { timeout: 90_000 }, async () => {
    await shell.provider.script([
      {
        marker: 'two-files',
        answers: [
          { toolCalls: [{ name: 'write_file', args: { file_path: 'one.txt', content: 'one' } }] },
          { toolCalls: [{ name: 'write_file', args: { file_path: 'two.txt', content: 'two' } }] },
          { text: 'both are there' },
        ],
      },
    ])
    const page = await shell.openPage()
    const sessionId = await startSession(page, 'two-files please')
    for (let count = 0; count < 2; count += 1) {
      await page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).click({ timeout: 30_000 })
      await expect
        .poll(async () => (await logOf(sessionId)).filter((line) => line.event === 'tool_result').length, { timeout: 30_000 })
        .toBe(count + 1)
    }
    await done(page, sessionId)
    const tab = (id: string) => page.locator(`[data-testid="${testIds.inspectorTab}"][data-tab="${id}"]`)
    await tab('changes').click()
    const changed = page.locator('[data-path="one.txt"]')
    await changed.getByTestId(testIds.undoCall).click()
    await eventually('the file to be gone', async () => (await contentOf('one.txt')) === undefined)
    expect(await contentOf('two.txt')).toBe('two')
    await page.getByTestId(testIds.undoAll).click()
    await eventually('the other one to be gone', async () => (await contentOf('two.txt')) === undefined)

    await tab('timing').click()
    const files = (await readdir(inWorkspace('traces'))).filter((name) => name.includes(`_${sessionId.slice(2)}_`)).sort()
    await expect
      .poll(async () =>
        (await page.locator('[data-trace]').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('data-trace')))).sort(),
      )
      .toEqual(files)
    expect(files.length).toBe(3)

    await tab('log').click()
    const lines = page.locator(`[data-testid="${testIds.log}"] [data-seq]`)
    const onDisk = await logOf(sessionId)
    await expect.poll(() => lines.count(), { timeout: 20_000 }).toBe(onDisk.length)
    await lines.first().locator('button').first().click()
    expect(JSON.parse(await lines.first().locator('code').innerText())).toEqual(onDisk[0])

    await tab('context').click()
    const usage = onDisk.findLast((line) => line.event === 'llm_response')?.['usage'] as { inputTokens: number }
    await page.getByTestId(testIds.contextTab).getByText(usage.inputTokens.toLocaleString('en'), { exact: true }).first().waitFor()
  })
})

/** Runs in the page: from each letter to the list it leads to. */
function watchSuggestions(): void {
  interface Field {
    addEventListener(type: string, run: () => void): void
    parentElement: unknown
  }
  const scope = globalThis as unknown as {
    suggestionTimes: number[]
    document: { querySelector(selector: string): Field | null }
    MutationObserver: new (run: () => void) => { observe(target: unknown, options: object): void }
  }
  scope.suggestionTimes = []
  let typedAt: number | undefined
  const field = scope.document.querySelector('[data-testid="composer-input"]')
  field?.addEventListener('input', () => {
    typedAt = performance.now()
  })
  new scope.MutationObserver(() => {
    if (typedAt === undefined || scope.document.querySelector('[data-testid="suggestion"]') === null) return
    scope.suggestionTimes.push(performance.now() - typedAt)
    typedAt = undefined
  }).observe(scope.document.querySelector('[data-testid="suggestions"]')?.parentElement, {
    childList: true,
    subtree: true,
    characterData: true,
  })
}

/** Runs in the page: a picture on the clipboard, a file dropped beside the field. */
function bringAlong(): void {
  interface Transfer {
    items: { add(file: unknown): void }
  }
  const scope = globalThis as unknown as {
    document: { activeElement: { dispatchEvent(event: unknown): void } | null; body: { dispatchEvent(event: unknown): void } }
    DataTransfer: new () => Transfer
    ClipboardEvent: new (type: string, options: object) => unknown
    DragEvent: new (type: string, options: object) => unknown
  }
  const paste = new scope.DataTransfer()
  paste.items.add(new File(['not really a picture'], 'shot.png', { type: 'image/png' }))
  scope.document.activeElement?.dispatchEvent(new scope.ClipboardEvent('paste', { clipboardData: paste, bubbles: true, cancelable: true }))
  const drop = new scope.DataTransfer()
  drop.items.add(new File(['report body'], 'report.txt', { type: 'text/plain' }))
  scope.document.body.dispatchEvent(new scope.DragEvent('drop', { dataTransfer: drop, bubbles: true, cancelable: true }))
}
