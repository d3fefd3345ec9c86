import { mkdtemp, rm, stat } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AuthoritySeal } from '#workers/session/authority-seal.ts'

const authority = { permission: 'full_access', sandbox: 'off', baseUrl: undefined }
let profile: string

beforeEach(async () => {
  profile = await mkdtemp(path.join(os.tmpdir(), 'metona-seal-'))
})
afterEach(() => rm(profile, { recursive: true, force: true }))

test('what was sealed here is believed, also after a restart', async () => {
  const seal = await new AuthoritySeal(profile).sign('s_1', authority)
  expect(await new AuthoritySeal(profile).verify('s_1', authority, seal)).toBe(true)
})

test.each([
  ['another session', 's_2', authority],
  ['a wider permission', 's_1', { ...authority, permission: 'auto_edit' }],
  ['another address', 's_1', { ...authority, baseUrl: 'https://elsewhere.example' }],
])('a seal does not hold for %s', async (_name, sessionId, claimed) => {
  const seals = new AuthoritySeal(profile)
  expect(await seals.verify(sessionId, claimed, await seals.sign('s_1', authority))).toBe(false)
})

test('a seal of another profile, a made-up one and none are not believed', async () => {
  const elsewhere = await mkdtemp(path.join(os.tmpdir(), 'metona-seal-'))
  const foreign = await new AuthoritySeal(elsewhere).sign('s_1', authority)
  await rm(elsewhere, { recursive: true })
  const seals = new AuthoritySeal(profile)
  expect([
    await seals.verify('s_1', authority, foreign),
    await seals.verify('s_1', authority, 'ab'.repeat(32)),
    await seals.verify('s_1', authority, undefined),
  ]).toEqual([false, false, false])
})

test('the key is readable by its owner only', async () => {
  await new AuthoritySeal(profile).sign('s_1', authority)
  expect((await stat(path.join(profile, 'session-authority.key'))).mode & 0o777).toBe(0o600)
})
