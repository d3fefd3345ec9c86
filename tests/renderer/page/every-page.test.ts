/** Each page and state of the pictures: nothing that the strictest CSP forbids, nothing loaded from elsewhere, no serious finding of axe-core. */
// needs: chromium
import { expect, test } from 'vitest'
import { scenes } from '../../e2e/screenshot-list.ts'
import { NOW } from '../../e2e/screenshot-scenes.ts'
import { stateScenes } from '../../e2e/screenshot-states.ts'
import { proofTier } from '../../helpers/proof.ts'
import { seriousFindings } from '../../helpers/serious-findings.ts'
import { openPage, useChromium } from './open-page.ts'

useChromium()

const themes = ['light', 'dark', 'hc'] as const
const languages = ['en', 'zh-CN'] as const
const isFull = proofTier() === 'full'
/** In the small tier a page is seen once and every second state once, each look by a sixth of them. */
const chosen = isFull ? scenes : scenes.filter((scene) => stateScenes.indexOf(scene) % 2 <= 0)
const cases = chosen.flatMap((scene, index) =>
  (isFull ? languages : [languages[index % 2] ?? 'en']).map((language) => ({
    scene,
    language,
    looks: isFull ? themes : [themes[Math.floor(index / 2) % 3] ?? 'light'],
    name: `${scene.name}, ${language}`,
  })),
)

test.for(cases)('$name', async ({ scene, language, looks: [theme = 'light', ...others] }) => {
  const host = scene.host({ language, theme, ...scene.options })
  const opened = await openPage(host, {
    address: scene.address ?? '',
    now: NOW,
    viewport: { width: scene.width, height: scene.height },
    hasTouch: scene.width < 600,
    locale: language,
  })
  try {
    await scene.prepare?.(opened.page, host, opened.web)
    expect(await seriousFindings(opened.page)).toEqual([])
    // Another theme is the same page in other colours.
    for (const other of others) {
      await opened.page.evaluate((name) => (document.documentElement.dataset['theme'] = name), other)
      expect([other, await seriousFindings(opened.page, ['color-contrast'])]).toEqual([other, []])
    }
    expect(await opened.faults()).toEqual([])
    expect(opened.foreignRequests).toEqual([])
  } finally {
    await opened.close()
  }
})
