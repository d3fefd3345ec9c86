import { afterEach, beforeEach, expect, it } from 'vitest'
import { configKeys } from '#contracts/workspace/config-keys.ts'
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

const set = (key: string, value: unknown, inWorkspace: boolean) =>
  storage.service.configSet({ ...(inWorkspace ? { workspace: storage.folder } : {}), key, value })
const effective = async (key: string): Promise<unknown> => {
  const { entries } = await storage.service.configList({ workspace: storage.folder })
  const entry = entries.find((other) => other.key === key)
  return [entry?.value, entry?.source]
}

it('every key is listed with its default, category and schema', async () => {
  const { entries } = await storage.service.configList({})
  expect(entries.map((entry) => [entry.key, entry.value, entry.category, entry.source])).toEqual(
    Object.entries(configKeys).map(([key, { defaultValue, category }]) => [key, defaultValue, category, 'default']),
  )
  expect(entries.find((entry) => entry.key === 'ui.theme')?.schema).toMatchObject({
    type: 'string',
    enum: ['system', 'light', 'dark', 'hc'],
  })
})

it('the workspace stands over the profile, which stands over the default', async () => {
  expect(await effective('agent.maxIterations')).toEqual([50, 'default'])
  await set('agent.maxIterations', 20, false)
  expect(await effective('agent.maxIterations')).toEqual([20, 'profile'])
  await set('agent.maxIterations', 7, true)
  expect(await effective('agent.maxIterations')).toEqual([7, 'workspace'])
  await storage.close()
  storage = storage.again()
  await storage.open()
  expect(await effective('agent.maxIterations')).toEqual([7, 'workspace'])
})

it('a value off its schema is refused', async () => {
  await expect(set('agent.maxIterations', -1, false)).rejects.toMatchObject({ code: 'BAD_CONFIG_VALUE' })
  await expect(set('agent.nothing', 1, false)).rejects.toMatchObject({ code: 'UNKNOWN_CONFIG_KEY' })
  await expect(set('__proto__', 1, false)).rejects.toMatchObject({ code: 'UNKNOWN_CONFIG_KEY' })
})

it('what belongs to the profile cannot be set in a workspace', async () => {
  await expect(set('ui.theme', 'dark', true)).rejects.toMatchObject({ code: 'CONFIG_SCOPE' })
})

it('a workspace can only tighten security', async () => {
  await expect(set('security.permission', 'full_access', true)).rejects.toMatchObject({ code: 'CONFIG_ONLY_TIGHTENS' })
  await expect(set('security.sandbox', 'off', true)).rejects.toMatchObject({ code: 'CONFIG_ONLY_TIGHTENS' })
  await expect(set('security.approvalTimeoutSeconds', 9000, true)).rejects.toMatchObject({ code: 'CONFIG_ONLY_TIGHTENS' })
  await set('security.permission', 'plan', true)
  expect(await effective('security.permission')).toEqual(['plan', 'workspace'])
})

it('a file-borne value that loosens security, or does not fit, counts for nothing', async () => {
  const { database } = storage.workspaces.get(storage.folder)
  const put = (key: string, value: string): unknown =>
    database.prepare("INSERT OR REPLACE INTO app_config VALUES (?, ?, 'security', '')").run(key, value)
  put('security.permission', '"full_access"')
  put('security.sandbox', '"off"')
  put('ui.theme', '"dark"')
  put('agent.maxIterations', '"many"')
  put('llm.model', '{broken')
  for (const key of ['security.permission', 'security.sandbox', 'ui.theme', 'agent.maxIterations', 'llm.model'])
    expect(await effective(key)).toEqual([configKeys[key]?.defaultValue, 'default'])
})

it('tightening follows the profile when that becomes strict itself', async () => {
  await set('security.permission', 'full_access', false)
  await set('security.permission', 'auto_edit', true)
  expect(await effective('security.permission')).toEqual(['auto_edit', 'workspace'])
  await set('security.permission', 'plan', false)
  expect(await effective('security.permission')).toEqual(['plan', 'profile'])
})

it('base URLs live in the profile', async () => {
  await storage.service.providerSettingsSet({ provider: 'ollama', baseUrl: 'http://127.0.0.1:11434' })
  await storage.close()
  storage = storage.again()
  expect(await storage.service.providerSettingsList({})).toEqual({ providers: [{ provider: 'ollama', baseUrl: 'http://127.0.0.1:11434' }] })
  await storage.service.providerSettingsSet({ provider: 'ollama', baseUrl: null })
  expect(await storage.service.providerSettingsList({})).toEqual({ providers: [] })
})

