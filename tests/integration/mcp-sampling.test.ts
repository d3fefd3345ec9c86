/** What a server may ask for only where the person switched it on: an answer of the session's model, and a page they open themselves. */
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import type { McpServerView } from '#contracts/tools/mcp-server.ts'
import { startMcpPipeline, toolMessages, type Answer, type McpPipeline, type Question } from '#tests/helpers/mcp/mcp-pipeline.ts'

const EVERYTHING = path.resolve(import.meta.dirname, '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')
const HOSTILE = path.resolve(import.meta.dirname, '../helpers/mcp/hostile-stdio-server-entry.ts')
const server = { name: 'everything', command: process.execPath, args: [EVERYTHING, 'stdio'] }
/** Its own words, in no request of the conversation. */
const OWN = 'You are a helpful test server.'
const sample = { name: 'mcp__everything__trigger-sampling-request', args: { prompt: 'say \u202Ehi', maxTokens: 9_000 } }
const rules = [{ marker: OWN, answers: [{ text: 'the sampled answer' }], repeatLast: true }]

let app: McpPipeline
let before: McpServerView
beforeAll(async () => {
  app = await startMcpPipeline()
  before = await app.approved(server)
  const { launchHash, entry } = before
  const { client } = app.pipeline
  const place = { workspace: app.workspace, id: entry.id }
  await client.call('mcp.setOptions', { ...place, options: { sampling: true, urlElicitation: true } })
  const { toolsHash = '' } = await client.call('mcp.test', place)
  await client.call('mcp.approve', { ...place, launchHash, toolsHash })
}, 60_000)
afterAll(() => app.stop(), 30_000)

const isServers = (question: Question): boolean => question.reason.startsWith('mcp_')
/** The call itself is allowed; what the server asks gets this answer. */
const answering =
  (decision: Answer['decision']) =>
  (question: Question): Answer => ({ decision: isServers(question) ? decision : 'allow' })
const bodies = (requests: readonly { body: unknown }[]): Record<string, unknown>[] =>
  requests.map(({ body }) => body as Record<string, unknown>).filter((body) => JSON.stringify(body).includes(OWN))

test('a question ends with its call: nobody is asked on, and the call keeps its outcome', { timeout: 60_000 }, async () => {
  const hostile = { name: 'goes', command: process.execPath, args: [HOSTILE, 'asks-and-goes', app.place.folder] }
  await app.approved(hostile)
  const turning = app.turn([{ name: 'mcp__goes__poke', args: {} }], (question) => {
    if (question.question === undefined) return { decision: 'allow' }
    writeFileSync(path.join(app.place.folder, 'seen'), '')
    return undefined
  })
  const { session, results } = await turning
  const answers = session.events.filter((event) => event.event === 'permission').map(({ decision, reason }) => [decision, reason])
  expect([answers.at(-1), results.map(({ outcome }) => outcome)]).toEqual([['deny', 'withdrawn'], ['ok']])
})

test('a question the server takes back is closed, and that is said, while the call goes on', { timeout: 60_000 }, async () => {
  const hostile = { name: 'gives-up', command: process.execPath, args: [HOSTILE, 'asks-and-gives-up', app.place.folder] }
  await app.approved(hostile)
  rmSync(path.join(app.place.folder, 'seen'), { force: true })
  const said: string[] = []
  const { session, results } = await app.turn([{ name: 'mcp__gives-up__poke', args: {} }], (question, asking) => {
    if (question.question === undefined) return { decision: 'allow' }
    writeFileSync(path.join(app.place.folder, 'seen'), '')
    void eventually('the question to be closed', async () => asking.events.some(({ event }) => event === 'notice')).then(() => {
      said.push(...asking.events.filter(({ event }) => event === 'notice').map((event) => String((event as { code?: string }).code)))
      writeFileSync(path.join(app.place.folder, 'closed'), '')
    })
    return undefined
  })
  const [answer] = session.events.filter((event) => event.event === 'permission').slice(-1)
  expect([answer?.decision, answer?.by, said, results.map(({ outcome }) => outcome)]).toEqual([
    'deny',
    'asker',
    ['question_withdrawn'],
    ['ok'],
  ])
})

test('off unless switched on: the server is not told that it could ask', () => {
  const { options, tools } = before
  const names = tools.map(({ name }) => name)
  expect([options.sampling, options.urlElicitation, names.filter((name) => /sampling|url-elicitation/.test(name))]).toEqual([
    false,
    false,
    [],
  ])
})

