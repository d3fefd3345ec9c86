/** Each page and state of the pictures: nothing that the strictest CSP forbids, nothing loaded from elsewhere, no serious finding of axe-core. */
// needs: chromium
import { expect, test } from 'vitest'
import { scenes } from '../../e2e/screenshot-list.ts'
import { NOW } from '../../e2e/screenshot-scenes.ts'
import { proofTier } from '../../helpers/proof.ts'
import { seriousFindings } from '../../helpers/serious-findings.ts'
import { openPage, useChromium } from './open-page.ts'

useChromium()

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
    const findings = await seriousFindings(opened.page)
    expect(findings).toEqual([])
    expect(await opened.faults()).toEqual([])
    expect(opened.foreignRequests).toEqual([])
  } finally {
    await opened.close()
  }
})
