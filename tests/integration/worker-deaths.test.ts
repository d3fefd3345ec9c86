/** Each worker killed once in mid-stream: what the design says each death means, and no more. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { driveTurn } from '#main/cli/turn-driver.ts'
import { makeCliPlace, writeCsv, type CliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline, type PipelineSession } from '#tests/helpers/pipeline.ts'

const SETTINGS = { model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' } as const
let provider: FakeProvider
let place: CliPlace
let pipeline: Pipeline
let workspace: string

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  await writeCsv(place)
  pipeline = startPipeline(place)
  workspace = await pipeline.open()
})
afterEach(async () => {
  await pipeline.stop()
  await place.remove()
})

function textSoFar(session: PipelineSession): string {
  return session.deltas.map((delta) => (delta.delta === 'stream' && delta.event.type === 'text_delta' ? delta.event.delta : '')).join('')
}

/** By default the stream outlasts every delay of a busy machine: the worker dies in the middle of it. */
async function streamingSession(marker: string, tokens = 6_000): Promise<PipelineSession> {
  await provider.script([{ marker, answers: [{ tokens, tokensPerSecond: 100, tokenPrefix: marker }, { text: `${marker} again` }] }])
  const session = await pipeline.session(SETTINGS)
  await session.prompt(`${marker} please`)
  await eventually('text to stream', () => textSoFar(session).length > 20)
  return session
}

async function expectConsistent(): Promise<void> {
  expect((await pipeline.client.call('doctor.verify', { workspace })).differences).toEqual([])
}

test('llm: every open stream ends retryable and keeps its text; the next prompt works', async () => {
  const sessions = [await streamingSession('anna'), await streamingSession('bert')]
  const shown = sessions.map(textSoFar)
  await pipeline.kill('llm')
  for (const [index, session] of sessions.entries()) {
    const end = await session.ended(1)
    expect(end).toMatchObject({ reason: 'failed', error: { retryable: true, providerCode: 'WORKER_LOST' } })
    const response = session.events.find((event) => event.event === 'llm_response')
    expect(response).toMatchObject({ finishReason: 'error', content: expect.stringContaining(shown[index] as string) })
    await session.prompt(['anna please', 'bert please'][index] as string)
    expect(await session.ended(2)).toMatchObject({ reason: 'completed' })
  }
  expect(pipeline.exits.map(({ name, restarting }) => ({ name, restarting }))).toEqual([{ name: 'llm', restarting: true }])
  await expectConsistent()
})

test('tools: the call that was in it fails by its name, another session’s stream goes on untouched', async () => {
  const stream = await streamingSession('carl', 800)
  await provider.script([
    { marker: 'run it', answers: [{ toolCalls: [{ name: 'run_command', args: { command: 'sleep 600' } }] }, { text: 'so be it' }] },
  ])
  const calling = await pipeline.session(SETTINGS)
  await calling.prompt('run it')
  await eventually('the call to run', () => calling.events.some((event) => event.event === 'tool_call'))
  await pipeline.kill('tools')
  expect(await calling.ended(1)).toMatchObject({ reason: 'completed' })
  const result = calling.events.find((event) => event.event === 'tool_result')
  expect(result).toMatchObject({ tool: 'run_command', success: false })
  expect(await stream.ended(1)).toMatchObject({ reason: 'completed' })
  expect(stream.events.find((event) => event.event === 'llm_response')).toMatchObject({
    content: Array.from({ length: 800 }, (_, index) => `carl${index} `).join(''),
  })
  await expectConsistent()
})

test('storage: commits wait and are repeated; no turn notices, no event is lost or stored twice', async () => {
  const sessions = [await streamingSession('dora', 800), await streamingSession('emil', 800)]
  await pipeline.kill('storage')
  for (const session of sessions) {
    expect(await session.ended(1)).toMatchObject({ reason: 'completed' })
    expect(session.events.map((event) => event.seq)).toEqual(session.events.map((_, index) => index))
    const stored = (await pipeline.client.call('session.read', { workspace, sessionId: session.sessionId })).events
    expect(stored.slice(0, session.events.length)).toEqual(session.events)
  }
  await expectConsistent()
})

test('session: rebuilt from storage, the running turns interrupted, no committed event lost', async () => {
  const sessions = [await streamingSession('fred'), await streamingSession('gwen')]
  const seen = sessions.map((session) => [...session.events])
  const shown = sessions.map(textSoFar)
  let resets = 0
  pipeline.client.onReset(() => (resets += 1))
  await pipeline.kill('session')
  await eventually('the client to be told', () => resets === 1)
  await pipeline.open()
  for (const [index, session] of sessions.entries()) {
    await session.takeUp()
    expect(await session.ended(1)).toMatchObject({ reason: 'interrupted' })
    expect(session.events.slice(0, seen[index]?.length)).toEqual(seen[index])
    expect(session.events.map((event) => event.seq)).toEqual(session.events.map((_, seq) => seq))
    // Streamed text that was not part of an event may lose its last 750 ms.
    const kept = session.events.find((event) => event.event === 'llm_response')
    const text = kept?.event === 'llm_response' ? kept.content : ''
    expect(
      ['fred', 'gwen'][index] + ' ' + String((shown[index] as string).startsWith(text) || text.startsWith(shown[index] as string)),
    ).toBe(['fred', 'gwen'][index] + ' true')
    await session.prompt(['fred please', 'gwen please'][index] as string)
    expect(await session.ended(2)).toMatchObject({ reason: 'completed' })
  }
  await expectConsistent()
})

test('session: a run in the terminal takes the session up, gives every event and ends as interrupted', async () => {
  await provider.script([{ marker: 'hans', answers: [{ tokens: 6_000, tokensPerSecond: 100 }] }])
  const events: SessionEvent[] = []
  let streamed = 0
  const driver = driveTurn(
    { client: pipeline.client, trouble: { current: () => undefined } },
    { workspace, trust: 'once', settings: SETTINGS, prompt: 'hans please', interactive: false },
    { onEvent: (event) => events.push(event), onDelta: () => (streamed += 1), onSnapshot: () => undefined },
  )
  await eventually('the stream', () => streamed > 5)
  await pipeline.kill('session')
  const { end, sessionId } = await driver.outcome
  expect(end).toMatchObject({ reason: 'interrupted' })
  expect(events).toEqual((await pipeline.client.call('session.read', { workspace, sessionId })).events)
})
