/** What a person does in a conversation, in a real browser. */
// needs: chromium
import { testIds } from '#renderer/ui/test-ids.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { configEntries } from '../../e2e/screenshot-scenes.ts'
import { waitUntil } from '../helpers.ts'
import { openPage, useChromium, type OpenedPage, type OpenOptions } from './open-page.ts'

useChromium()

const A = 's_aaaaaaaaaa'
const B = 's_bbbbbbbbbb'
let host: ScriptedHost
let opened: OpenedPage

beforeEach(() => {
  host = new ScriptedHost()
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/w', openedAt: '', trusted: true }] }))
  host.answer('config.list', () => ({ entries: configEntries({ 'ui.language': 'en' }) }))
  host.addSession(A, '/w', { title: 'First' })
  host.addSession(B, '/w', { title: 'Second' })
})
afterEach(async () => {
  await opened.close()
})

async function open(options: OpenOptions = {}): Promise<void> {
  opened = await openPage(host, { address: `#/session/${A}`, ...options })
  await opened.at(testIds.transcript).waitFor()
}

const calls = (method: string): Record<string, unknown>[] =>
  host.calls.filter((call) => call.method === method).map((call) => call.params as Record<string, unknown>)
const startTurn = (sessionId = A): void =>
  host.emit(
    sessionId,
    { event: 'user_message', messageId: 'u1', content: 'go', turn: 1 },
    { event: 'iteration_start', iteration: 1, turn: 1 },
  )
const say = (delta: string, sessionId = A): void =>
  host.emit(sessionId, { delta: 'stream', messageId: 'a1', iteration: 1, event: { type: 'text_delta', delta } })
const ask = (toolCallId: string): void =>
  host.emit(A, {
    event: 'permission_request',
    iteration: 1,
    turn: 1,
    tool: 'run_command',
    toolCallId,
    argumentsHash: `h_${toolCallId}`,
    display: `git push ${toolCallId}`,
    risk: 'network',
    reason: 'leaves the machine',
    grantPrefix: 'git push',
  })
const input = () => opened.at(testIds.composerInput)
const row = (sessionId: string) => opened.page.locator(`[data-testid="${testIds.sessionRow}"][data-session="${sessionId}"]`)

test('a slip that looks like a command stays in the field with a sentence; sent once more it goes to the model', async () => {
  await open()
  await input().fill('/modle fast')
  await input().press('Enter')
  const note = opened.at(testIds.composerNote)
  await note.waitFor()
  expect(await note.innerText()).toContain('/modle is not a command here')
  expect([calls('session.prompt'), await input().inputValue()]).toEqual([[], '/modle fast'])
  await input().press('Enter')
  await waitUntil(() => expect(calls('session.prompt')).toMatchObject([{ sessionId: A, content: '/modle fast' }]))
  expect(await note.count()).toBe(0)
})

test('Enter sends, Shift+Enter starts a new line, and the sent text is gone from the field', async () => {
  await open()
  await input().fill('one')
  await input().press('Shift+Enter')
  await input().pressSequentially('two')
  await input().press('Enter')
  await waitUntil(() => expect(calls('session.prompt')).toMatchObject([{ sessionId: A, content: 'one\ntwo', whenBusy: 'queue' }]))
  expect(await input().inputValue()).toBe('')
})

test('Enter that belongs to an input method never sends', async () => {
  await open()
  await input().fill('拼音')
  await input().dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true })
  await input().dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })
  await input().press('Enter')
  await waitUntil(() => expect(calls('session.prompt')).toHaveLength(1))
  expect(calls('session.prompt')).toMatchObject([{ content: '拼音' }])
})

test('while it runs Enter queues and Mod+Enter steers; what is queued can be taken back', async () => {
  startTurn()
  await open()
  await input().fill('later')
  await input().press('Enter')
  await input().fill('now')
  await input().press('Control+Enter')
  await waitUntil(() =>
    expect(calls('session.prompt')).toMatchObject([
      { content: 'later', whenBusy: 'queue' },
      { content: 'now', whenBusy: 'steer' },
    ]),
  )
  await opened.at(testIds.queueItem).nth(1).waitFor()
  await opened.at(testIds.queueTakeBack).first().click()
  await waitUntil(async () => expect(await input().inputValue()).toBe('later'))
  await waitUntil(async () => expect(await opened.at(testIds.queueItem).count()).toBe(1))
})

