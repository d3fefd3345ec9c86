/**
 * How the page keeps up: eight streams, a long conversation, a very long answer and output, and memory over time. Times are
 * printed always and judged in the large tier only, when nothing else runs; counts are judged always.
 */
// needs: chromium
import type { Browser, Page } from 'playwright-core'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { testIds } from '#renderer/ui/test-ids.ts'
import { busySeconds, quantile } from '#tests/bench/measure.ts'
import { chromiumMissing } from '#tests/helpers/chromium.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { proof } from '#tests/helpers/proof.ts'
import { openWebShell, rowOf, startSession, type WebShellPlace } from './web-shell-place.ts'

if (chromiumMissing !== undefined) console.log(chromiumMissing)
const suite = describe.skipIf(chromiumMissing !== undefined && process.env['CI'] !== 'true')

const largeTier = proof(true, false)
const SECONDS = proof(10, 4)
const MESSAGES = proof(10_000, 2_000)
const LONG_ANSWER = proof(2_000_000, 300_000)
const OUTPUT_LINES = 20_000
const SOAK_SECONDS = proof(60, 8)
const LONG_SESSION = 's_longlonglong0'

/** Cores that others keep busy are not ours to judge times on: looked at before each test, while the app rests. */
const QUIET_CORES = 0.4
const SAMPLE_MS = 700
let judged = false
let shell: WebShellPlace
let stamps: StampServer

