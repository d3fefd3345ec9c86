/**
 * From the moment a provider sends a token to the moment it stands in the page: a web shell as people start it, a real
 * Chromium, several sessions streaming, one of them shown. Argument: the options as JSON. Prints one line of JSON.
 */
import type { Page } from 'playwright-core'
import { testIds } from '#renderer/ui/test-ids.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { monotonicNow } from '#tests/helpers/fake-provider.ts'
import { makeDisturbance } from '../bench/disturbance.ts'
import type { TokenPageOptions, TokenPageResult } from '../bench/token-page-options.ts'
import { openWebShell, rowOf, startSession } from './web-shell-place.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as TokenPageOptions
const shell = await openWebShell({ permission: 'full_access' })
try {
  if (options.disturbing.length > 0) await makeDisturbance(shell.place.workspace, options.files)
  const markers = Array.from({ length: options.sessions }, (_, session) => `page-session-${session}|`)
  const tokens = options.seconds * options.rate
  await shell.provider.script([
    ...markers.map((marker) => ({ marker, answers: [{ tokens, tokensPerSecond: options.rate }] })),
    ...options.disturbing,
  ])
  const page = await shell.openPage()
  for (const rule of options.disturbing) {
    const sessionId = await startSession(page, `${rule.marker} please`)
    await stateOf(page, sessionId, 'tool')
  }
  for (const marker of markers) await startSession(page, `${marker} please`)
  // The last one started is shown.
  const clock = await compareClocks(page)
  await page.evaluate(watchTokens, testIds.messageAssistant)
  // What runs beside them has finished requests of its own.
  const { provider } = shell
  const requests = await eventually(
    'the answers to end',
    async () => {
      const asked = (await provider.requests()).filter(({ marker }) => markers.includes(marker ?? ''))
      return asked.filter((request) => request.finished).length === markers.length ? asked : undefined
    },
    (options.seconds + 60) * 1000,
  )
  await page.waitForTimeout(1_000)
  const seen = await page.evaluate(() => (globalThis as unknown as { seenTokens: [number, number][] }).seenTokens)
  const shown = requests.find((request) => request.marker === markers.at(-1))
  const first = shown?.firstTokenAt ?? Number.NaN
  const delays: number[] = []
  let next = seen[0]?.[0] ?? 0
  for (const [index, at] of seen)
    for (; next <= index; next++) if (next >= options.rate) delays.push(at + clock.offset - (first + (next * 1000) / options.rate))
  process.stdout.write(`${JSON.stringify({ delays, clockErrorMs: clock.error } satisfies TokenPageResult)}\n`)
} finally {
  await shell.close()
}
process.exit(0)

async function stateOf(page: Page, sessionId: string, state: string): Promise<void> {
  await rowOf(page, sessionId)
    .and(page.locator(`[data-state="${state}"]`))
    .waitFor({ timeout: 30_000 })
}

/** What to add to the page's clock to have the provider's. The shortest round trip says it best. */
async function compareClocks(page: Page): Promise<{ offset: number; error: number }> {
  let best = { offset: 0, error: Infinity }
  for (let round = 0; round < 40; round++) {
    const before = monotonicNow()
    const there = await page.evaluate(() => performance.now())
    const after = monotonicNow()
    const error = (after - before) / 2
    if (error < best.error) best = { offset: before + error - there, error }
  }
  return best
}

/** Runs in the page: notes the highest token each time the answer changes, and when. */
function watchTokens(testId: string): void {
  const seen: [number, number][] = []
  ;(globalThis as unknown as { seenTokens: typeof seen }).seenTokens = seen
  let last = -1
  const look = (): void => {
    const text = [...document.querySelectorAll(`[data-testid="${testId}"]`)].at(-1)?.textContent ?? ''
    const words = text.slice(-80).match(/\bw(\d+)/g)
    const index = Number(words?.at(-1)?.slice(1) ?? -1)
    if (index <= last) return
    last = index
    seen.push([index, performance.now()])
  }
  new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true })
}