test('each session keeps its own draft, over switching and over a reload', async () => {
  await open()
  await input().fill('for the first')
  await row(B).click()
  await opened.page.locator(`[data-testid="${testIds.transcript}"][data-session="${B}"]`).waitFor()
  expect(await input().inputValue()).toBe('')
  await input().fill('for the second')
  await row(A).click()
  await waitUntil(async () => expect(await input().inputValue()).toBe('for the first'))
  await waitUntil(() => expect(host.pageState.get(`draft:${B}`)).toBe('for the second'))
  await opened.page.reload()
  await waitUntil(async () => expect(await input().inputValue()).toBe('for the first'))
})

test('a message that could not be sent comes back with the reason', async () => {
  host.answer('session.prompt', () => {
    throw new AppError({ code: 'WORKER_LOST', message: 'gone' })
  })
  await open()
  await input().fill('precious')
  await input().press('Enter')
  await opened.page.locator('[data-code="WORKER_LOST"]').waitFor()
  expect(await input().inputValue()).toBe('precious')
})

test('the first message of a new session goes to that session even when another is chosen at once', async () => {
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  host.answer('session.create', async ({ workspace }) => {
    await held
    host.addSession('s_cccccccccc', workspace)
    return { sessionId: 's_cccccccccc' }
  })
  await open()
  await opened.at(testIds.newSession).click()
  await input().fill('for the new one')
  await input().press('Enter')
  await row(B).click()
  release()
  await waitUntil(() => expect(calls('session.prompt')).toMatchObject([{ sessionId: 's_cccccccccc', content: 'for the new one' }]))
  expect(await opened.at(testIds.transcript).getAttribute('data-session')).toBe(B)
})

test('streamed text appears while it streams, whole, and only in its session', async () => {
  startTurn()
  await open()
  for (const piece of ['Hel', 'lo **wor', 'ld**']) say(piece)
  say('other text', B)
  await waitUntil(async () => expect(await opened.at(testIds.messageAssistant).innerText()).toBe('Hello world'))
  expect(await opened.at(testIds.messageAssistant).getAttribute('data-status')).toBe('streaming')
})

test('someone who scrolled up is not moved by what streams in; going to the end holds on again', async () => {
  startTurn()
  say(`${Array.from({ length: 80 }, (_, index) => `line ${index}`).join('\n\n')}\n\n`)
  await open()
  const position = () =>
    opened
      .at(testIds.transcript)
      .evaluate((element) => ({ top: element.scrollTop, fromEnd: element.scrollHeight - element.scrollTop - element.clientHeight }))
  await waitUntil(async () => expect((await position()).fromEnd).toBeLessThan(3))
  await opened.page.mouse.move(640, 300)
  await opened.page.mouse.wheel(0, -600)
  await opened.at(testIds.toLatest).waitFor()
  const before = (await position()).top
  for (let index = 0; index < 20; index++) say(`more ${index}\n\n`)
  await opened.page.getByText('more 19').waitFor({ state: 'attached' })
  expect((await position()).top).toBe(before)
  await opened.at(testIds.toLatest).click()
  say('the end\n\n')
  await opened.page.getByText('the end').waitFor()
  await waitUntil(async () => expect((await position()).fromEnd).toBeLessThan(3))
})

test('live output of a tool is shown with its time, and Stop on the card stops this session alone', async () => {
  startTurn()
  startTurn(B)
  host.emit(
    A,
    { event: 'tool_call', iteration: 1, turn: 1, tool: 'run_command', args: { command: 'make' }, toolCallId: 'tc_1' },
    { delta: 'tool_output', toolCallId: 'tc_1', text: 'compiling…\n' },
  )
  await open()
  expect(await opened.at(testIds.toolOutput).innerText()).toContain('compiling…')
  host.emit(A, { delta: 'tool_output', toolCallId: 'tc_1', text: 'linking…\n' })
  await opened.page.getByText('linking…').waitFor()
  await opened.at(testIds.toolStop).click()
  await opened.page.locator(`[data-testid="${testIds.turnEnded}"][data-reason="aborted"]`).waitFor()
  expect(calls('session.stop')).toEqual([{ sessionId: A }])
})

test('Mod+. stops what is on screen', async () => {
  startTurn()
  await open()
  await opened.page.keyboard.press('Control+.')
  await opened.at(testIds.turnEnded).waitFor()
  expect(calls('session.stop')).toEqual([{ sessionId: A }])
})

