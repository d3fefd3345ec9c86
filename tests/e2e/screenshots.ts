/**
 * Pictures of every page, both themes, both languages, into `out/screenshots/`.
 * `node tests/e2e/screenshots.ts [NAME …]` takes all of them, or those whose name contains a NAME.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { buildRenderer } from '../helpers/build-renderer.ts'
import { chromiumMissing, launchChromium } from '../helpers/chromium.ts'
import { startScriptedWebHost, type ScriptedWebHost } from '../helpers/scripted-web-host.ts'
import { NOW } from './screenshot-scenes.ts'
import { scenes, type Scene } from './screenshot-list.ts'

const folder = fileURLToPath(new URL('../../out/screenshots/', import.meta.url))

async function take(browser: Browser, scene: Scene, language: 'zh-CN' | 'en', theme: 'light' | 'dark' | 'hc'): Promise<void> {
  const host = scene.host({ language, theme, ...scene.options })
  const web: ScriptedWebHost = await startScriptedWebHost(host)
  const context = await browser.newContext({
    viewport: { width: scene.width, height: scene.height },
    locale: language,
    timezoneId: 'Asia/Shanghai',
    reducedMotion: 'reduce',
    hasTouch: scene.width < 600,
  })
  try {
    const page: Page = await context.newPage()
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') console.log(`  ${scene.name}: ${message.text()}`)
    })
    page.on('pageerror', (error) => console.log(`  ${scene.name}: ${error.message}`))
    await page.clock.setFixedTime(NOW)
    await page.goto(`${web.url}${scene.address ?? ''}`)
    await scene.prepare?.(page, host, web)
    await page.screenshot({ path: join(folder, `${scene.name}-${theme}-${language}.png`), animations: 'disabled' })
  } finally {
    await context.close()
    await web.stop()
  }
}

async function main(wanted: readonly string[]): Promise<void> {
  if (chromiumMissing !== undefined) {
    console.log(chromiumMissing)
    process.exitCode = process.env['CI'] === 'true' ? 1 : 0
    return
  }
  await buildRenderer()
  await mkdir(folder, { recursive: true })
  const browser = await launchChromium()
  let count = 0
  try {
    for (const scene of scenes) {
      if (wanted.length > 0 && !wanted.some((name) => scene.name.includes(name))) continue
      for (const language of scene.languages ?? (['zh-CN', 'en'] as const)) {
        for (const theme of scene.themes ?? (['light', 'dark'] as const)) {
          try {
            await take(browser, scene, language, theme)
            count += 1
          } catch (error) {
            // The others are worth looking at all the same.
            console.log(`  ${scene.name}, ${theme}, ${language}: ${String(error)}`)
            process.exitCode = 1
          }
        }
      }
    }
  } finally {
    await browser.close()
  }
  console.log(`${count} pictures in out/screenshots`)
}

await main(process.argv.slice(2))
