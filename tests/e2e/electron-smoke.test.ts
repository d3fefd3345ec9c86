// may skip: the electron package fetches its binary at first use, and the machine that runs all tests may have none
/**
 * The real desktop window, on a machine that has Electron's binary. Where it is missing this prints that it was
 * not run; nothing here has been seen running in Electron by the suite that has no binary.
 */
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { _electron } from 'playwright-core'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '../..')
const packageFolder = path.join(root, 'node_modules', 'electron')
const pathFile = path.join(packageFolder, 'path.txt')
const binary = existsSync(pathFile) ? path.join(packageFolder, 'dist', readFileSync(pathFile, 'utf8').trim()) : ''
const present = binary !== '' && existsSync(binary)
if (!present) process.stderr.write('not run: the Electron binary is not installed here, so the desktop window was not started\n')

test.skipIf(!present)('the window starts locked down, answers with the demo and survives a reload', { timeout: 120_000 }, async () => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'metona-electron-'))
  const application = await _electron.launch({
    executablePath: binary,
    args: [root],
    env: { ...process.env, METONA_HOME: home } as Record<string, string>,
    chromiumSandbox: true,
  })
  try {
    const page = await application.firstWindow()
    expect(page.url()).toMatch(/^app:\/\/metona\//)
    const leaked = await page.evaluate(() => ['require', 'process', 'module', 'Buffer'].filter((name) => name in globalThis))
    expect(leaked).toEqual([])
    const main = await application.evaluate(({ app }) => ({
      electron: process.versions.electron,
      node: process.versions.node,
      unsandboxed: app.commandLine.hasSwitch('no-sandbox'),
    }))
    expect(main).toMatchObject({ electron: '45.5.0', unsandboxed: false })
    await page.getByTestId('composer').waitFor()
    await page.reload()
    await page.getByTestId('composer').waitFor()
  } finally {
    await application.close()
    await rm(home, { recursive: true, force: true })
  }
})