test('an approval shows the whole command; its buttons sleep for half a second', async () => {
  startTurn()
  await open()
  // Pressed in the same moment in which the card comes: nothing may be sent.
  await opened.page.evaluate((id) => {
    const page = globalThis as unknown as {
      document: { querySelector(selector: string): { click(): void; disabled: boolean } | null; body: unknown }
      MutationObserver: new (run: () => void) => { observe(target: unknown, options: object): void }
      early?: boolean
    }
    new page.MutationObserver(() => {
      const button = page.document.querySelector(`[data-testid="${id}"]`)
      if (button === null || page.early !== undefined) return
      page.early = button.disabled
      button.click()
    }).observe(page.document.body, { childList: true, subtree: true })
  }, testIds.approvalAllowOnce)
  ask('tc_1')
  await opened.at(testIds.approvalCard).waitFor()
  expect(await opened.at(testIds.approvalCard).innerText()).toContain('git push tc_1')
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  expect([await opened.page.evaluate(() => (globalThis as unknown as { early: boolean }).early), calls('session.answer')]).toEqual([
    true,
    [],
  ])
  await opened.at(testIds.approvalAllowOnce).click()
  await waitUntil(() =>
    expect(calls('session.answer')).toMatchObject([{ toolCallId: 'tc_1', argumentsHash: 'h_tc_1', decision: 'allow', scope: 'once' }]),
  )
  await opened.at(testIds.approvalCard).waitFor({ state: 'detached' })
})

test('a held Enter does not approve; one pressed in the card does', async () => {
  startTurn()
  ask('tc_1')
  await open()
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  await opened.at(testIds.approvalCard).focus()
  await opened.at(testIds.approvalCard).dispatchEvent('keydown', { key: 'Enter', repeat: true, bubbles: true })
  expect(calls('session.answer')).toEqual([])
  await opened.page.keyboard.press('Enter')
  await waitUntil(() => expect(calls('session.answer')).toMatchObject([{ decision: 'allow', scope: 'once' }]))
})

test('D denies with a reason, all by keyboard', async () => {
  startTurn()
  ask('tc_1')
  await open()
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  await opened.at(testIds.approvalCard).focus()
  await opened.page.keyboard.press('d')
  await opened.page.keyboard.type('use the test branch')
  await opened.page.keyboard.press('Enter')
  await waitUntil(() => expect(calls('session.answer')).toMatchObject([{ decision: 'deny', reason: 'use the test branch' }]))
})

test('two questions of one running call, one after the other, are both answered on the page', async () => {
  const question = (text: string): void =>
    host.emit(A, {
      event: 'permission_request',
      iteration: 1,
      turn: 1,
      tool: 'mcp__server__ask',
      toolCallId: 'tc_1',
      argumentsHash: `h ${text}`,
      display: text,
      risk: 'execute',
      reason: 'question',
      question: { text },
    })
  startTurn()
  await open()
  for (const text of ['Which name?', 'Which colour?']) {
    question(text)
    await opened.page.getByText(text, { exact: true }).waitFor()
    await opened.at(testIds.questionText).fill(`to ${text}`)
    await opened.page.locator(`[data-testid="${testIds.questionSend}"]:enabled`).click()
    await opened.at(testIds.questionCard).waitFor({ state: 'detached' })
  }
  expect(calls('session.answer')).toMatchObject([
    { argumentsHash: 'h Which name?', answer: 'to Which name?' },
    { argumentsHash: 'h Which colour?', answer: 'to Which colour?' },
  ])
})

