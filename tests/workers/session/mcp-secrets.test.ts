/** Whose a secret of an MCP server is: the folder's it was given in, and of nobody but the receiver it was given for. */
import { mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import { McpSecrets } from '#workers/session/mcp-secrets.ts'
import type { Services } from '#workers/session/services.ts'
import { fillReferences } from '#workers/tools/mcp/launch.ts'
import { Secrets } from '#workers/shared/secrets.ts'

const TOKEN = 'tok-0123456789abcdef'
const remote: McpServerEntry = {
  id: 'mcp_1',
  name: 'one',
  transport: 'streamable_http',
  url: 'https://mcp.example/v1',
  headers: { 'X-Token': TOKEN },
  enabled: true,
}
const local: McpServerEntry = {
  id: 'mcp_2',
  name: 'two',
  transport: 'stdio',
  command: 'node',
  args: ['two.js'],
  env: { API_TOKEN: TOKEN },
  enabled: true,
}
let base: string
let original: string
let copy: string
/** What outlives a run. */
let stored: Map<string, string>

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'metona-secrets-')))
  original = join(base, 'original')
  copy = join(base, 'copy')
  await Promise.all([mkdir(original), mkdir(copy)])
  await symlink(original, join(base, 'link'))
  stored = new Map()
})
afterEach(() => rm(base, { recursive: true, force: true }))

/** Secrets as a run begins with them. */
function secretsOfRun(): McpSecrets {
  const native = async (method: string, params: unknown): Promise<unknown> => {
    const { name, value } = params as { name: string; value?: string | null }
    if (method === 'readSecret') return stored.get(name) ?? null
    if (typeof value === 'string') stored.set(name, value)
    else stored.delete(name)
    return undefined
  }
  const off = { started: false }
  const context = { native, log: () => undefined }
  return new McpSecrets({ context, secrets: new Secrets({}), storage: off, tools: off } as unknown as Services)
}

test('the value is out of the entry, and there in the next run, by whatever name the folder is called', async () => {
  const clean = await secretsOfRun().takeOut(original, remote)
  expect(clean).toEqual({ ...remote, headers: { 'X-Token': '${secret:X-Token}' } })
  expect(await secretsOfRun().valuesFor(original, [clean])).toEqual({ mcp_1: { 'X-Token': TOKEN } })
  expect(await secretsOfRun().valuesFor(join(base, 'link'), [clean])).toEqual({ mcp_1: { 'X-Token': TOKEN } })
})

test('a copy of the folder neither has the value nor removes it', async () => {
  const run = secretsOfRun()
  const clean = await run.takeOut(original, remote)
  const inCopy = await run.valuesFor(copy, [clean])
  await run.forget(copy, clean)
  expect([inCopy, await run.valuesFor(original, [clean]), await secretsOfRun().valuesFor(original, [clean])]).toEqual([
    {},
    { mcp_1: { 'X-Token': TOKEN } },
    { mcp_1: { 'X-Token': TOKEN } },
  ])
  await run.forget(original, clean)
  expect([await run.valuesFor(original, [clean]), [...stored]]).toEqual([{}, []])
})

test('an address of the same origin has the value, any other has not', async () => {
  const run = secretsOfRun()
  const clean = await run.takeOut(original, remote)
  const at = async (url: string): Promise<string[]> =>
    Object.values(await run.valuesFor(original, [{ ...clean, url }])).flatMap((own) => Object.values(own))
  expect([
    await at('https://mcp.example/v2'),
    await at('https://mcp.example.evil.example/v1'),
    await at('http://mcp.example/v1'),
    await at('https://mcp.example:8443/v1'),
    await at('none'),
  ]).toEqual([[TOKEN], [], [], [], []])
})

test('another program, or other arguments, have not the value', async () => {
  const run = secretsOfRun()
  const clean = await run.takeOut(original, local)
  const values = async (change: Partial<McpServerEntry>): Promise<string[]> =>
    Object.values(await run.valuesFor(original, [{ ...clean, ...change }])).flatMap((own) => Object.values(own))
  expect([await values({}), await values({ command: 'sh' }), await values({ args: ['evil.js'] }), await values({ id: 'mcp_3' })]).toEqual([
    [TOKEN],
    [],
    [],
    [],
  ])
})

test('an entry whose id is the beginning of another’s has nothing of it', async () => {
  const run = secretsOfRun()
  const clean = await run.takeOut(original, { ...local, id: 'a.b', env: { 'c.TOKEN': TOKEN } })
  const thief: McpServerEntry = { ...local, id: 'a', env: { OUT: '${secret:b.c.TOKEN}' } }
  const values = await run.valuesFor(original, [clean, thief])
  const seen = (entry: McpServerEntry) => fillReferences(entry.env ?? {}, values[entry.id] ?? {}, {})
  expect(seen(clean)).toEqual({ 'c.TOKEN': TOKEN })
  expect(() => seen(thief)).toThrow(/b\.c\.TOKEN is not known here/)
})
