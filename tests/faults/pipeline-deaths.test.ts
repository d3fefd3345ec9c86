/**
 * Eight deaths of each of the five workers, in the whole pipeline with sessions at work. The oracle is the design's
 * sentence about each worker: what its death means, and what it must not touch.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent, SessionEventName, SessionEventOf } from '#contracts/session/session-event.ts'
import type { RestartPolicy } from '#main/host/restart-budget.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { makeCliPlace, nothingLeft, type CliPlace } from '#tests/helpers/cli.ts'
import { DEATHS, orderDeath, type Death } from '#tests/helpers/deaths.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { mortalBundles, type MortalBundles } from '#tests/helpers/mortal-bundles.ts'
import { startPipeline, type Pipeline, type PipelineSession } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'
import { differencesTo, readEvidence, unsettled } from '#tests/helpers/stored-evidence.ts'
import { chatProblems, messagesOf } from '#tests/helpers/valid-chat.ts'

/** From the report of a death to a worker that is ready. */
const BACK_WITHIN_MS = proof(5_000, 20_000)
const RATE = 60
const TOKENS = proof(240, 90)
/** How long a spinning thread may spin before it is taken for dead: the product's 10 s would only make the test longer. */
const HEARTBEAT = { intervalMs: 100, missLimit: 30 }
const SETTINGS = { model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' } as const

let provider: FakeProvider
let mortal: MortalBundles
let place: CliPlace
let pipeline: Pipeline
let workspace: string
let round = 0

beforeAll(async () => {
  mortal = await mortalBundles()
  provider = await startFakeProvider()
}, 300_000)
afterAll(async () => {
  await provider.stop()
  await mortal.remove()
})

/** Eight deaths in a row are the test's doing. */
const EVERY_DEATH: RestartPolicy = { delaysMs: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0], windowMs: 600_000 }

async function open(restart = EVERY_DEATH): Promise<void> {
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  const timing = { heartbeat: HEARTBEAT }
  const limits = { maxOldGenerationSizeMb: 96 }
  pipeline = startPipeline(place, {
    bundles: mortal.bundles,
    entryFor: () => path.join(import.meta.dirname, '..', 'helpers', 'mortal-entry.ts'),
    commandHostEntry: path.join(mortal.bundles, 'command-host', 'entry.js'),
    timing: { session: timing, llm: timing, tools: timing, storage: timing },
    limits: { session: limits, llm: limits, tools: limits, storage: limits },
    restart,
  })
  workspace = await pipeline.open()
}

/** After all deaths of a worker: what is on disk is whole, nothing is left running. */
async function close(): Promise<void> {
  const seen = sessions.flatMap((session) => session.events).map((event) => JSON.stringify(event))
  await pipeline.stop()
  const evidence = await readEvidence(workspace)
  const settled = [...evidence.log.values()].flatMap(unsettled)
  await nothingLeft(place)
  await place.remove()
  sessions = []
  expect([...differencesTo(seen, evidence), ...settled]).toEqual([])
}

let sessions: PipelineSession[] = []

async function prompted(marker: string): Promise<PipelineSession> {
  const session = await pipeline.session(SETTINGS)
  sessions.push(session)
  await session.prompt(`${marker} please`)
  return session
}

const words = (marker: string): string => Array.from({ length: TOKENS }, (_, index) => `${marker}_${index} `).join('')

function textOf(session: PipelineSession): string {
  return session.deltas.map((delta) => (delta.delta === 'stream' && delta.event.type === 'text_delta' ? delta.event.delta : '')).join('')
}

function eventOf<E extends SessionEventName>(session: PipelineSession, name: E): SessionEventOf<E> | undefined {
  return session.events.find((event): event is Extract<SessionEvent, { event: E }> => event.event === name) as SessionEventOf<E> | undefined
}

interface AtWork {
  readonly name: string
  readonly streaming: PipelineSession[]
  /** Runs a command that takes a while and writes one line. */
  readonly calling: PipelineSession
}

/** Two sessions stream, a third is in a command. */
async function atWork(): Promise<AtWork> {
  round += 1
  const name = `r${round}`
  const markers = [`${name}a`, `${name}b`]
  await provider.script([
    ...markers.map((marker) => ({
      marker,
      answers: [{ tokens: TOKENS, tokensPerSecond: RATE, tokenPrefix: `${marker}_` }, { text: `${marker} again` }],
    })),
    {
      marker: `${name}c`,
      answers: [
        {
          toolCalls: [
            { name: 'run_command', args: { command: `echo begun-${name} >> effects.txt; sleep 1.2; echo ended-${name} >> effects.txt` } },
          ],
        },
        { text: 'the command is over' },
        { text: `${name}c again` },
      ],
    },
  ])
  const [first, second, calling] = await Promise.all([...markers, `${name}c`].map(prompted))
  const working = { name, streaming: [first, second] as PipelineSession[], calling: calling as PipelineSession }
  await eventually(
    'all of them at work',
    async () => working.streaming.every((session) => textOf(session).length > 40) && (await effects()).includes(`begun-${name}`),
  )
  return working
}

