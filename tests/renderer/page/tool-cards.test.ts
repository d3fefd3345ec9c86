/** How results look by their kind, code in colours, and word of a question to somebody who looks elsewhere. */
// needs: chromium
import { testIds } from '#renderer/ui/test-ids.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configEntries } from '../../e2e/screenshot-scenes.ts'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { openPage, useChromium, type OpenedPage } from './open-page.ts'

useChromium()

const ID = 's_cardscards0'
let host: ScriptedHost
let opened: OpenedPage

beforeEach(() => {
  host = new ScriptedHost()
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/w', openedAt: '', trusted: true }] }))
  host.answer('config.list', () => ({ entries: configEntries({ 'ui.language': 'en' }) }))
  host.addSession(ID, '/w', { title: 'Cards' })
  host.emit(ID, { event: 'user_message', messageId: 'u1', content: 'go', turn: 1 })
})
afterEach(async () => {
  await opened.close()
})

function call(id: string, result: { display?: Record<string, unknown>; error?: string; result?: unknown; summary?: string }): void {
  host.emit(
    ID,
    { event: 'tool_call', iteration: 1, turn: 1, tool: 'some_tool', args: { path: id }, toolCallId: id },
    {
      event: 'tool_result',
      iteration: 1,
      turn: 1,
      tool: 'some_tool',
      success: result.error === undefined,
      durationMs: 5,
      toolCallId: id,
      outcome: result.error === undefined ? 'ok' : 'error',
      ...result,
      result: result.result ?? '',
    },
  )
}
const card = (id: string) => opened.page.locator(`[data-tool-call="${id}"]`)

test('a diff has two columns of numbers and marks what differs; a table its numbers on the right; a failure is said once', async () => {
  call('d', {
    display: { kind: 'diff', path: 'a.ts', diff: '--- a.ts\n+++ a.ts\n@@ -7,2 +7,2 @@\n same\n-const old = 1\n+const new = 1\n' },
  })
  call('t', {
    display: {
      kind: 'table',
      columns: [
        { name: 'shop', type: 'text' },
        { name: 'count', type: 'integer' },
      ],
      sample: [['Lund', 12]],
      rows: 900,
    },
  })
  call('f', { error: 'There is no file x.', summary: 'There is no file x.', result: { code: 'NOT_FOUND', message: 'There is no file x.' } })
  opened = await openPage(host, { address: `#/session/${ID}` })
  for (const id of ['d', 't', 'f']) await card(id).locator('button').first().click()
  const lines = await card('d').getByTestId(testIds.toolOutput).innerText()
  expect(lines.replace(/\s+/g, ' ')).toContain('7 7 same 8 − const old = 1 8 + const new = 1')
  expect(
    await card('t')
      .locator('td')
      .evaluateAll((cells) =>
        cells.map(
          (cell) => (globalThis as unknown as { getComputedStyle(node: unknown): { textAlign: string } }).getComputedStyle(cell).textAlign,
        ),
      ),
  ).toEqual(['start', 'right'])
  expect(await card('t').innerText()).toContain('1 of 900 rows')
  expect((await card('f').innerText()).split('There is no file x.').length - 1).toBe(1)
})

test('finished code is coloured by a worker, without a word of protest from the page', async () => {
  host.emit(ID, {
    event: 'llm_response',
    iteration: 1,
    turn: 1,
    content: '```ts\nconst answer = "yes" // so\n```\n\n```nonsense\nplain\n```',
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    requestId: 'r',
    provider: 'p',
    model: 'm',
    messageId: 'a1',
    durationMs: 1,
  })
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.page.locator('[data-coloured]').first().waitFor()
  const looks = await opened.page
    .locator('[data-coloured] span[class]:not([class="code-plain"])')
    .evaluateAll((runs) => runs.map((run) => `${run.getAttribute('class')}: ${run.textContent?.trim()}`))
  expect(looks).toEqual(['code-keyword: const', 'code-string: "yes"', 'code-comment: // so'])
  expect(await opened.page.locator('pre', { hasText: 'plain' }).getAttribute('data-coloured')).toBeNull()
  expect([await opened.faults(), opened.foreignRequests]).toEqual([[], []])
})

