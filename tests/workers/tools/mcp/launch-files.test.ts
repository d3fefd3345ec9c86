/** A server's program that lies in the workspace is approved as it is: rewritten, it does not start again before it was agreed to. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { startMcpPipeline, type McpPipeline } from '#tests/helpers/mcp/mcp-pipeline.ts'
import { launchFiles } from '#workers/tools/mcp/launch-files.ts'

const SERVER = path.resolve(import.meta.dirname, '../../../helpers/mcp/hostile-stdio-server-entry.ts')
let folder: string
let app: McpPipeline
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'metona-launch-')))
  app = await startMcpPipeline()
}, 60_000)
afterAll(async () => {
  await app.stop()
  await rm(folder, { recursive: true, force: true })
}, 30_000)

test('files of the workspace are looked at, however they are named; folders, databases and files elsewhere are not', async () => {
  const root = path.join(folder, 'ws')
  await mkdir(path.join(root, 'tools'), { recursive: true })
  await writeFile(path.join(root, 'tools', 'a.js'), 'a')
  await writeFile(path.join(root, 'data.db'), 'SQLite format 3\0 and more')
  await writeFile(path.join(folder, 'outside.js'), 'a')
  await symlink(path.join(folder, 'outside.js'), path.join(root, 'link.js'))
  await symlink(path.join(root, 'tools', 'a.js'), path.join(folder, 'into.js'))
  const look = (...words: [string, ...string[]]): Promise<Record<string, string>> =>
    launchFiles({ id: 'a', name: 'a', transport: 'stdio', command: words[0], args: words.slice(1), enabled: true }, root)
  const a = 'sha256 ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb'
  expect({
    relative: await look('node', 'tools/a.js', 'tools', '.', 'none.js'),
    absolute: await look(path.join(root, 'tools', 'a.js')),
    option: await look('node', '--import=./tools/a.js'),
    link: await look('node', 'link.js'),
    into: await look('node', path.join(folder, 'into.js')),
    outside: await look('node', path.join(folder, 'outside.js')),
    database: await look('node', 'data.db'),
  }).toEqual({
    relative: { 'tools/a.js': a },
    absolute: { 'tools/a.js': a },
    option: { 'tools/a.js': a },
    link: { 'link.js': a },
    into: { '../into.js': a },
    outside: {},
    database: { 'data.db': 'a database' },
  })
})

test('a rewritten program does not start again; agreed to anew, it does', { timeout: 60_000 }, async () => {
  const { client } = app.pipeline
  const { workspace } = app
  const program = path.join(workspace, 'mcp.mjs')
  const marker = path.join(folder, 'rewritten-ran')
  const own = `import ${JSON.stringify(SERVER)}\n`
  await writeFile(program, own)
  const args = ['--disable-warning=ExperimentalWarning', 'mcp.mjs', 'good', folder]
  const { entry, pid, approval } = await app.approved({ name: 'good', command: process.execPath, args })
  expect(approval).toBe('given')

  // As it was, it comes back by itself.
  process.kill(pid ?? 0, 'SIGKILL')
  await eventually('it to be back', async () => {
    const now = await app.view('good')
    return now.state === 'ready' && now.pid !== pid
  })

  await writeFile(program, `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, '')\n${own}`)
  process.kill((await app.view('good')).pid ?? 0, 'SIGKILL')
  await eventually('it to be refused', async () => (await app.view('good')).failure?.code === 'NOT_APPROVED')
  const refused = await app.view('good')
  const tried = await client.call('mcp.test', { workspace, id: entry.id }).catch((error: { code: string }) => error.code)
  const { results } = await app.turn([{ name: 'mcp__good__poke', args: {} }])
  expect([refused.approval, refused.launchDiff?.match(/^[-+]# mcp\.mjs: sha256/gm), tried, results.length, existsSync(marker)]).toEqual([
    'changed',
    ['-# mcp.mjs: sha256', '+# mcp.mjs: sha256'],
    'MCP_NOT_APPROVED',
    1,
    false,
  ])

  const again = await client.call('mcp.approve', { workspace, id: entry.id, launchHash: refused.launchHash })
  expect([again.state, again.approval, existsSync(marker)]).toEqual(['ready', 'given', true])
})