it('a secret in configuration is refused, with the reason', async () => {
  await storage.service.setSecrets({ secrets: [{ name: 'MY_KEY', value: 'canary-0123456789' }] })
  const server = { id: 'a', name: 'alpha', transport: 'stdio' as const, command: 'x', env: { TOKEN: 'canary-0123456789' }, enabled: true }
  await expect(storage.service.mcpSet({ workspace: storage.folder, server })).rejects.toMatchObject({ code: 'SECRET_IN_CONFIG' })
  await expect(
    storage.service.providerSettingsSet({ provider: 'openai', baseUrl: 'https://x/?key=canary-0123456789' }),
  ).rejects.toMatchObject({ code: 'SECRET_IN_CONFIG' })
})

it('two MCP entries cannot have one name', async () => {
  const server = { name: 'alpha', transport: 'sse' as const, url: 'http://127.0.0.1:1', enabled: true }
  await storage.service.mcpSet({ workspace: storage.folder, server: { id: 'a', ...server } })
  await expect(storage.service.mcpSet({ workspace: storage.folder, server: { id: 'b', ...server } })).rejects.toMatchObject({
    code: 'NAME_TAKEN',
  })
})

it.each([
  ["args = 'not json'"],
  ["args = '[1]'"],
  ["args = '{}'"],
  ["env = '[]'"],
  ["env = 'null'"],
  ['headers = \'{"a":1}\''],
  ["headers = x'00ff'"],
])('an MCP entry with %s is left out and told of, and can be removed; the others stay', async (damage) => {
  const workspace = storage.folder
  const good = { id: 'good', name: 'good', transport: 'sse' as const, url: 'http://127.0.0.1:1', enabled: true }
  const server = { id: 'bad', name: 'bad', transport: 'stdio' as const, command: 'node', enabled: true }
  for (const each of [good, server]) await storage.service.mcpSet({ workspace, server: each })
  const told = async () => (await storage.service.banners({})).banners.filter(({ code }) => code === 'MCP_UNREADABLE')
  expect([(await storage.service.mcpList({ workspace })).servers.length, await told()]).toEqual([2, []])
  storage.workspaces.get(workspace).database.exec(`UPDATE mcp_servers SET ${damage} WHERE id = 'bad'`)
  expect((await storage.service.mcpList({ workspace })).servers).toEqual([good])
  expect(await told()).toMatchObject([{ level: 'warning', params: { ids: 'bad' } }])
  expect(await storage.service.mcpRemove({ workspace, id: 'bad' })).toEqual({ removed: true })
  expect([await storage.service.mcpList({ workspace }), await told()]).toEqual([{ servers: [good] }, []])
  expect(await storage.service.mcpRemove({ workspace, id: 'bad' })).toEqual({ removed: false })
})

it('recent workspaces are listed newest first, with whether they are trusted', async () => {
  await storage.service.trustAdd({ path: storage.folder })
  const { workspaces } = await storage.service.recentWorkspaces({})
  expect(workspaces).toEqual([{ path: storage.folder, openedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string, trusted: true }])
})

it('a folder can make a budget smaller, not larger, and not take it away', async () => {
  await set('limits.turnMoney', 2, true)
  expect(await effective('limits.turnMoney')).toEqual([2, 'workspace'])
  await set('limits.turnMoney', 1, false)
  expect(await effective('limits.turnMoney')).toEqual([1, 'profile'])
  await expect(set('limits.turnMoney', 1.5, true)).rejects.toMatchObject({ code: 'CONFIG_ONLY_TIGHTENS' })
  await expect(set('limits.turnMoney', null, true)).rejects.toMatchObject({ code: 'CONFIG_ONLY_TIGHTENS' })
})

it('rules about tool calls are the person’s alone', async () => {
  await set('security.rules', [{ effect: 'deny', tool: 'fetch_url' }], false)
  await expect(set('security.rules', [], true)).rejects.toMatchObject({ code: 'CONFIG_ONLY_TIGHTENS' })
  await expect(set('security.rules', [{ effect: 'maybe', tool: 'x' }], false)).rejects.toMatchObject({ code: 'BAD_CONFIG_VALUE' })
})

it('a domain that was taken out does not come back with the next one that is put in', async () => {
  const other = storage.again()
  const set = (of: TestStorage, domain: string, allowed: boolean) => of.service.configSetDomain({ domain, allowed })
  await set(storage, 'one.example', true)
  await set(other, 'two.example', true)
  expect((await set(storage, 'one.example', false)).changed).toBe(true)
  expect((await set(other, 'three.example', true)).entry.value).toEqual([{ domain: 'two.example' }, { domain: 'three.example' }])
  expect([(await set(storage, 'one.example', false)).changed, (await set(storage, 'two.example', true)).changed]).toEqual([false, false])
  await other.close()
})
