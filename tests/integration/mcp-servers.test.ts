/** The published servers, unmodified, over every transport: an agent turn calls each tool and the model gets its result. */
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMcpPipeline, toolMessages, type McpPipeline } from '#tests/helpers/mcp/mcp-pipeline.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const server = (name: string): string => path.join(ROOT, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js')

let app: McpPipeline
beforeAll(async () => {
  app = await startMcpPipeline()
}, 60_000)
afterAll(() => app.stop(), 30_000)

test('everything over stdio: the model gets what a tool answers', { timeout: 60_000 }, async () => {
  await app.approved({ name: 'everything', command: process.execPath, args: [server('everything'), 'stdio'] })
  const turn = await app.turn([{ name: 'mcp__everything__echo', args: { message: 'hello' } }])
  expect([turn.end, toolMessages(turn.requests.at(-1)!)]).toEqual(['completed', ['Echo: hello']])
})
