/** The browser of the page tests: Debian's Chromium, driven by playwright-core. */
import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

const executablePath = process.env['METONA_CHROMIUM'] ?? '/usr/bin/chromium'

/** Without a browser the page tests print 'not run'; under `CI=true` they fail instead. */
export const chromiumMissing: string | undefined = existsSync(executablePath) ? undefined : `not run: no Chromium at ${executablePath}`

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
