/** What axe-core finds on a page as it is. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

/** Serious and critical ones. Through the debugger: the page's own CSP would not let the checker in. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  const debug = await page.context().newCDPSession(page)
  await debug.send('Runtime.evaluate', { expression: axe })
  const answer = await debug.send('Runtime.evaluate', {
    expression: 'axe.run(document, { resultTypes: ["violations"] }).then((result) => JSON.stringify(result.violations))',
    awaitPromise: true,
    returnByValue: true,
  })
  const findings = JSON.parse(String(answer.result.value)) as Finding[]
  return findings
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(' ')} (${node.failureSummary ?? ''})`).join(' | ')}`)
}
