/** The published servers, unmodified, over every transport: an agent turn calls each of their tools and the model gets the result. */
import { spawn, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { McpServerInput } from '#contracts/session/mcp-commands.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startMcpPipeline, toolMessages, type McpPipeline } from '#tests/helpers/mcp/mcp-pipeline.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const program = (name: string): string => path.join(ROOT, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js')

let app: McpPipeline
const children: ChildProcess[] = []
beforeAll(async () => {
  app = await startMcpPipeline()
}, 60_000)
afterEach(async () => {
  const { client } = app.pipeline
  for (const { entry } of (await client.call('mcp.list', { workspace: app.workspace })).servers)
    await client.call('mcp.remove', { workspace: app.workspace, id: entry.id })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await app.stop()
}, 30_000)

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function everything(transport: 'stdio' | 'streamable_http' | 'sse'): Promise<McpServerInput> {
  if (transport === 'stdio') return { name: 'everything', command: process.execPath, args: [program('everything'), 'stdio'] }
  const port = await freePort()
  const mode = transport === 'sse' ? 'sse' : 'streamableHttp'
  const child = spawn(process.execPath, [program('everything'), mode], { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
  children.push(child)
  const url = `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`
  await eventually('the server to listen', () =>
    fetch(url, { method: 'OPTIONS' }).then(
      () => true,
      () => false,
    ),
  )
  return { name: 'everything', transport, url }
}

/** Every tool the server offers to a client like ours, with arguments, and what its result must contain. */
const TOOLS: Readonly<Record<string, { args: Record<string, unknown>; says: RegExp }>> = {
  echo: { args: { message: 'hello 世界' }, says: /^Echo: hello 世界$/ },
  'get-annotated-message': {
    args: { messageType: 'error', includeImage: true },
    says: /Error: Operation failed[\s\S]*\[image image\/png, \d+ bytes: .*\.png\]/,
  },
  'get-env': { args: {}, says: /"PATH"/ },
  'get-resource-links': { args: { count: 2 }, says: /\[Resource .* demo:\/\/resource\// },
  'get-resource-reference': {
    args: { resourceType: 'Text', resourceId: 1 },
    says: /\[Resource demo:\/\/resource\/dynamic\/text\/1, text\/plain\]/,
  },
  'get-roots-list': { args: {}, says: /work%20space|work space/ },
  'get-structured-content': { args: { location: 'New York' }, says: /"temperature":33/ },
  'get-sum': { args: { a: 2, b: 40 }, says: /42/ },
  'get-tiny-image': { args: {}, says: /\[image image\/png, \d+ bytes: / },
  'gzip-file-as-resource': {
    args: { name: 'a.gz', data: 'data:text/plain;base64,aGVsbG8=', outputType: 'resource' },
    says: /\[resource application\/gzip, \d+ bytes: /,
  },
  'simulate-research-query': { args: { topic: 'tests', ambiguous: false }, says: /./ },
  'toggle-simulated-logging': { args: {}, says: /[Ss]imulated/ },
  'toggle-subscriber-updates': { args: {}, says: /[Uu]pdates/ },
  'trigger-elicitation-request': { args: {}, says: /accept|User/ },
  'trigger-long-running-operation': { args: { duration: 1, steps: 4 }, says: /completed[\s\S]*4/i },
}

describe.each(['stdio', 'streamable_http', 'sse'] as const)('everything over %s', (transport) => {
  test('every tool, resource and prompt it has', { timeout: 120_000 }, async () => {
    const view = await app.approved(await everything(transport))
    const offered = view.tools.map(({ name }) => name).toSorted()
    expect([view.state, offered.filter((name) => TOOLS[name] === undefined)]).toEqual(['ready', []])

    const calls = offered.map((name) => ({ name: `mcp__everything__${name}`, args: TOOLS[name]?.args ?? {} }))
    const questions: string[] = []
    const turn = await app.turn(calls, (question) => {
      if (question.question === undefined) return { decision: 'allow' }
      questions.push(question.question.text)
      return { decision: 'deny' }
    })
    const told = toolMessages(turn.requests.at(-1)!)
    expect([turn.end, told.length]).toEqual(['completed', offered.length])
    for (const [index, name] of offered.entries())
      expect([name, told[index]]).toEqual([name, expect.stringMatching(TOOLS[name]?.says ?? /./)])
    expect(questions.every((text) => text.startsWith('MCP “everything”:'))).toBe(true)
    expect(questions.length).toBeGreaterThan(0)

    const [listing] = toolMessages((await app.turn([{ name: 'mcp_list', args: { server: 'everything' } }])).requests.at(-1)!)
    const resources = [...(listing ?? '').matchAll(/^- (demo:\/\/\S+)/gm)].map(([, uri]) => (uri ?? '').replace('{resourceId}', '7'))
    expect(resources.length).toBeGreaterThan(5)
    const reads = resources.map((uri) => ({ name: 'mcp_read_resource', args: { server: 'everything', uri } }))
    const read = toolMessages((await app.turn(reads)).requests.at(-1)!)
    expect(read.map((text, index) => text.startsWith(`[Resource ${resources[index]}`))).toEqual(resources.map(() => true))

    const prompts = [
      { prompt: 'simple-prompt', arguments: {} },
      { prompt: 'args-prompt', arguments: { city: 'Paris', state: 'Texas' } },
      { prompt: 'completable-prompt', arguments: { department: 'Engineering', name: 'Alice' } },
      { prompt: 'resource-prompt', arguments: { resourceType: 'Text', resourceId: '1' } },
    ]
    const gets = prompts.map((args) => ({ name: 'mcp_get_prompt', args: { server: 'everything', ...args } }))
    expect(toolMessages((await app.turn(gets)).requests.at(-1)!)).toEqual([
      expect.stringContaining('user:'),
      expect.stringContaining('Paris, Texas'),
      expect.stringContaining('Alice'),
      expect.stringContaining('demo://resource/dynamic/text/1'),
    ])
  })
})

test('an address that knows only the older transport is reached by it', { timeout: 60_000 }, async () => {
  const { state } = await app.approved({ ...(await everything('sse')), transport: 'streamable_http' })
  const turn = await app.turn([{ name: 'mcp__everything__echo', args: { message: 'over SSE' } }])
  expect([state, toolMessages(turn.requests.at(-1)!)[0]]).toEqual(['ready', 'Echo: over SSE'])
})

test('filesystem: reads and writes in the folder it was given', { timeout: 60_000 }, async () => {
  await writeFile(path.join(app.workspace, 'note.txt'), 'from the folder')
  const view = await app.approved({ name: 'filesystem', command: process.execPath, args: [program('filesystem'), app.workspace] })
  expect([view.state, view.tools.length]).toEqual(['ready', expect.any(Number)])
  const turn = await app.turn([
    { name: 'mcp__filesystem__read_text_file', args: { path: path.join(app.workspace, 'note.txt') } },
    { name: 'mcp__filesystem__write_file', args: { path: path.join(app.workspace, 'made.txt'), content: 'made' } },
    { name: 'mcp__filesystem__list_directory', args: { path: app.workspace } },
    { name: 'mcp__filesystem__read_text_file', args: { path: '/etc/passwd' } },
  ])
  const told = toolMessages(turn.requests.at(-1)!)
  expect(told[0]).toContain('from the folder')
  expect(told[2]).toContain('[FILE] made.txt')
  expect(told[3]).toMatch(/outside allowed/)
})

test('memory: what one session stored another one reads, from one process', { timeout: 60_000 }, async () => {
  await app.approved({
    name: 'memory',
    command: process.execPath,
    args: [program('memory')],
    env: { MEMORY_FILE_PATH: path.join(app.workspace, 'memory.jsonl') },
  })
  const entities = [{ name: 'Metona', entityType: 'app', observations: ['runs MCP servers'] }]
  const { pid } = await app.view('memory')
  await app.turn([{ name: 'mcp__memory__create_entities', args: { entities } }])
  const turn = await app.turn([{ name: 'mcp__memory__read_graph', args: {} }])
  expect(toolMessages(turn.requests.at(-1)!)[0]).toContain('runs MCP servers')
  expect([pid, (await app.view('memory')).pid]).toEqual([expect.any(Number), pid])
})

test('sequential thinking', { timeout: 60_000 }, async () => {
  await app.approved({ name: 'thinking', command: process.execPath, args: [program('sequential-thinking')] })
  const args = { thought: 'first', nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 }
  const turn = await app.turn([{ name: 'mcp__thinking__sequentialthinking', args }])
  expect(toolMessages(turn.requests.at(-1)!)[0]).toMatch(/"thoughtNumber":\s*1/)
})

test('what a person answers reaches the server, what they set for a tool holds', { timeout: 60_000 }, async () => {
  const { entry } = await app.approved(await everything('stdio'))
  const { client } = app.pipeline
  const set = (tool: string, permission: 'allow' | 'deny') =>
    client.call('mcp.setTool', { workspace: app.workspace, id: entry.id, tool, permission })
  await set('trigger-elicitation-request', 'allow')
  await set('echo', 'deny')
  const answers: Record<string, string> = { 'legal name': 'Ada', 'favorite integer': '7', 'Agree to': 'true' }
  const turn = await app.turn(
    [
      { name: 'mcp__everything__trigger-elicitation-request', args: {} },
      { name: 'mcp__everything__echo', args: { message: 'no' } },
    ],
    ({ question }) => {
      const words = Object.keys(answers).find((wording) => question?.text.includes(wording) === true)
      return words === undefined ? { decision: 'deny' } : { decision: 'allow', text: answers[words] ?? '' }
    },
  )
  const told = toolMessages(turn.requests.at(-1)!)
  // Allowed without a question: every question was the server's.
  expect(turn.questions.every(({ question }) => question !== undefined)).toBe(true)
  expect(told[0]).toMatch(/Ada[\s\S]*"integer": 7[\s\S]*"number": 3.14/)
  expect(told[1]).toMatch(/does not allow/)
})
