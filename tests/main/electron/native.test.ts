import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { NativeServices } from '#contracts/native/native-services.ts'
import { fileOf, isAppUrl } from '#main/electron/app-address.ts'
import { electronNative } from '#main/electron/native.ts'
import { fakeElectron, FakeSession, type FakeElectron } from './fake-electron.ts'

let folder: string
let fake: FakeElectron
let native: NativeServices

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'metona-native-'))
  fake = fakeElectron()
  fake.app.getPath = () => folder
  native = electronNative(fake.api, new FakeSession() as never)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a secret comes back, and its file is encrypted and private', async () => {
  await native.writeSecret({ name: 'provider.deepseek', value: 'sk-plain' })
  expect(await native.readSecret({ name: 'provider.deepseek' })).toBe('sk-plain')
  const [file] = await readdir(path.join(folder, 'secrets'))
  const full = path.join(folder, 'secrets', file ?? '')
  expect(String(await readFile(full))).not.toContain('sk-plain')
  expect((await stat(full)).mode & 0o777).toBe(0o600)
})

test('a secret can be taken back, and one that never was is null', async () => {
  await native.writeSecret({ name: 'a', value: 'x' })
  await native.writeSecret({ name: 'a', value: null })
  expect(await native.readSecret({ name: 'a' })).toBeNull()
})

test('without a keyring nothing is stored', async () => {
  fake.secretBackend = 'basic_text'
  await expect(native.writeSecret({ name: 'a', value: 'x' })).rejects.toMatchObject({ code: 'NOT_AVAILABLE' })
  expect(await readdir(folder)).toEqual([])
})

test.each(['https://example.com/a', 'mailto:a@example.com'])('%s is opened outside', async (url) => {
  await native.openExternal({ url })
  expect(fake.calls).toEqual([`shell.openExternal ${url}`])
})

test.each([
  'file:///etc/passwd',
  'javascript:alert(1)',
  'http://example.com',
  'https://user:pw@example.com',
  'smb://host/share',
  'ms-msdt:/id',
  'app://metona/',
  'nonsense',
])('%s is refused', async (url) => {
  await expect(native.openExternal({ url })).rejects.toMatchObject({ code: 'LINK_REFUSED' })
  expect(fake.calls).toEqual([])
})

test.each([
  ['app://metona/', '/r/index.html'],
  ['app://metona/assets/app.js', '/r/assets/app.js'],
  ['app://metona/../x', '/r/x'],
  ['app://metona/%2e%2e/x', '/r/x'],
  ['app://metona/..%2fx', undefined],
  ['app://metona/a%5c..%5cx', undefined],
  ['app://metona/a%00', undefined],
  ['app://metona/C%3a/x', undefined],
  ['app://metona/%zz', undefined],
  ['app://other/x', undefined],
  ['https://metona/x', undefined],
])('%s names %s', (url, file) => expect(fileOf(url, '/r')).toBe(file))

test('our origin is told by scheme and host', () => {
  expect(['app://metona/x', 'app://metona.evil/', 'https://metona/', ''].map(isAppUrl)).toEqual([true, false, false, false])
})