async function effects(): Promise<string[]> {
  return (await readFile(path.join(place.workspace, 'effects.txt'), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
}

async function kill(name: WorkerName, death: Death): Promise<void> {
  const before = pipeline.exits.length
  if (death === 'terminate') void pipeline.host.supervisor.worker(name).thread()?.terminate()
  else orderDeath({ worker: name, death })
  await eventually('the death to be reported', () => pipeline.exits.length > before)
  const since = performance.now()
  await eventually(`${name} to be back`, () => pipeline.host.supervisor.worker(name).state() === 'running', BACK_WITHIN_MS)
  expect(pipeline.exits.slice(before)).toMatchObject([{ name, restarting: true }])
  expect(performance.now() - since).toBeLessThan(BACK_WITHIN_MS)
}

/** The sessions that were not in the dead worker finish as if nothing had happened, with every token. */
async function goesOn({ streaming }: AtWork): Promise<void> {
  for (const session of streaming) {
    expect(await session.ended(1)).toMatchObject({ reason: 'completed' })
    const marker = eventOf(session, 'user_message')?.content.split(' ')[0] ?? ''
    expect(eventOf(session, 'llm_response')?.content).toBe(words(marker))
    expect(textOf(session)).toBe(words(marker))
  }
}

async function commandFinishes({ name, calling }: AtWork): Promise<void> {
  expect(await calling.ended(1)).toMatchObject({ reason: 'completed' })
  expect(eventOf(calling, 'tool_result')).toMatchObject({ tool: 'run_command', success: true, outcome: 'ok' })
  expect((await effects()).filter((line) => line.endsWith(name))).toEqual([`begun-${name}`, `ended-${name}`])
}

/** The next message works, and what is sent with it is what a strict provider takes. */
async function worksAgain(session: PipelineSession): Promise<void> {
  const turn = session.events.reduce((last, event) => Math.max(last, event.turn ?? 0), 0) + 1
  await session.prompt(`${eventOf(session, 'user_message')?.content ?? ''}`)
  expect(await session.ended(turn)).toMatchObject({ reason: 'completed' })
  expect(chatProblems(messagesOf((await provider.requests()).at(-1)))).toEqual([])
}

describe('llm', () => {
  beforeAll(() => open(), 60_000)
  afterAll(close, 60_000)
  test.each(DEATHS)('%s: every open stream ends retryable with its text, a running tool goes on', async (death) => {
    const working = await atWork()
    const shown = working.streaming.map(textOf)
    await kill('llm', death)
    for (const [index, session] of working.streaming.entries()) {
      expect(await session.ended(1)).toMatchObject({ reason: 'failed', error: { retryable: true, providerCode: 'WORKER_LOST' } })
      const response = eventOf(session, 'llm_response')
      expect(response?.content.startsWith(shown[index] ?? '-')).toBe(true)
      expect(response?.content).toBe(textOf(session))
    }
    await commandFinishes(working)
    await worksAgain(working.streaming[0] as PipelineSession)
  })
})

describe('tools', () => {
  beforeAll(() => open(), 60_000)
  afterAll(close, 60_000)
  test.each(DEATHS)('%s: the call in it fails by its name and is not run again, streams go on', async (death) => {
    const working = await atWork()
    await kill('tools', death)
    expect(await working.calling.ended(1)).toMatchObject({ reason: 'completed' })
    expect(eventOf(working.calling, 'tool_result')).toMatchObject({
      tool: 'run_command',
      success: false,
      outcome: 'unknown',
      error: expect.stringContaining('run_command'),
    })
    await goesOn(working)
    await worksAgain(working.calling)
    expect((await effects()).filter((line) => line === `begun-${working.name}`)).toHaveLength(1)
  })
})

describe('storage', () => {
  beforeAll(() => open(), 60_000)
  afterAll(close, 60_000)
  test.each(DEATHS)('%s: commits wait and are repeated, no turn notices', async (death) => {
    const working = await atWork()
    await kill('storage', death)
    await Promise.all([goesOn(working), commandFinishes(working)])
    for (const session of [...working.streaming, working.calling])
      expect(session.events.map((event) => event.seq)).toEqual(session.events.map((_, seq) => seq))
    await worksAgain(working.calling)
  })
})

describe('context', () => {
  beforeAll(() => open(), 60_000)
  afterAll(close, 60_000)
  // A thread of a pool has no terminate() from outside.
  test.each(DEATHS.filter((death) => death !== 'terminate'))(
    '%s: the request in it waits and is made again, streams and tools go on',
    { timeout: 120_000 },
    async (death) => {
      const working = await atWork()
      const threadBefore = await contextThread()
      // Held up first, so that the request is in the thread when it dies. A spinning thread is given up after 30 s; the
      // small tier lets it come back before, the large one waits.
      const returns = death === 'spin' && proof(false, true)
      orderDeath(returns ? { worker: 'context', blockMs: 3_000 } : { worker: 'context', death, blockMs: 300 })
      await provider.script([{ marker: `${working.name}d`, answers: [{ text: 'built after all' }] }])
      const waiting = await prompted(`${working.name}d`)
      expect(await waiting.ended(1)).toMatchObject({ reason: 'completed' })
      if (!returns) expect(await contextThread()).not.toBe(threadBefore)
      await Promise.all([goesOn(working), commandFinishes(working)])
      await worksAgain(working.streaming[0] as PipelineSession)
      expect(pipeline.exits).toEqual([])
    },
  )
})

async function contextThread(): Promise<number | undefined> {
  return (await pipeline.client.call('health.read', {})).threads['context']
}

describe('session', () => {
  beforeAll(() => open(), 60_000)
  afterAll(close, 60_000)
  test.each(DEATHS)(
    '%s: rebuilt from storage, running turns interrupted, nothing committed lost, also where nobody looks',
    async (death) => {
      const working = await atWork()
      const shown = working.streaming.map(textOf)
      await wait(900)
      let resets = 0
      pipeline.client.onReset(() => (resets += 1))
      await kill('session', death)
      await eventually('the client to be told', () => resets === 1)
      await pipeline.open()
      const { sessions: rows } = await pipeline.client.call('session.list', { workspace })
      const ids = [...working.streaming, working.calling].map((session) => session.sessionId)
      expect(rows.filter((row) => ids.includes(row.sessionId)).map((row) => row.state)).toEqual(['stopped', 'stopped', 'stopped'])
      for (const [index, session] of working.streaming.entries()) {
        await session.takeUp()
        expect(await session.ended(1)).toMatchObject({ reason: 'interrupted' })
        // What was there 900 ms before the death was old enough to be kept.
        expect(eventOf(session, 'llm_response')?.content.startsWith(shown[index] ?? '-')).toBe(true)
      }
      await working.calling.takeUp()
      expect(await working.calling.ended(1)).toMatchObject({ reason: 'interrupted' })
      expect(eventOf(working.calling, 'tool_result')).toMatchObject({ outcome: 'unknown', success: false })
      await worksAgain(working.streaming[0] as PipelineSession)
      await worksAgain(working.calling)
      expect((await effects()).filter((line) => line === `begun-${working.name}`)).toHaveLength(1)
    },
  )
})

test('control: with no restart allowed the app does not come back from a death', async () => {
  await open({ delaysMs: [], windowMs: 600_000 })
  const working = await atWork()
  orderDeath({ worker: 'llm', death: 'exit' })
  const [session] = working.streaming as [PipelineSession]
  expect(await session.ended(1)).toMatchObject({ reason: 'failed' })
  await session.prompt(`${working.name}a please`)
  expect(await session.ended(2)).toMatchObject({ reason: 'failed', error: { providerCode: 'WORKER_FAILED' } })
  await close()
})

test('a key set in this run is still there after the llm worker died, and still kept out of everything', async () => {
  await open()
  const apiKey = 'set-in-this-run/0123456789abcdef'
  await pipeline.client.call('providers.setKey', { provider: 'deepseek', apiKey })
  await kill('llm', 'terminate')
  await kill('storage', 'terminate')
  await provider.script([{ answers: [{ text: `your key is ${apiKey}` }] }])
  const session = await prompted('any')
  expect(await session.ended(1)).toMatchObject({ reason: 'completed' })
  expect((await provider.requests()).at(-1)?.headers['authorization']).toBe(`Bearer ${apiKey}`)
  expect(eventOf(session, 'llm_response')?.content).toBe('your key is [redacted deepseek-key]')
  expect(textOf(session)).toBe('your key is [redacted deepseek-key]')
  await close()
})
