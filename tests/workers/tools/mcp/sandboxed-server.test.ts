// needs: bwrap
/** A server that is to run in the sandbox runs there, or not at all. */
import { existsSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeMcpHostPlace } from '#tests/helpers/mcp/mcp-host-place.ts'
import { startMcpPipeline, type McpPipeline } from '#tests/helpers/mcp/mcp-pipeline.ts'
import { ToolError } from '#workers/tools/domain/tool-error.ts'

/** Says by its name whether it could write where it was told to. */
const PROGRAM = `import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
let name = 'free'
try {
  writeFileSync(process.argv[2], '')
} catch {
  name = 'held'
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (method !== 'initialize') return
  const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name, version: '1' } }
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
})
`
let folder: string
let outside: string
let app: McpPipeline
beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'metona-held-')))
  outside = path.join(folder, 'outside')
  app = await startMcpPipeline()
}, 60_000)
afterAll(async () => {
  await app.stop()
  await rm(folder, { recursive: true, force: true })
}, 30_000)

test('switched on it holds the server, switched off it does not', { timeout: 60_000 }, async () => {
  const { client } = app.pipeline
  const { workspace } = app
  await writeFile(path.join(workspace, 'mcp.mjs'), PROGRAM)
  const { entry } = await app.approved({ name: 'one', command: process.execPath, args: ['mcp.mjs', outside] })
  const free = [(await app.view('one')).server?.name, existsSync(outside)]
  await rm(outside)
  await client.call('mcp.setOptions', { workspace, id: entry.id, options: { sandbox: true } })
  const { server, failure } = await client.call('mcp.test', { workspace, id: entry.id })
  expect([free, server?.name, failure, existsSync(outside)]).toEqual([['free', true], 'held', undefined, false])
})

test('where there is none it does not start, and says why', { timeout: 30_000 }, async () => {
  const wrap = (): Promise<never> => Promise.reject(new ToolError('NO_SANDBOX', 'there is no sandbox here'))
  const place = await makeMcpHostPlace({ sandbox: { wrap } })
  try {
    await writeFile(path.join(folder, 'mcp.mjs'), PROGRAM)
    const args = [path.join(folder, 'mcp.mjs'), outside]
    const { state, failure } = await place.start({ name: 'one', transport: 'stdio', command: process.execPath, args }, { sandbox: true })
    expect([state, failure?.code, failure?.message, existsSync(outside)]).toEqual([
      'failed',
      'SANDBOX',
      'It was to run in the sandbox: there is no sandbox here',
      false,
    ])
  } finally {
    await place.stop()
  }
})