test('the changes of one session are never shown in another, however late they come', async () => {
  const late = Promise.withResolvers<void>()
  host.answer('session.changes', async ({ sessionId }) => {
    if (sessionId === A) await late.promise
    return { changes: [{ toolCallId: 'tc_1', turn: 1, at: 0, path: `of-${sessionId}.txt`, created: true }] }
  })
  await open()
  await opened.page.locator(`[data-testid="${testIds.inspectorTab}"][data-tab="changes"]`).click()
  await waitUntil(() => expect(calls('session.changes')).toEqual([{ sessionId: A }]))
  const paths = () =>
    opened
      .at(testIds.changes)
      .locator('[data-path]')
      .evaluateAll((rows) => rows.map((entry) => entry.getAttribute('data-path')))
  await row(B).click()
  await waitUntil(async () => expect(await paths()).toEqual([`of-${B}.txt`]))
  late.resolve()
  await new Promise(setImmediate)
  // Comes after the late answer, on the same way.
  host.emit(B, { event: 'session_updated', title: 'Later' })
  await opened.page.locator('header b').getByText('Later', { exact: true }).waitFor()
  expect(await paths()).toEqual([`of-${B}.txt`])
  await row(A).click()
  await waitUntil(async () => expect(await paths()).toEqual([`of-${A}.txt`]))
  const slow = Promise.withResolvers<void>()
  host.answer('session.changes', async () => {
    await slow.promise
    return { changes: [] }
  })
  await row(B).click()
  await waitUntil(() => expect(calls('session.changes').at(-1)).toEqual({ sessionId: B }))
  expect([await paths(), await opened.at(testIds.undoAll).count()]).toEqual([[], 0])
  slow.resolve()
})

test('letters whose small form is longer are found in their place', async () => {
  host.emit(A, { event: 'user_message', messageId: 'u1', content: 'İİx marks it', turn: 1 })
  await open()
  await opened.page.keyboard.press('Control+f')
  await opened.page.keyboard.type('x')
  await waitUntil(async () =>
    expect(
      await opened.page.evaluate(() => [...(CSS.highlights.get('metona-find-now') ?? [])].map((range) => (range as Range).startOffset)),
    ).toEqual([2]),
  )
  expect(await opened.faults()).toEqual([])
})

test('an approval that comes while someone types takes nothing from them', async () => {
  startTurn()
  await open()
  await input().focus()
  ask('tc_1')
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  await opened.page.keyboard.type('d still typing')
  expect([await input().inputValue(), calls('session.answer')]).toEqual(['d still typing', []])
})

test('answered elsewhere: the card goes away and the page says so', async () => {
  startTurn()
  ask('tc_1')
  await open()
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  host.answer('session.answer', () => {
    throw new AppError({ code: 'APPROVAL_GONE', message: 'already answered' })
  })
  await opened.at(testIds.approvalAllowOnce).click()
  await opened.at(testIds.toast).waitFor()
  expect(await opened.at(testIds.toast).innerText()).toContain('This was already answered.')
  host.emit(A, {
    event: 'permission',
    iteration: 1,
    turn: 1,
    tool: 'run_command',
    toolCallId: 'tc_1',
    decision: 'deny',
    by: 'user',
    reason: '',
  })
  await opened.at(testIds.approvalCard).waitFor({ state: 'detached' })
})

test('two questions are answered one by one, each with its own hash', async () => {
  startTurn()
  ask('tc_1')
  ask('tc_2')
  await open()
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).nth(1).waitFor()
  await opened.page.locator('[data-tool-call="tc_2"]').getByTestId(testIds.approvalAllowSession).click()
  await waitUntil(() => expect(calls('session.answer')).toMatchObject([{ toolCallId: 'tc_2', argumentsHash: 'h_tc_2', scope: 'session' }]))
  await opened.page.locator('[data-tool-call="tc_1"]').getByTestId(testIds.approvalAllowAlways).click()
  await waitUntil(() =>
    expect(calls('session.answer')).toMatchObject([
      { toolCallId: 'tc_2' },
      { toolCallId: 'tc_1', argumentsHash: 'h_tc_1', scope: 'always' },
    ]),
  )
})

test("a question of the model's is answered in words or by one of its options", async () => {
  startTurn()
  const question = (toolCallId: string): void =>
    host.emit(A, {
      event: 'permission_request',
      iteration: 1,
      turn: 1,
      tool: 'ask_user',
      toolCallId,
      argumentsHash: 'q',
      display: 'Which?',
      risk: 'session',
      reason: 'question',
      question: { text: 'Which database?', options: ['test', 'live'] },
    })
  question('tc_1')
  await open()
  await opened.page.locator(`[data-testid="${testIds.questionOption}"]:enabled`).first().waitFor()
  expect(await opened.at(testIds.questionCard).innerText()).toContain('Which database?')
  await opened.at(testIds.questionOption).first().click()
  await waitUntil(() => expect(calls('session.answer')).toMatchObject([{ toolCallId: 'tc_1', decision: 'allow', answer: 'test' }]))
  question('tc_2')
  const second = opened.page.locator('[data-tool-call="tc_2"]')
  await second.locator(`[data-testid="${testIds.questionSkip}"]:enabled`).waitFor()
  await second.getByTestId(testIds.questionText).fill('a copy of live')
  await second.getByTestId(testIds.questionText).press('Enter')
  await waitUntil(() =>
    expect(calls('session.answer')).toMatchObject([{}, { toolCallId: 'tc_2', decision: 'allow', answer: 'a copy of live' }]),
  )
})