suite('the page keeps up', () => {
  beforeAll(async () => {
    stamps = await startStampServer()
    shell = await openWebShell({
      permission: 'full_access',
      environment: { OPENAI_COMPATIBLE_API_KEY: 'sk-test-9876543210', OPENAI_COMPATIBLE_BASE_URL: stamps.baseUrl },
      prepare: ({ workspace }) => writeLongSession(workspace),
    })
  }, 300_000)
  beforeEach(async () => {
    const before = await busySeconds()
    await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
    const cores = ((await busySeconds()) - before) / (SAMPLE_MS / 1000)
    judged = largeTier && cores < QUIET_CORES
    console.log(`others use ${cores.toFixed(2)} cores: times are ${judged ? 'judged' : 'printed only'}`)
  })
  afterAll(async () => {
    await shell.close()
    stamps.server.close()
    stamps.server.closeAllConnections()
  })

  test(
    'a token at the socket is text in the page within two frames; eight streams leave frames and the core alone',
    { timeout: 240_000 },
    async () => {
      await shell.provider.script([
        { marker: 'background-', answers: [{ tokens: 100 * (SECONDS + 60), tokensPerSecond: 100 }], repeatLast: true },
      ])
      const page = await shell.context.newPage()
      const lists: number[] = []
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => String(payload).startsWith('{"type":"list"') && lists.push(performance.now())),
      )
      await shell.openPage(page)
      const background: string[] = []
      for (let index = 0; index < 7; index += 1) background.push(await startSession(page, `background-${index} please`))
      await page.getByTestId(testIds.newSession).first().click()
      await page.getByTestId(testIds.composerInput).fill('/model openai-compatible/stamps')
      await page.getByTestId(testIds.composerInput).press('Enter')
      await page.getByTestId(testIds.modelPicker).filter({ hasText: 'stamps' }).waitFor()
      const visible = await startSession(page, 'stamps please')
      await page.getByTestId(testIds.messageAssistant).last().waitFor({ timeout: 30_000 })
      // What it costs is measured while nothing watches the page, as with the bare page below.
      const cpu = await cpuShare(page)
      await page.evaluate(watchPage)
      const from = performance.now()
      const seen = await page.evaluate(collectAfter, SECONDS * 1000)
      const listsPerSecond = lists.filter((at) => at > from).length / ((performance.now() - from) / 1000)
      for (const sessionId of [visible, ...background]) {
        await rowOf(page, sessionId).click()
        await page.getByTestId(testIds.stop).first().click()
      }
      await page.close()
      const bare = await measureBarePage()
      const [p50, p99] = [quantile(seen.latencies, 0.5), quantile(seen.latencies, 0.99)]
      const gap = quantile(seen.gaps, 0.99)
      console.log(
        `token to text p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms (${seen.latencies.length}); frame gap p99 ${gap.toFixed(1)} ms (${seen.gaps.length}); tasks over 50 ms: ${seen.long.map((task) => task.toFixed(0)).join(' ') || 'none'}; page ${(cpu * 100).toFixed(0)} % of a core, bare page ${(bare * 100).toFixed(0)} %`,
      )
      expect(seen.latencies.length).toBeGreaterThan(50 * SECONDS)
      // Text that comes in changes no row of the list.
      expect(listsPerSecond).toBeLessThan(2)
      if (judged)
        expect({
          p50: p50 <= 35,
          p99: p99 <= 100,
          gap: gap <= 20,
          long: seen.long.length,
          ratio: cpu <= 2 * bare,
          core: cpu <= 0.55,
        }).toEqual({ p50: true, p99: true, gap: true, long: 0, ratio: true, core: true })
    },
  )

  test('a long conversation opens at once and scrolls smoothly, with few rows on the page', { timeout: 120_000 }, async () => {
    const page = await shell.openPage()
    await page.evaluate(watchPage)
    const row = rowOf(page, LONG_SESSION)
    await row.waitFor()
    const first = await page.evaluate(openSession, [LONG_SESSION, `a_long${MESSAGES / 2}`] as const)
    await page.getByTestId(testIds.newSession).first().click()
    const again = await page.evaluate(openSession, [LONG_SESSION, `a_long${MESSAGES / 2}`] as const)
    const scrolled = await page.evaluate(scrollThrough)
    console.log(
      `${MESSAGES} messages: open ${first.toFixed(0)} ms, again ${again.toFixed(0)} ms; scroll ${scrolled.fps.toFixed(0)} frames a second, p99 gap ${quantile(scrolled.gaps, 0.99).toFixed(1)} ms, most rows ${scrolled.rows}`,
    )
    expect(scrolled.rows).toBeLessThan(150)
    if (judged) expect({ open: first <= 500, smooth: scrolled.fps >= 50 }).toEqual({ open: true, smooth: true })
    await page.close()
  })

  test('typing stays quick beside a very long answer and beside a tool that prints without end', { timeout: 240_000 }, async () => {
    const paragraph = `${'Some words of an answer with **emphasis** and `code`. '.repeat(12)}\n\n`
    const command = `seq -f 'line %.0f of a long output' ${OUTPUT_LINES}; sleep 3`
    await shell.provider.script([
      { marker: 'long-answer', answers: [{ text: paragraph.repeat(Math.ceil(LONG_ANSWER / paragraph.length)) }] },
      { marker: 'long-output', answers: [{ toolCalls: [{ name: 'run_command', args: { command } }] }, { text: 'printed' }] },
    ])
    const page = await shell.openPage()
    const answer = await startSession(page, 'long-answer please')
    const besideAnswer = await typeAndMeasure(page)
    await expect.poll(() => rowOf(page, answer).getAttribute('data-state'), { timeout: 120_000 }).toBe('done')
    const afterAnswer = await typeAndMeasure(page)
    const rows = await page.locator('[data-row]').count()
    const output = await startSession(page, 'long-output please')
    const besideOutput = await typeAndMeasure(page)
    await expect.poll(() => rowOf(page, output).getAttribute('data-state'), { timeout: 60_000 }).toBe('done')
    const all = { besideAnswer, afterAnswer, besideOutput }
    console.log(
      `typing p95: ${Object.entries(all)
        .map(([name, times]) => `${name} ${quantile(times, 0.95).toFixed(1)} ms (${times.length})`)
        .join(', ')}; ${rows} rows for ${LONG_ANSWER} characters`,
    )
    expect(rows).toBeLessThan(60)
    if (judged) for (const times of Object.values(all)) expect(quantile(times, 0.95)).toBeLessThanOrEqual(50)
    await page.close()
  })

  test('memory does not climb while sessions stream and are switched', { timeout: 180_000 }, async () => {
    await shell.provider.script([
      { marker: 'soak-', answers: [{ tokens: 100 * (SOAK_SECONDS + 30), tokensPerSecond: 100 }], repeatLast: true },
    ])
    const page = await shell.openPage()
    const sessions = [await startSession(page, 'soak-one please'), await startSession(page, 'soak-two please')]
    const devtools = await page.context().newCDPSession(page)
    const samples: { at: number; mib: number }[] = []
    const start = performance.now()
    for (let step = 0; performance.now() - start < SOAK_SECONDS * 1000; step += 1) {
      await rowOf(page, sessions[step % 2] ?? '').click()
      await page.evaluate((wait) => new Promise((resolve) => setTimeout(resolve, wait)), SOAK_SECONDS * 50)
      await devtools.send('HeapProfiler.collectGarbage')
      const { usedSize } = await devtools.send('Runtime.getHeapUsage')
      samples.push({ at: (performance.now() - start) / 60_000, mib: usedSize / 2 ** 20 })
    }
    expect(samples.length).toBeGreaterThan(2)
    const steady = samples.slice(Math.floor(samples.length / 4))
    console.log(
      `${SOAK_SECONDS} s: slope ${slope(steady).toFixed(2)} MiB a minute, ${samples[0]?.mib.toFixed(1)} to ${samples.at(-1)?.mib.toFixed(1)} MiB`,
    )
    if (judged) expect(slope(steady)).toBeLessThan(1)
    await page.close()
  })
})

