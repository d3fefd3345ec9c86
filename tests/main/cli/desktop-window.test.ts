import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDesktopWindow, type WindowOptions } from '#main/cli/desktop-window.ts'

let root: string
let main: string

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'metona-window-'))
  main = path.join(root, 'main.js')
  await writeFile(main, '')
})
afterEach(() => rm(root, { recursive: true }))

/** An Electron whose program is a shell script. */
async function installElectron(script: string): Promise<void> {
  const folder = path.join(root, 'node_modules', 'electron')
  await mkdir(path.join(folder, 'dist'), { recursive: true })
  await writeFile(path.join(folder, 'path.txt'), 'electron')
  await writeFile(path.join(folder, 'dist', 'electron'), `#!/bin/sh\n${script}\n`)
  await chmod(path.join(folder, 'dist', 'electron'), 0o755)
}

const open = (options: Partial<WindowOptions> = {}) =>
  openDesktopWindow({
    root,
    main,
    environment: { PATH: process.env['PATH'], DISPLAY: ':0' },
    platform: 'linux',
    onShown: () => undefined,
    ...options,
  })

test('without the program there is no window, and nothing is fetched', async () => {
  await mkdir(path.join(root, 'node_modules', 'electron'), { recursive: true })
  expect(await open()).toEqual({ reason: 'not_installed' })
})

test('a program that was fetched only in part does not count', async () => {
  await installElectron('exit 0')
  await rm(path.join(root, 'node_modules', 'electron', 'dist', 'electron'))
  expect(await open()).toEqual({ reason: 'not_installed' })
})

test('without a display there is no window on Linux; elsewhere nobody asks', async () => {
  await installElectron('exit 0')
  const environment = { PATH: process.env['PATH'] }
  expect(await open({ environment })).toEqual({ reason: 'no_display' })
  expect(await open({ environment: { ...environment, WAYLAND_DISPLAY: 'wayland-0' } })).toBe(0)
  expect(await open({ environment, platform: 'darwin' })).toBe(0)
})

test('without the main bundle there is no window', async () => {
  await installElectron('exit 0')
  expect(await open({ main: path.join(root, 'gone.js') })).toEqual({ reason: 'not_built' })
})

test('a window that ends at once is told with its code', async () => {
  await installElectron('exit 133')
  expect(await open()).toEqual({ reason: 'ended', code: 133 })
})

test('a window that stayed is a window: its exit code counts, and it can be ended', async () => {
  await installElectron('trap "exit 7" TERM; while :; do sleep 0.05; done')
  expect(await open({ aliveMs: 200, onShown: (end) => end('SIGTERM') })).toBe(7)
})

test('the window gets the main bundle, and is never started as Node', async () => {
  await installElectron('echo "$1 $ELECTRON_RUN_AS_NODE" > "$OUT"; [ -z "$ELECTRON_RUN_AS_NODE" ] && [ "$1" = "$MAIN" ]')
  expect(
    await open({
      environment: { PATH: process.env['PATH'], DISPLAY: ':0', ELECTRON_RUN_AS_NODE: '1', OUT: path.join(root, 'out'), MAIN: main },
    }),
  ).toBe(0)
})
