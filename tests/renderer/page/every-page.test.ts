/** Each page and state of the pictures: nothing that the strictest CSP forbids, nothing loaded from elsewhere, no serious finding of axe-core. */
// needs: chromium
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { scenes } from '../../e2e/screenshot-list.ts'
import { NOW } from '../../e2e/screenshot-scenes.ts'
import { proofTier } from '../../helpers/proof.ts'
import { openPage, useChromium, type OpenedPage } from './open-page.ts'

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

useChromium()

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const looks = [
  { language: 'en', theme: 'light' },
  { language: 'zh-CN', theme: 'dark' },
  { language: 'en', theme: 'hc' },
  { language: 'zh-CN', theme: 'light' },
] as const
/** In the small tier every page is seen once, each look by a quarter of them. */
const cases = scenes.flatMap((scene, index) =>
  (proofTier() === 'full' ? looks : [looks[index % looks.length] ?? looks[0]]).map((look) => ({
    scene,
    look,
    name: `${scene.name}, ${look.theme}, ${look.language}`,
  })),
)

test.for(cases)('$name', async ({ scene, look }) => {
  const host = scene.host({ ...look, ...scene.options })
  const opened = await openPage(host, {
    address: scene.address ?? '',
    now: NOW,
    viewport: { width: scene.width, height: scene.height },
    hasTouch: scene.width < 600,
    locale: look.language,
  })
  try {
    await scene.prepare?.(opened.page, host, opened.web)
    const findings = await runAxe(opened)
    expect(findings).toEqual([])
    expect(await opened.faults()).toEqual([])
    expect(opened.foreignRequests).toEqual([])
  } finally {
    await opened.close()
  }
})

/** Through the debugger: the page's own CSP would not let the checker in. */
async function runAxe({ context, page }: OpenedPage): Promise<string[]> {
  const debug = await context.newCDPSession(page)
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