test('a question comes while nobody looks: the shell is asked to say so, once', async () => {
  host.answer('native.call', () => ({ value: null }))
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.at(testIds.transcript).waitFor()
  await opened.page.evaluate(() => {
    const { document } = globalThis as unknown as { document: { dispatchEvent(event: unknown): void } }
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  host.emit(ID, {
    event: 'permission_request',
    iteration: 1,
    turn: 1,
    tool: 'run_command',
    toolCallId: 'tc_q',
    argumentsHash: 'h',
    display: 'make',
    risk: 'execute',
    reason: 'mode',
  })
  const told = (): unknown[] => host.calls.filter((entry) => entry.method === 'native.call').map((entry) => entry.params)
  await expect
    .poll(told, { timeout: 20_000 })
    .toEqual([{ method: 'notify', params: { title: 'Metona needs you: Cards', body: 'wants to use run_command', sessionId: ID } }])
})

test('an answered question brings the next one under the finger: its buttons sleep again', async () => {
  for (const toolCallId of ['tc_1', 'tc_2'])
    host.emit(ID, {
      event: 'permission_request',
      iteration: 1,
      turn: 1,
      tool: 'run_command',
      toolCallId,
      argumentsHash: 'h',
      display: 'make',
      risk: 'execute',
      reason: 'mode',
    })
  opened = await openPage(host, { address: `#/session/${ID}` })
  const allow = (id: string) => card(id).getByTestId(testIds.approvalAllowOnce)
  await expect.poll(() => allow('tc_2').isEnabled(), { timeout: 20_000 }).toBe(true)
  await opened.page.evaluate(() => {
    const scope = globalThis as unknown as {
      slept: boolean
      document: { querySelector(selector: string): { disabled: boolean } | null; body: unknown }
      MutationObserver: new (run: () => void) => { observe(target: unknown, options: object): void }
    }
    scope.slept = false
    new scope.MutationObserver(() => {
      if (scope.document.querySelector('[data-tool-call="tc_2"] [data-testid="approval-allow-once"]')?.disabled) scope.slept = true
    }).observe(scope.document.body, { subtree: true, childList: true, attributes: true })
  })
  await allow('tc_1').click()
  await expect.poll(() => opened.page.evaluate(() => (globalThis as unknown as { slept: boolean }).slept), { timeout: 20_000 }).toBe(true)
  await expect.poll(() => allow('tc_2').isEnabled(), { timeout: 20_000 }).toBe(true)
})

test('what the sandbox refused is said, and a name is allowed in this folder with one click', async () => {
  const set: unknown[] = []
  host.answer('config.setDomain', (change) => {
    set.push(change)
    const { allowed: _allowed, ...domain } = change
    const entry = configEntries({ 'security.sandboxNetwork': [domain] }).find(({ key }) => key === 'security.sandboxNetwork')
    return { changed: true, entry }
  })
  call('n', {
    display: {
      kind: 'terminal',
      text: 'npm error 403',
      exitCode: 1,
      refused: [
        { host: 'registry.npmjs.org', port: 443, reason: 'domain' },
        { host: '10.0.0.1', port: 80, reason: 'name' },
        { host: 'inside.example', port: 443, reason: 'address' },
      ],
    },
  })
  opened = await openPage(host, { address: `#/session/${ID}` })
  await card('n').locator('button').first().click()
  const rows = card('n').getByTestId(testIds.refusedHost)
  expect(await rows.allInnerTexts()).toEqual([
    expect.stringMatching(/refused a connection to registry\.npmjs\.org\.\s+Allow registry\.npmjs\.org in this folder/),
    expect.stringMatching(/10\.0\.0\.1: only public host names can be allowed\.$/),
    expect.stringMatching(/inside\.example: the name leads to this machine or a private network\.$/),
  ])
  await card('n').getByTestId(testIds.allowHost).press('Enter')
  await rows.first().getByText('is allowed in this folder now').waitFor()
  expect(set).toEqual([{ domain: 'registry.npmjs.org', folder: '/w', allowed: true }])
  expect(await card('n').getByTestId(testIds.allowHost).count()).toBe(0)
})
