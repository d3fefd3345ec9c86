/** The official conformance suite, client side, against our own client. What it has for signing in is not built and stands in a list. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
const SUITE = path.join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
const CLIENT = path.join(ROOT, 'tests/helpers/mcp/conformance-client-entry.ts')
const BUILT = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'metona-conformance-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

function suite(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SUITE, ...args], { cwd: folder, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, output: stdout + stderr }),
    )
  })
}

test.each(BUILT)('%s', { timeout: 90_000 }, async (scenario) => {
  const { code, output } = await suite('client', '--command', `${process.execPath} ${CLIENT}`, '--scenario', scenario)
  expect([code, output.match(/\d+ failed/g) ?? []], output.slice(-3000)).toEqual([
    0,
    expect.not.arrayContaining([expect.stringMatching(/^[1-9]/)]),
  ])
})

test('everything else the suite has for clients is signing in, which is not built', async () => {
  const { output } = await suite('list')
  const scenarios = [...output.slice(output.indexOf('Client scenarios')).matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name)
  expect(scenarios.filter((name) => !BUILT.includes(name ?? ''))).toEqual(scenarios.filter((name) => name?.startsWith('auth/')))
  expect(scenarios).toEqual(expect.arrayContaining(BUILT))
})
