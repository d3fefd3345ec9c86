/** The built page in a real Chromium, its host scripted. What it must never do is recorded from its first moment. */
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { buildRenderer } from '../../helpers/build-renderer.ts'
import { launchChromium } from '../../helpers/chromium.ts'
import type { ScriptedHost } from '../../helpers/scripted-host.ts'
import { startScriptedWebHost, type ScriptedWebHost } from '../../helpers/scripted-web-host.ts'

export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly web: ScriptedWebHost
  /** Addresses asked for besides the page's own origin. */
  readonly foreignRequests: string[]
  /** CSP violations and uncaught errors. */
  readonly faults: () => Promise<string[]>
  readonly at: (testId: string) => Locator
  close(): Promise<void>
}

let browser: Browser | undefined

/** Call once per file: one browser for its tests. */
export function useChromium(): void {
  beforeAll(async () => {
    await buildRenderer()
    browser = await launchChromium()
  }, 180_000)
  afterAll(async () => {
    await browser?.close()
    browser = undefined
  })
}

export interface OpenOptions extends BrowserContextOptions {
  readonly address?: string
  readonly now?: Date
}

export async function openPage(host: ScriptedHost, { address = '', now, ...options }: OpenOptions = {}): Promise<OpenedPage> {
  if (browser === undefined) throw new Error('useChromium was not called')
  const web = await startScriptedWebHost(host)
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en',
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  const errors: string[] = []
  const foreignRequests: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(web.url) && !request.url().startsWith('data:')) foreignRequests.push(request.url())
  })
  await page.addInitScript(recordViolations)
  if (now !== undefined) await page.clock.setFixedTime(now)
  await page.goto(`${web.url}${address}`)
  return {
    page,
    context,
    web,
    foreignRequests,
    at: (testId) => page.getByTestId(testId),
    faults: async () => [...errors, ...(await page.evaluate(() => (globalThis as unknown as { violations: string[] }).violations))],
    async close() {
      await context.close()
      await web.stop()
    },
  }
}

/** Runs in the page, before its own scripts. */
function recordViolations(): void {
  const target = globalThis as unknown as {
    violations: string[]
    addEventListener(type: string, listener: (event: { violatedDirective: string; blockedURI: string; sample: string }) => void): void
  }
  target.violations = []
  target.addEventListener('securitypolicyviolation', (event) =>
    target.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
  )
}