/** Least squares. */
function slope(samples: readonly { at: number; mib: number }[]): number {
  const mean = (pick: (sample: { at: number; mib: number }) => number): number =>
    samples.reduce((sum, sample) => sum + pick(sample), 0) / samples.length
  const [x, y] = [mean((sample) => sample.at), mean((sample) => sample.mib)]
  const over = samples.reduce((sum, sample) => sum + (sample.at - x) * (sample.mib - y), 0)
  return over / samples.reduce((sum, sample) => sum + (sample.at - x) ** 2, 0)
}

/** CPU seconds of all page processes of the browser; one page is open at a time. */
async function rendererSeconds(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  await devtools.detach()
  return processInfo.filter((found) => found.type === 'renderer').reduce((sum, found) => sum + found.cpuTime, 0)
}

/** @returns share of a core that the page needs. */
async function cpuShare(page: Page): Promise<number> {
  const before = await rendererSeconds(shell.browser)
  await page.evaluate((wait) => new Promise((resolve) => setTimeout(resolve, wait)), SECONDS * 1000)
  return ((await rendererSeconds(shell.browser)) - before) / SECONDS
}

interface StampServer {
  readonly server: Server
  readonly baseUrl: string
}

/** A provider whose every token is the moment it was written to the socket. */
async function startStampServer(): Promise<StampServer> {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/models') === true)
      return void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ object: 'list', data: [{ id: 'stamps', object: 'model' }] }))
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: object): void =>
      void response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'stamps', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
      )
    let count = 0
    const timer = setInterval(() => {
      count += 1
      chunk({ content: `t${(performance.timeOrigin + performance.now()).toFixed(1)} ${count % 60 === 0 ? '\n\n' : ''}` })
    }, 10)
    response.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

/** The floor: a page of one script that appends the same text as it comes, once a frame. @returns share of a core. */
async function measureBarePage(): Promise<number> {
  const html = `<!doctype html><pre id="text" style="white-space:pre-wrap"></pre><script>
    let waiting = ''
    new WebSocket('ws://' + location.host).onmessage = (event) => { waiting += JSON.parse(event.data).text }
    const step = () => { if (waiting) { text.append(waiting); waiting = ''; scrollTo(0, document.body.scrollHeight) } requestAnimationFrame(step) }
    requestAnimationFrame(step)</script>`
  const server = createServer((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html))
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    const timer = setInterval(
      () => socket.send(JSON.stringify({ text: `t${(performance.timeOrigin + performance.now()).toFixed(1)} ` })),
      10,
    )
    socket.on('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const page = await shell.context.newPage()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    await page.waitForFunction(
      () => (globalThis as unknown as { document: { body: { innerText: string } } }).document.body.innerText.length > 500,
    )
    const used = await cpuShare(page)
    await page.close()
    return used
  } finally {
    for (const client of sockets.clients) client.terminate()
    server.close()
  }
}

