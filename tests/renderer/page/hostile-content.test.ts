/** Whatever a model, a tool or a file name says: no script, no request, no press that leaves the app unasked. Live and restored. */
// needs: chromium
import { AppError } from '#contracts/wire/app-error.ts'
import { testIds } from '#renderer/ui/test-ids.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { proof } from '../../helpers/proof.ts'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { waitUntil } from '../helpers.ts'
import { PAYLOADS as ALL, TRAP } from './hostile-payloads.ts'
import { openPage, useChromium, type OpenedPage } from './open-page.ts'

useChromium()

const ID = 's_hostile000'
/** Every one in the large tier, every third one else: the kinds stay, the forms thin out. */
const PAYLOADS = ALL.filter((_payload, index) => proof(true, index % 3 === 0))

let host: ScriptedHost
let opened: OpenedPage

beforeEach(() => {
  host = new ScriptedHost()
  const [first = ''] = PAYLOADS
  host.answer('session.changes', () => ({
    changes: PAYLOADS.map((path, at) => ({ toolCallId: `tc_${at}`, turn: 1, at, path, created: true })),
  }))
  host.answer('inspect.traces', () => ({
    traces: PAYLOADS.map((name, iteration) => ({
      file: name,
      turn: 1,
      iteration,
      startedAt: 0,
      endedAt: 10,
      spans: [{ name, kind: name, startedAt: 1, endedAt: 2, error: name }],
    })),
  }))
  host.answer('files.find', () => ({ files: PAYLOADS.slice(0, 100).map((path) => ({ path, at: [0, 1] })), total: 1, complete: true }))
  host.answer('history.edit', () => {
    throw new AppError({ code: 'MESSAGE_NOT_FOUND', message: first })
  })
  host.answer('workspace.recent', () => ({ workspaces: [{ path: '/w<img src=x onerror=window.hit=1>', openedAt: '', trusted: true }] }))
})
afterEach(async () => {
  await opened.close()
})

/** Each kind of view in its turn. */
function displayOf(payload: string, index: number): Record<string, unknown> {
  const kinds: readonly Record<string, unknown>[] = [
    { kind: 'diff', path: payload, diff: `@@ -1 +1 @@\n-${payload}\n+${payload} now` },
    { kind: 'terminal', text: payload, exitCode: 1 },
    { kind: 'table', columns: [{ name: payload, type: 'text' }], sample: [[payload], [1]], rows: 2 },
    { kind: 'list', entries: [payload] },
    { kind: 'todo', items: [{ text: payload, status: 'done' }] },
    { kind: payload, [payload]: payload },
  ]
  return kinds[index % kinds.length] ?? {}
}

/** Everywhere a foreign text can stand. */
function fill(payload: string, index: number): void {
  const turn = index + 1
  const tool = `tc_${index}`
  host.emit(
    ID,
    { event: 'user_message', messageId: `u${index}`, content: payload, turn },
    {
      event: 'llm_response',
      iteration: 1,
      turn,
      content: payload,
      finishReason: 'tool_calls',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      requestId: 'r',
      provider: 'p',
      model: payload,
      messageId: `a${index}`,
      durationMs: 1,
      thinking: { content: payload, status: 'complete', durationMs: 1, tokensUsed: 1 },
      toolCalls: [{ id: tool, name: 'run_command', args: { command: payload }, iteration: 1, timestamp: 0 }],
    },
    { event: 'tool_call', iteration: 1, turn, tool: 'run_command', args: { command: payload }, toolCallId: tool },
    {
      event: 'tool_result',
      iteration: 1,
      turn,
      tool: 'run_command',
      success: false,
      durationMs: 1,
      result: payload,
      toolCallId: tool,
      outcome: 'error',
      error: payload,
      summary: payload,
      display: displayOf(payload, index),
    },
    { event: 'notice', code: 'strange', message: payload, turn },
    {
      event: 'turn_end',
      turn,
      reason: 'failed',
      iterations: 1,
      durationMs: 1,
      error: { code: 'unknown', message: payload, provider: payload, retryable: false },
    },
  )
}

interface Harvest {
  readonly hit: unknown
  readonly faults: string[]
  readonly requests: string[]
  readonly wrongLinks: string[]
  readonly calls: string[]
}