test(
  'an allowed request goes to the session’s model with the server’s text alone, and is paid by the session',
  { timeout: 60_000 },
  async () => {
    const { requests, questions, results, session } = await app.turn([sample], answering('allow'), { rules })
    const [asked] = questions.filter(isServers)
    expect([asked?.reason, asked?.reasonParams, asked?.display]).toEqual([
      'mcp_sampling',
      { server: 'everything', model: 'deepseek/deepseek-v4-pro', tokens: '4096' },
      `[system]\n${OWN}\n\n[user]\nResource trigger-sampling-request context: say ⟨U+202E⟩hi`,
    ])
    const [sent, ...more] = bodies(requests)
    expect([more, sent?.['messages'], sent?.['max_tokens'], sent?.['tools']]).toEqual([
      [],
      [
        { role: 'system', content: OWN },
        { role: 'user', content: 'Resource trigger-sampling-request context: say \u202Ehi' },
      ],
      4096,
      undefined,
    ])
    expect(toolMessages(requests.at(-1)!)[0]).toMatch(
      /"model": "deepseek-v4-pro"[\s\S]*the sampled answer|the sampled answer[\s\S]*"model": "deepseek-v4-pro"/,
    )
    expect(results[0]?.outcome).toBe('ok')
    const side = session.events.filter((event) => event.event === 'side_request')
    expect(side.map(({ purpose, usage, cost }) => [purpose, usage.totalTokens > 0, cost !== undefined])).toEqual([['sampling', true, true]])
  },
)

test('a refused request reaches no model, and the server is told', { timeout: 60_000 }, async () => {
  const { requests, results, session } = await app.turn([sample], answering('deny'), { rules })
  expect([bodies(requests), session.events.filter((event) => event.event === 'side_request')]).toEqual([[], []])
  expect(JSON.stringify(results[0])).toContain('User rejected sampling request')
})

test('what the session may spend holds for the server’s requests as well', { timeout: 60_000 }, async () => {
  const { client } = app.pipeline
  await client.call('config.set', { key: 'limits.turnTokens', value: 1 })
  try {
    const { requests, results } = await app.turn([sample], answering('allow'), { rules })
    expect([bodies(requests), JSON.stringify(results[0])]).toEqual([[], expect.stringContaining('SPENDING_LIMIT')])
  } finally {
    await client.call('config.set', { key: 'limits.turnTokens', value: null })
  }
})

test('Stop while the model writes for the server: the request is closed, the turn ends', { timeout: 60_000 }, async () => {
  const slow = [{ marker: OWN, answers: [{ tokens: 5_000, tokensPerSecond: 20 }] }]
  let sessionId = ''
  const turning = app.turn(
    [sample],
    (question, session) => {
      sessionId = session.sessionId
      return answering('allow')(question)
    },
    { rules: slow },
  )
  const written = async () => bodies((await app.provider.requests()).filter(({ tokensSent }) => tokensSent > 0)).length
  await eventually('the model to write', async () => (await written()) === 1)
  await app.pipeline.client.call('session.stop', { sessionId })
  const { end } = await turning
  const [request] = (await app.provider.requests()).filter(({ body }) => JSON.stringify(body).includes(OWN))
  expect([end, request?.closedByClientAt !== undefined]).toEqual(['aborted', true])
})

test('a page is shown and not opened; only a yes goes to the server, on both ways of asking', { timeout: 60_000 }, async () => {
  const open = (url: string, errorPath = false) => ({
    name: 'mcp__everything__trigger-url-elicitation',
    args: { url, message: `Sign${'\n'.repeat(400)}in`, errorPath },
  })
  const allowed = await app.turn([open('https://example.com/a\u200B'), open('https://example.com/b', true)], answering('allow'))
  const asked = allowed.questions.filter(isServers)
  expect(asked.map(({ reason, display }) => [reason, display])).toEqual([
    ['mcp_open_page', 'https://example.com/a%E2%80%8B\nSign in'],
    ['mcp_open_page', expect.stringMatching(/^https:\/\/modelcontextprotocol\.io\/\n.+$/)],
    ['mcp_open_page', 'https://example.com/b\nSign in'],
  ])
  expect(toolMessages(allowed.requests.at(-1)!).map((text) => /accept/i.test(text))).toEqual([true, true])
  const denied = await app.turn([open('https://example.com/c'), open('https://example.com/d', true)], answering('deny'))
  expect(toolMessages(denied.requests.at(-1)!)).toEqual([expect.stringMatching(/decline/i), expect.stringMatching(/refused the call/)])
  const file = await app.turn([open('file:///etc/passwd')], answering('allow'))
  expect([file.questions.filter(isServers), toolMessages(file.requests.at(-1)!)[0]]).toEqual([[], expect.stringMatching(/decline/i)])
})
