import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { profileKey } from '#workers/shared/profile-key.ts'

let base: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'metona-key-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const MODULE = new URL('../../../workers/shared/profile-key.ts', import.meta.url).href

test('is made once, for its owner alone, and leaves nothing beside it', () => {
  const profile = join(base, 'not', 'there', 'yet')
  const key = profileKey(profile, 'some.key', 'replace')
  expect(key).toHaveLength(32)
  expect(profileKey(profile, 'some.key', 'replace')).toEqual(key)
  expect([readdirSync(profile), statSync(join(profile, 'some.key')).mode & 0o777]).toEqual([['some.key'], 0o600])
})

test('a damaged one is replaced, or refused with what to do', () => {
  writeFileSync(join(base, 'some.key'), 'abc')
  expect(() => profileKey(base, 'some.key', { refuse: 'remove it' })).toThrow(/some\.key is damaged: remove it/)
  expect(readFileSync(join(base, 'some.key'), 'utf8')).toBe('abc')
  expect(profileKey(base, 'some.key', 'replace')).toHaveLength(32)
})

test('all who make it at the same time get the same one', async () => {
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    import(workerData.module).then(({ profileKey }) => {
      parentPort.once('message', () => parentPort.postMessage(profileKey(workerData.profile, 'some.key', 'replace').toString('hex')))
      parentPort.postMessage('ready')
    })`
  const workers = Array.from({ length: 6 }, () => new Worker(source, { eval: true, workerData: { module: MODULE, profile: base } }))
  const said = (worker: Worker): Promise<unknown> => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  await Promise.all(workers.map(said))
  const keys = workers.map(said)
  for (const worker of workers) worker.postMessage('go')
  expect(new Set(await Promise.all(keys)).size).toBe(1)
  await Promise.all(workers.map((worker) => worker.terminate()))
})