/** As a log that was brought from elsewhere: the app takes it in when the folder is opened. */
async function writeLongSession(workspace: string): Promise<void> {
  const lines: string[] = []
  const base = Date.UTC(2026, 0, 1)
  const add = (event: string, fields: object, tail: object = {}): void => {
    const seq = lines.length
    lines.push(
      JSON.stringify({
        seq,
        ts: new Date(base + seq * 1000).toISOString(),
        event,
        sessionId: LONG_SESSION,
        ...fields,
        ...tail,
        eventId: `e_long${String(seq).padStart(10, '0')}`,
      }),
    )
  }
  add('session_start', {
    workspace,
    title: 'A long conversation',
    model: 'deepseek/deepseek-flash',
    permission: 'ask',
    sandbox: 'off',
    agentVersion: '0.1.0',
  })
  for (let turn = 1; turn <= MESSAGES / 2; turn += 1) {
    add('user_message', { messageId: `m_long${turn}`, content: `Question ${turn}: how does part ${turn} of this work?` }, { turn })
    add(
      'llm_response',
      {
        iteration: 1,
        content: `Part **${turn}** works like this:\n\n- first it reads \`input-${turn}\`\n- then it writes the *result*\n\n${'It goes on for a while. '.repeat(turn % 7)}${turn % 10 === 0 ? `\n\n\`\`\`ts\nexport const part${turn} = ${turn}\n\`\`\`` : ''}`,
        finishReason: 'stop',
        usage: { inputTokens: 10, outputTokens: 10, totalTokens: 20 },
        requestId: `r_long${turn}`,
        provider: 'deepseek',
        model: 'deepseek-flash',
        messageId: `a_long${turn}`,
        durationMs: 10,
      },
      { turn },
    )
    add('turn_end', { reason: 'completed', iterations: 1, durationMs: 10 }, { turn })
  }
  await mkdir(path.join(workspace, 'logs'), { recursive: true })
  await writeFile(path.join(workspace, 'logs', `session_${LONG_SESSION}_20260101T000000Z.jsonl`), `${lines.join('\n')}\n`)
}

/** From a key press to the frame that shows the letter. */
async function typeAndMeasure(page: Page): Promise<number[]> {
  const input = page.getByTestId(testIds.composerInput)
  await input.fill('')
  await page.evaluate(watchTyping)
  await input.pressSequentially('typed while everything else goes on', { delay: 40 })
  const typed = 'typed while everything else goes on'.length
  return eventually('every letter to be measured', async () => {
    const times = await page.evaluate(() => (globalThis as unknown as { typing: number[] }).typing)
    return times.length >= typed ? times : undefined
  })
}

interface PageScope {
  readonly document: {
    querySelector(selector: string): PageNode | null
    querySelectorAll(selector: string): { readonly length: number }
  }
  requestAnimationFrame(run: (at: number) => void): void
  readonly MutationObserver: new (run: () => void) => { observe(target: unknown, options: object): void }
  watched: { latencies: number[]; gaps: number[]; long: number[] }
  typing: number[] | undefined
}
interface PageNode {
  readonly textContent: string | null
  readonly clientHeight: number
  readonly scrollHeight: number
  scrollTop: number
  click(): void
  addEventListener(type: string, run: () => void, options?: object): void
  dispatchEvent(event: unknown): void
}

/** Runs in the page: frames, long tasks and stamps from now on. */
function watchPage(): void {
  const scope = globalThis as unknown as PageScope
  const watched = { latencies: [] as number[], gaps: [] as number[], long: [] as number[] }
  scope.watched = watched
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) watched.long.push(entry.duration)
  }).observe({ entryTypes: ['longtask'] })
  let last: number | undefined
  const step = (at: number): void => {
    if (last !== undefined) watched.gaps.push(at - last)
    last = at
    scope.requestAnimationFrame(step)
  }
  scope.requestAnimationFrame(step)
  let latest = performance.timeOrigin + performance.now()
  new scope.MutationObserver(() => {
    const now = performance.timeOrigin + performance.now()
    const text = scope.document.querySelector('[data-status="streaming"] .md')?.textContent ?? ''
    for (const [, stamp] of text.slice(-800).matchAll(/t(\d{13}\.\d) /g)) {
      if (Number(stamp) <= latest) continue
      latest = Number(stamp)
      watched.latencies.push(now - latest)
    }
  }).observe(scope.document.querySelector('[data-testid="transcript"]') ?? scope.document, {
    childList: true,
    subtree: true,
    characterData: true,
  })
}

/** Runs in the page. @returns what was seen within so many milliseconds. */
async function collectAfter(milliseconds: number): Promise<PageScope['watched']> {
  const scope = globalThis as unknown as PageScope
  scope.watched.gaps.length = 0
  scope.watched.long.length = 0
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  return { latencies: [...scope.watched.latencies], gaps: [...scope.watched.gaps], long: [...scope.watched.long] }
}

/** Runs in the page. @returns milliseconds from the press to the last message on screen. */
async function openSession([sessionId, last]: readonly [string, string]): Promise<number> {
  const scope = globalThis as unknown as PageScope
  const row = scope.document.querySelector(`[data-testid="session-row"][data-session="${sessionId}"]`)
  const startedAt = performance.now()
  row?.click()
  for (;;) {
    const region = scope.document.querySelector(`[data-testid="transcript"][data-session="${sessionId}"]`)
    const atEnd = region !== null && region.scrollHeight - region.scrollTop - region.clientHeight < 40
    if (atEnd && scope.document.querySelector(`[data-message="${last}"]`) !== null) return performance.now() - startedAt
    if (performance.now() - startedAt > 30_000) throw new Error('the session did not open')
    await new Promise<void>((resolve) => scope.requestAnimationFrame(() => resolve()))
  }
}

/** Runs in the page: up through the conversation, a third of a screen a frame. */
async function scrollThrough(): Promise<{ fps: number; gaps: number[]; rows: number }> {
  const scope = globalThis as unknown as PageScope & { WheelEvent: new (type: string, options: object) => unknown }
  const region = scope.document.querySelector('[data-testid="transcript"]')
  if (region === null) throw new Error('no transcript')
  region.dispatchEvent(new scope.WheelEvent('wheel', { deltaY: -1 }))
  const gaps: number[] = []
  let rows = 0
  let last = performance.now()
  const startedAt = last
  for (let frame = 0; frame < 180; frame += 1) {
    region.scrollTop -= region.clientHeight / 3
    await new Promise<void>((resolve) => scope.requestAnimationFrame(() => resolve()))
    const now = performance.now()
    gaps.push(now - last)
    last = now
    rows = Math.max(rows, scope.document.querySelectorAll('[data-row]').length)
  }
  return { fps: (gaps.length * 1000) / (last - startedAt), gaps, rows }
}

/** Runs in the page: from each key to the frame after it. */
function watchTyping(): void {
  const scope = globalThis as unknown as PageScope
  const before = scope.typing
  scope.typing = []
  if (before !== undefined) return
  const window = globalThis as unknown as { addEventListener(type: string, run: () => void, capture: boolean): void }
  const onKey = (): void => {
    const pressedAt = performance.now()
    scope.requestAnimationFrame(() => setTimeout(() => scope.typing?.push(performance.now() - pressedAt), 0))
  }
  window.addEventListener('keydown', onKey, true)
}