/** Every row is brought onto the page, everything in it that can be opened is opened, and its links are read. */
async function harvest(): Promise<Harvest> {
  const links = await opened.page.evaluate(walkTranscript)
  return {
    hit: await opened.page.evaluate(() => (globalThis as unknown as { hit?: unknown }).hit ?? null),
    faults: await opened.faults(),
    requests: opened.foreignRequests,
    wrongLinks: links.filter((address) => !/^(?:https|mailto):/.test(address)),
    calls: host.calls.filter((call) => call.method === 'native.call').map((call) => JSON.stringify(call.params)),
  }
}

/** Runs in the page: from the top to the end as a wheel does it, opening everything. @returns addresses of links met. */
async function walkTranscript(): Promise<string[]> {
  interface Node {
    scrollTop: number
    readonly clientHeight: number
    dispatchEvent(event: unknown): boolean
    click(): void
    getAttribute(name: string): string | null
    querySelectorAll(selector: string): Iterable<Node>
  }
  const scope = globalThis as unknown as {
    document: { querySelector(selector: string): Node | null }
    requestAnimationFrame(run: () => void): void
    WheelEvent: new (type: string, options: { deltaY: number }) => unknown
  }
  const frames = async (count: number): Promise<void> => {
    for (let frame = 0; frame < count; frame += 1) await new Promise<void>((resolve) => scope.requestAnimationFrame(() => resolve()))
  }
  const region = scope.document.querySelector('[data-testid="transcript"]')
  if (region === null) throw new Error('no transcript')
  const links = new Set<string>()
  region.dispatchEvent(new scope.WheelEvent('wheel', { deltaY: -1 }))
  region.scrollTop = 0
  for (let before = -1; before !== region.scrollTop;) {
    await frames(3)
    for (const button of region.querySelectorAll('[data-testid="thinking"] > button, [data-testid="tool-card"] > div > button'))
      if (button.getAttribute('aria-expanded') === 'false') button.click()
    await frames(2)
    for (const link of region.querySelectorAll('a')) links.add(link.getAttribute('href') ?? '')
    before = region.scrollTop
    region.scrollTop = before + region.clientHeight / 2
  }
  return [...links]
}

/** Links are made of `https:` and `mailto:` only. */
const CLEAN = { hit: null, faults: [], requests: [], wrongLinks: [], calls: [] }

test('restored: no script, no request, no privileged call', { timeout: proof(400_000, 60_000) }, async () => {
  host.addSession(ID, '/w', { title: PAYLOADS[1] ?? '' })
  PAYLOADS.forEach(fill)
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.at(testIds.turnEnded).last().waitFor()
  expect(await harvest()).toEqual(CLEAN)
})

test('streamed letter by letter: no script, no request, no privileged call', async () => {
  host.addSession(ID, '/w', { title: 'live' })
  host.emit(
    ID,
    { event: 'user_message', messageId: 'u', content: 'go', turn: 1 },
    { event: 'iteration_start', iteration: 1, turn: 1 },
    { event: 'tool_call', iteration: 1, turn: 1, tool: 'run_command', args: {}, toolCallId: 'tc_live' },
  )
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.at(testIds.toolCard).waitFor()
  const text = PAYLOADS.join('\n\n')
  for (let index = 0; index < text.length; index += 3) {
    const delta = text.slice(index, index + 3)
    host.emit(
      ID,
      { delta: 'stream', messageId: 'a', iteration: 1, event: { type: 'text_delta', delta } },
      { delta: 'tool_output', toolCallId: 'tc_live', text: delta },
    )
  }
  host.emit(ID, {
    event: 'permission_request',
    iteration: 1,
    turn: 1,
    tool: 'run_command',
    toolCallId: 'tc_ask',
    argumentsHash: 'h',
    display: text,
    risk: '<img src=x onerror=window.hit=1>',
    reason: text,
    grantPrefix: '<b>x</b>',
  })
  await opened.page.locator(`[data-testid="${testIds.approvalAllowOnce}"]:enabled`).waitFor()
  expect(await harvest()).toEqual(CLEAN)
})

