import { readdirSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

const traces = (): string[] =>
  readdirSync(join(storage.folder, 'traces'))
    .filter((name) => name !== '.gitignore')
    .sort()
const write = (iteration: number, json: string) =>
  storage.service.writeTrace({ workspace: storage.folder, name: `trace_s_one_1_${iteration}.json`, json })

it('a trace is one file with the text given, and nothing beside it', async () => {
  await write(1, '{"resourceSpans":[]}')
  expect(traces()).toEqual(['trace_s_one_1_1.json'])
  expect(readFileSync(join(storage.folder, 'traces', 'trace_s_one_1_1.json'), 'utf8')).toBe('{"resourceSpans":[]}')
})

it('a known secret in it is replaced', async () => {
  await storage.service.setSecrets({ secrets: [{ name: 'A_KEY', value: 'canary-0123456789' }] })
  await write(1, '{"text":"canary-0123456789"}')
  expect(readFileSync(join(storage.folder, 'traces', 'trace_s_one_1_1.json'), 'utf8')).toBe('{"text":"[redacted A_KEY]"}')
})

it('above the quota the oldest go', async () => {
  await storage.service.configSet({ workspace: storage.folder, key: 'logging.traceQuotaMiB', value: 1 })
  const big = JSON.stringify({ text: 'x'.repeat(200 * 1024) })
  for (let iteration = 1; iteration <= 8; iteration++) {
    await write(iteration, big)
    utimesSync(join(storage.folder, 'traces', `trace_s_one_1_${iteration}.json`), 1000 + iteration, 1000 + iteration)
  }
  const left = traces()
  expect(left).toContain('trace_s_one_1_8.json')
  expect(left).not.toContain('trace_s_one_1_1.json')
  expect(left.length * 200).toBeLessThanOrEqual(1024)
})

it('a name that is none of ours does not reach the disk', async () => {
  for (const name of ['../evil.json', 'trace_s_one_1_1.json/../../x', 'other.json']) {
    await expect(storage.service.writeTrace({ workspace: storage.folder, name, json: '{}' })).rejects.toThrow('pattern')
  }
  expect(traces()).toEqual([])
})
