/** What axe-core finds on a page as it is. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

let source: Promise<string> | undefined

/** Serious and critical ones, of all rules or of `rules`. Through the debugger: the page's own CSP would not let the checker in. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const axe = await source
  const options = { resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) }
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe })
  const answer = await debug.send('Runtime.evaluate', {
    expression: `axe.run(document, ${JSON.stringify(options)}).then((result) => JSON.stringify(result.violations))`,
    awaitPromise: true,
    returnByValue: true,
  })
  const findings = JSON.parse(String(answer.result.value)) as Finding[]
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary ?? ''})`).join(' | ')}`)
}
