/** What is allowed for good: bound to folder, tool, exact text and sandbox; in the profile only; ends with time and with trust. */
import { mkdirSync, renameSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { GrantKey } from '#contracts/storage/profile-methods.ts'
import type { McpApproval } from '#contracts/tools/mcp-server.ts'
import { openStorage, removeBase, type TestStorage } from './open-storage.ts'

const DAY_MS = 86_400_000
let storage: TestStorage
let now: number
let key: GrantKey
const covers = async (change: Partial<GrantKey> = {}): Promise<boolean> =>
  (await storage.service.grantCovers({ ...key, ...change })).covered

beforeEach(() => {
  now = Date.parse('2026-01-01T00:00:00.000Z')
  storage = openStorage(undefined, { now: () => new Date(now).toISOString() })
  key = { workspace: storage.folder, tool: 'run_command', prefix: 'npm test', sandbox: 'auto' }
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

it('covers exactly what was shown, in the folder it was given in', async () => {
  await storage.service.grantAdd(key)
  mkdirSync(`${storage.base}/other`)
  expect({
    same: await covers(),
    longer: await covers({ prefix: 'npm test; x' }),
    joined: await covers({ prefix: 'npm testx' }),
    shorter: await covers({ prefix: 'npm' }),
    tool: await covers({ tool: 'fetch_url' }),
    unboxed: await covers({ sandbox: 'off' }),
    folder: await covers({ workspace: `${storage.base}/other` }),
  }).toEqual({ same: true, longer: false, joined: false, shorter: false, tool: false, unboxed: false, folder: false })
})

it('given without the sandbox, it holds inside it as well', async () => {
  await storage.service.grantAdd({ ...key, sandbox: 'off' })
  expect([await covers(), await covers({ sandbox: 'off' })]).toEqual([true, true])
})

it('another folder under the same name has none', async () => {
  await storage.service.grantAdd(key)
  renameSync(storage.folder, `${storage.folder} moved`)
  mkdirSync(storage.folder)
  expect([await covers(), await covers({ workspace: `${storage.folder} moved` })]).toEqual([false, false])
})

it('is listed, survives a restart, and is gone once taken back', async () => {
  const given = await storage.service.grantAdd(key)
  expect(given).toEqual({ id: 1, ...key, grantedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-04-01T00:00:00.000Z' })
  await storage.close()
  storage = storage.again()
  expect((await storage.service.grantList({ workspace: storage.folder })).grants).toEqual([given])
  expect([await storage.service.grantRemove({ id: 1 }), await storage.service.grantRemove({ id: 1 })]).toEqual([
    { removed: true },
    { removed: false },
  ])
  expect([await covers(), (await storage.service.grantList({})).grants]).toEqual([false, []])
})

it('ends after ninety days, unless it is given again', async () => {
  await storage.service.grantAdd(key)
  now += 89 * DAY_MS
  expect(await covers()).toBe(true)
  now += DAY_MS
  expect([await covers(), (await storage.service.grantList({})).grants]).toEqual([false, []])
  await storage.service.grantAdd(key)
  expect(await covers()).toBe(true)
})

it('ends with the trust in its folder', async () => {
  await storage.service.trustAdd({ path: storage.folder })
  await storage.service.grantAdd(key)
  await storage.service.trustRemove({ path: storage.folder })
  expect(await covers()).toBe(false)
})

const approval: McpApproval = {
  serverId: 'mcp_1',
  entry: { id: 'mcp_1', name: 'one', transport: 'stdio', command: 'node', args: ['one.js'], enabled: true },
  launchHash: 'hash',
  approvedAt: '2026-01-01T00:00:00.000Z',
  tools: [],
  permissions: {},
  offers: { resources: false, prompts: false },
  options: { sandbox: false, urlElicitation: false, sampling: false },
}
const approvals = async (workspace = storage.folder): Promise<McpApproval[]> =>
  (await storage.service.mcpApprovals({ workspace })).approvals

it('an approved MCP server is approved in a restart as well, and not once trust in the folder was taken back', async () => {
  await storage.service.trustAdd({ path: storage.folder })
  await storage.service.mcpApprovalSet({ workspace: storage.folder, approval })
  await storage.close()
  storage = storage.again()
  const before = await approvals()
  await storage.service.trustRemove({ path: storage.folder })
  await storage.service.trustAdd({ path: storage.folder })
  expect([before, await approvals()]).toEqual([[approval], []])
})

it('an approved MCP server is none in another folder under the same name', async () => {
  await storage.service.mcpApprovalSet({ workspace: storage.folder, approval })
  renameSync(storage.folder, `${storage.folder} moved`)
  mkdirSync(storage.folder)
  expect([await approvals(), await approvals(`${storage.folder} moved`)]).toEqual([[], []])
})

it('refuses to keep a command that holds a secret', async () => {
  await storage.service.setSecrets({ secrets: [{ name: 'key', value: 'sk-0123456789abcdef' }] })
  await expect(storage.service.grantAdd({ ...key, prefix: 'deploy sk-0123456789abcdef' })).rejects.toMatchObject({
    code: 'SECRET_IN_CONFIG',
  })
})