test('only a tool says that its display is a diff: what looks like one is shown whole, every letter and line', async () => {
  startTurn()
  const letters = ['@@ -1 +1 @@', ...'wipe all', '+x', ...Array.from({ length: 500 }, () => ''), 'last'].join('\n')
  const show = (toolCallId: string, more: { diff?: true }): void =>
    host.emit(A, {
      event: 'permission_request',
      iteration: 1,
      turn: 1,
      tool: 'any',
      toolCallId,
      argumentsHash: 'h',
      display: letters,
      risk: 'network',
      reason: 'mode_ask',
      ...more,
    })
  show('tc_plain', {})
  show('tc_diff', { diff: true })
  await open()
  const display = (id: string) => opened.page.locator(`[data-tool-call="${id}"]`).getByRole('region')
  expect(await display('tc_plain').textContent()).toBe(letters)
  expect(await display('tc_diff').locator('[data-sign="add"]').count()).toBe(1)
})

test('a wider yes is offered only where it is bound to a prefix', async () => {
  startTurn()
  host.emit(A, {
    event: 'permission_request',
    iteration: 1,
    turn: 1,
    tool: 'write_file',
    toolCallId: 'tc_1',
    argumentsHash: 'h',
    display: 'New file a',
    risk: 'edit',
    reason: 'mode_ask',
  })
  await open()
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  expect([await opened.at(testIds.approvalAllowSession).count(), await opened.at(testIds.approvalAllowAlways).count()]).toEqual([0, 0])
  expect(await opened.at(testIds.approvalCard).innerText()).toContain('ask mode asks before this')
})

test('an interrupted turn can be resumed, a failed one retried, by the button beside it', async () => {
  startTurn()
  host.emit(A, { event: 'turn_end', turn: 1, reason: 'interrupted', iterations: 1, durationMs: 1 })
  await open()
  await opened.at(testIds.resume).click()
  await waitUntil(() => expect(calls('session.resume')).toEqual([{ sessionId: A }]))
  host.emit(
    A,
    { event: 'user_message', messageId: 'u2', content: 'again', turn: 2 },
    {
      event: 'turn_end',
      turn: 2,
      reason: 'failed',
      iterations: 1,
      durationMs: 1,
      error: { code: 'rate_limited', message: '429', provider: 'OpenAI', retryable: true },
    },
  )
  await opened.page.locator('[data-code="rate_limited"]').waitFor()
  await opened.at(testIds.retry).click()
  await waitUntil(() => expect(calls('session.retry')).toEqual([{ sessionId: A }]))
  expect(await opened.at(testIds.resume).count()).toBe(0)
})

test('model and mode are changed for this session', async () => {
  const model = (providerId: string, id: string) => ({
    id,
    providerId,
    displayName: id.toUpperCase(),
    contextWindow: 1000,
    maxOutput: 10,
    supportsStreaming: true,
    supportsThinking: false,
    supportsImages: false,
    supportsToolCalling: true,
    supportsStructuredOutput: false,
  })
  host.answer('models.list', () => ({
    models: [model('demo', 'scripted'), model('openai', 'big'), model('openai', 'small')],
    problems: [],
  }))
  await open()
  await opened.at(testIds.modelPicker).click()
  await opened.at(testIds.modelSearch).pressSequentially('sma')
  await waitUntil(async () => expect(await opened.at(testIds.modelOption).count()).toBe(1))
  await opened.page.keyboard.press('Enter')
  await waitUntil(() => expect(calls('session.update')).toEqual([{ sessionId: A, model: 'openai/small' }]))
  await opened.at(testIds.permissionPicker).click()
  await opened.page.locator('[data-mode="plan"]').click()
  await waitUntil(() =>
    expect(calls('session.update')).toEqual([
      { sessionId: A, model: 'openai/small' },
      { sessionId: A, permission: 'plan' },
    ]),
  )
})