test('inspector, names of files and the queue of questions: no script, no request, no privileged call', { timeout: 120_000 }, async () => {
  host.addSession(ID, '/w', { title: PAYLOADS[3] ?? '' })
  PAYLOADS.slice(0, 12).forEach(fill)
  host.emit(
    ID,
    { event: 'user_message', messageId: 'u_last', content: 'go', turn: 900 },
    { event: 'iteration_start', iteration: 1, turn: 900 },
  )
  for (const [index, payload] of PAYLOADS.slice(0, 3).entries())
    host.emit(ID, {
      event: 'permission_request',
      iteration: 1,
      turn: 900,
      tool: payload,
      toolCallId: `tc_ask${index}`,
      argumentsHash: 'h',
      display: payload,
      risk: payload,
      reason: payload,
      grantPrefix: payload,
      ...(index === 2 ? { question: { text: payload, options: [payload] } } : {}),
    })
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.at(testIds.transcript).waitFor()
  for (const tab of ['overview', 'changes', 'timing', 'context', 'log']) {
    await opened.page.locator(`[data-testid="${testIds.inspectorTab}"][data-tab="${tab}"]`).click()
    const toggles = opened.page.locator(`[data-testid="${testIds.inspector}"] button[aria-expanded="false"]`)
    for (let count = 0; count < 6 && (await toggles.count()) > 0; count += 1) await toggles.first().click()
  }
  await opened.at(testIds.approvalQueueOpen).click()
  await opened.at(testIds.approvalQueue).waitFor()
  await opened.page.keyboard.press('Escape')
  await opened.at(testIds.composerInput).pressSequentially('@a')
  await opened.at(testIds.suggestion).first().waitFor()
  expect(await harvest()).toEqual(CLEAN)
})

test('control: the same texts as raw HTML do run and do fetch', async () => {
  host.addSession(ID, '/w')
  opened = await openPage(host, { address: `#/session/${ID}` })
  const bare = await opened.context.newPage()
  const asked: string[] = []
  bare.on('request', (request) => asked.push(request.url()))
  await bare.setContent(`<body>${ALL.join('\n')}</body>`, { waitUntil: 'domcontentloaded' })
  await waitUntil(async () => {
    const hit = await bare.evaluate(() => (globalThis as unknown as { hit?: unknown }).hit ?? null)
    expect({ ran: hit === 1, fetched: asked.some((url) => url.includes('trap.example')) }).toEqual({ ran: true, fetched: true })
  })
  console.log(`${ALL.length} texts`)
  expect(ALL.length).toBeGreaterThanOrEqual(200)
})

test('a link is opened by the shell when it is pressed, with the address that was shown', async () => {
  host.answer('native.call', () => ({ value: null }))
  host.addSession(ID, '/w')
  fill(`[words](${TRAP})`, 0)
  opened = await openPage(host, { address: `#/session/${ID}` })
  const link = opened.page.locator(`[data-testid="${testIds.messageAssistant}"] a`)
  expect(await link.getAttribute('title')).toBe(TRAP)
  await link.click()
  await expect
    .poll(() => host.calls.filter((call) => call.method === 'native.call').map((call) => call.params), { timeout: 20_000 })
    .toEqual([{ method: 'openExternal', params: { url: TRAP } }])
  expect([opened.foreignRequests, opened.context.pages().length]).toEqual([[], 1])
})

test('control: what got through would be seen', async () => {
  host.addSession(ID, '/w')
  opened = await openPage(host, { address: `#/session/${ID}` })
  await opened.at(testIds.transcript).waitFor()
  await opened.page.evaluate((trap) => {
    const { document } = globalThis as unknown as {
      document: { body: { append(child: unknown): void }; createElement(name: string): { src: string; innerHTML: string } }
    }
    const image = document.createElement('img')
    image.src = trap
    document.body.append(image)
    try {
      document.createElement('div').innerHTML = '<img src=x onerror="window.hit=1">'
    } catch {
      // Trusted Types: refused, and reported.
    }
  }, TRAP)
  await waitUntil(async () =>
    expect((await opened.faults()).map((fault) => fault.split(' ')[0]).sort()).toEqual(['img-src', 'require-trusted-types-for']),
  )
})
