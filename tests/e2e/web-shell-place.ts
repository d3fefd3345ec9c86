/** A web shell as people start it, a fake provider and a browser, for tests of the whole app. */
import path from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { eventually } from '../helpers/eventually.ts'
import { makeCliPlace, runCli, startCli, type CliPlace, type RunningCli } from '#tests/helpers/cli.ts'
import { launchChromium } from '#tests/helpers/chromium.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { testIds } from '#renderer/ui/test-ids.ts'

export interface WebShellPlace {
  readonly place: CliPlace
  readonly provider: FakeProvider
  readonly browser: Browser
  readonly context: BrowserContext
  readonly server: RunningCli
  readonly port: number
  /** A page of ours with the workspace open. */
  openPage(blank?: Page): Promise<Page>
  /** Ends the server hard and starts it again, on the same port or another one. */
  killServer(): Promise<void>
  restartServer(where?: 'elsewhere'): Promise<void>
  close(): Promise<void>
}

export interface WebShellOptions {
  readonly permission: 'ask' | 'full_access'
  /** Nothing is set up: no key, no address, no trust, no configuration. */
  readonly newcomer?: boolean
  /** Added to the server's environment. */
  readonly environment?: Record<string, string>
  /** Before the server starts: what lies in the folder already. */
  prepare?(place: CliPlace): Promise<void>
}

export async function openWebShell(options: WebShellOptions): Promise<WebShellPlace> {
  const provider = await startFakeProvider()
  const place = await makeCliPlace(
    options.newcomer === true
      ? {}
      : { DEEPSEEK_API_KEY: 'sk-test-0123456789', DEEPSEEK_BASE_URL: provider.baseUrl, ...options.environment },
  )
  for (const args of options.newcomer === true
    ? []
    : [
        ['trust', place.workspace],
        ['config', 'set', '--profile', 'security.permission', options.permission],
        ['config', 'set', '--profile', 'security.sandbox', 'off'],
        ['config', 'set', '--profile', 'llm.model', 'deepseek/deepseek-flash'],
      ]) {
    const { code, stderr } = await runCli(place, args)
    if (code !== 0) throw new Error(`metona ${args.join(' ')}: ${stderr}`)
  }
  await options.prepare?.(place)
  let server = await serve(place, 0)
  let port = 0
  const browser = await launchChromium()
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } })
  const logIn = async (): Promise<void> => {
    const url = firstLine(server)
    port = Number(new URL(url).port)
    const login = await context.newPage()
    await login.goto(url)
    await login.close()
  }
  await logIn()
  return {
    place,
    provider,
    browser,
    context,
    get server() {
      return server
    },
    get port() {
      return port
    },
    openPage: async (blank) => {
      const page = blank ?? (await context.newPage())
      await page.goto(`http://127.0.0.1:${port}/?open=${encodeURIComponent(place.workspace)}`)
      await page.getByTestId(testIds.sessionList).getByText(path.basename(place.workspace)).first().waitFor()
      return page
    },
    killServer: async () => {
      server.kill('SIGKILL')
      await server.done
    },
    restartServer: async (where) => {
      server = await serve(place, where === 'elsewhere' ? 0 : port)
      if (where === 'elsewhere') await logIn()
    },
    close: async () => {
      await browser.close()
      server.kill('SIGTERM')
      await server.done
      await provider.stop()
      await place.remove()
    },
  }
}

async function serve(place: CliPlace, port: number): Promise<RunningCli> {
  const running = await startCli(place, ['serve', '--no-open', '--port', String(port)], {
    deadlineMs: 300_000,
    environment: { METONA_BUILD: undefined },
  })
  await running.printed('\n')
  return running
}

function firstLine(running: RunningCli): string {
  return running.output.stdout.split('\n', 1)[0] ?? ''
}

/** Starts a session with `prompt` as its first message. @returns the session's id. */
export async function startSession(page: Page, prompt: string): Promise<string> {
  await page.getByTestId(testIds.newSession).first().click()
  const before = await page.getByTestId(testIds.sessionRow).evaluateAll((rows) => rows.map((row) => row.getAttribute('data-session')))
  await page.getByTestId(testIds.composerInput).fill(prompt)
  await page.getByTestId(testIds.composerInput).press('Enter')
  // Not the message itself: beside a long answer that came at once it may be far above the view, and off the page.
  return eventually('the new session to be shown', async () => {
    const shown = page.getByTestId(testIds.transcript)
    const sessionId = (await shown.count()) === 1 ? await shown.getAttribute('data-session') : null
    return sessionId === null || before.includes(sessionId) ? undefined : sessionId
  })
}

export function rowOf(page: Page, sessionId: string): ReturnType<Page['locator']> {
  return page.locator(`[data-testid="${testIds.sessionRow}"][data-session="${sessionId}"]`)
}
