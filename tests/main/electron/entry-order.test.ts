/** What happens before ready, in order; and what the preload and the worker bundles may not contain. */
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { fakeElectron } from './fake-electron.ts'

test('before ready: path, lock, scheme, sandbox, crash reports at home, in this order', async () => {
  const fake = fakeElectron()
  vi.doMock('electron', () => ({ ...fake.api, default: fake.api }))
  await import('#main/electron/index.ts')
  const order = [
    'app.setPath',
    'app.requestSingleInstanceLock',
    'protocol.registerSchemesAsPrivileged',
    'app.enableSandbox',
    'crashReporter.start',
    'app.whenReady',
  ]
  const found = order.map((name) => fake.calls.findIndex((call) => call.startsWith(name)))
  expect(found.every((position) => position >= 0)).toBe(true)
  expect(found).toEqual(found.toSorted((left, right) => left - right))
  expect(fake.calls).toContain('crashReporter.start {"uploadToServer":false}')
})

test('a second instance ends at once and registers nothing', async () => {
  const fake = fakeElectron()
  fake.app.locked = false
  vi.resetModules()
  vi.doMock('electron', () => ({ ...fake.api, default: fake.api }))
  await import('#main/electron/index.ts')
  expect(fake.calls).toEqual(['app.setPath userData', 'app.requestSingleInstanceLock', 'app.exit'])
})

test('the preload requires nothing but electron', async () => {
  const source = await readFile(path.join(import.meta.dirname, '../../../main/electron/preload.ts'), 'utf8')
  expect([...source.matchAll(/from '([^']+)'/g)].map((match) => match[1])).toEqual(['electron'])
})

test('no more than 600 lines import electron at run time or in types', async () => {
  const folder = path.join(import.meta.dirname, '../../../main/electron')
  let lines = 0
  for (const name of (await readdir(folder)).filter((entry) => entry.endsWith('.ts'))) {
    const text = await readFile(path.join(folder, name), 'utf8')
    if (text.includes("from 'electron'")) lines += text.split('\n').length
  }
  expect(lines).toBeLessThanOrEqual(600)
})
