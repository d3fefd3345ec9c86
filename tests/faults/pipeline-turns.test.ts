/** Turns under pressure: many at once, a database that is held, a full disk, messages that wait, and what comes after a death. */
import { spawn, spawnSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import DatabaseConstructor from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Banner } from '#contracts/session/client-protocol.ts'
import type { SessionEvent, SessionEventName, SessionEventOf } from '#contracts/session/session-event.ts'
import { builtBundles } from '#tests/helpers/built-bundles.ts'
import { makeCliPlace, processesWith, type CliPlace } from '#tests/helpers/cli.ts'
import { endProcesses } from '#tests/helpers/end-processes.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider, type FakeRule } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline, type PipelineSession } from '#tests/helpers/pipeline.ts'
import { proof } from '#tests/helpers/proof.ts'
import { observe } from '#tests/helpers/run-observer.ts'
import type { SeveralSessionsOptions } from '#tests/helpers/several-sessions-app.ts'
import { differencesTo, openReadOnly, readEvidence, unsettled } from '#tests/helpers/stored-evidence.ts'
import { chatProblems, messagesOf } from '#tests/helpers/valid-chat.ts'
import { canMount, describeWith } from './needs.ts'

const SETTINGS = { model: 'deepseek/deepseek-flash', permission: 'full_access', sandbox: 'off' } as const

let provider: FakeProvider
let bundles: string
let place: CliPlace
let pipeline: Pipeline
let workspace: string
let banners: readonly Banner[]

beforeAll(async () => {
  bundles = await builtBundles()
  provider = await startFakeProvider()
}, 300_000)
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
})
afterEach(async () => {
  await pipeline.stop()
  await endProcesses(place.marker)
  await place.remove()
})

async function start(): Promise<void> {
  pipeline = startPipeline(place, {
    bundles,
    entryFor: (name) => path.join(bundles, name, 'entry.js'),
    commandHostEntry: path.join(bundles, 'command-host', 'entry.js'),
  })
  pipeline.client.onBanners((list) => (banners = list))
  banners = []
  workspace = await pipeline.open()
}

function eventOf<E extends SessionEventName>(session: PipelineSession, name: E): SessionEventOf<E> | undefined {
  return session.events.find((event): event is Extract<SessionEvent, { event: E }> => event.event === name) as SessionEventOf<E> | undefined
}

/** What the sessions were told is what is on disk, and every call and turn in it has its end. */
async function allStored(sessions: readonly PipelineSession[]): Promise<void> {
  await pipeline.stop()
  const evidence = await readEvidence(workspace)
  expect([
    ...differencesTo(
      sessions.flatMap((session) => session.events.map((event) => JSON.stringify(event))),
      evidence,
    ),
    ...[...evidence.log.values()].flatMap(unsettled),
  ]).toEqual([])
}

describe('eight sessions with four steps of tools each, all at once', () => {
  test('every turn ends, every transcript is whole, nothing of one is in another', { timeout: 120_000 }, async () => {
    await start()
    const names = Array.from({ length: 8 }, (_, index) => `session${index}x`)
    await Promise.all(names.map((name) => writeFile(path.join(place.workspace, `${name}.txt`), `content of ${name}\n`)))
    const rules = names.map((name): FakeRule => ({
      marker: name,
      answers: [
        ...[1, 2, 3, 4].map((step) => ({
          text: `${name} step ${step}`,
          tokensPerSecond: 300,
          toolCalls: [
            { name: 'read_file', args: { file_path: `${name}.txt`, limit: step } },
            { name: 'run_command', args: { command: `echo ${name}-${step}; echo ${name}-${step} >> ${name}.out` } },
          ],
        })),
        { text: `${name} is done` },
      ],
    }))
    await provider.script(rules)
    const sessions = await Promise.all(names.map(() => pipeline.session(SETTINGS)))
    await Promise.all(sessions.map((session, index) => session.prompt(`${names[index]} please`)))
    const ends = await Promise.all(sessions.map((session) => session.ended(1)))
    expect(ends.map((end) => end.reason)).toEqual(names.map(() => 'completed'))
    for (const [index, session] of sessions.entries()) {
      const name = names[index] as string
      const results = session.events.filter((event) => event.event === 'tool_result')
      expect(results.map((event) => [event.success, JSON.stringify(event.result).includes(name)])).toEqual(
        Array.from({ length: 8 }, () => [true, true]),
      )
      const strangers = names.filter((other) => other !== name && JSON.stringify([session.events, session.deltas]).includes(other))
      expect(strangers).toEqual([])
      expect(await readFile(path.join(place.workspace, `${name}.out`), 'utf8')).toBe(
        [1, 2, 3, 4].map((step) => `${name}-${step}\n`).join(''),
      )
    }
    for (const request of await provider.requests()) expect(chatProblems(messagesOf(request))).toEqual([])
    expect(banners).toEqual([])
    await allStored(sessions)
  })
})

describe('a database another program holds', () => {
  test('delays a turn and loses nothing of it; the client is told meanwhile', { timeout: 120_000 }, async () => {
    await start()
    await provider.script([
      { answers: [{ tokens: 30, tokensPerSecond: 60, toolCalls: [{ name: 'list_directory', args: { path: '.' } }] }, { text: 'done' }] },
    ])
    const session = await pipeline.session(SETTINGS)
    await session.prompt('go')
    await eventually('the stream', () => session.deltas.some((delta) => delta.delta === 'stream'))
    const holder = new DatabaseConstructor(path.join(workspace, '.metona', 'agent.db'), { timeout: 10_000 })
    holder.exec('BEGIN IMMEDIATE')
    const before = session.events.length
    await eventually('the banner', () => banners.some((banner) => banner.code === 'DATABASE_BUSY'), 60_000)
    await wait(proof(8_000, 1_000))
    expect(session.events.length).toBe(before)
    holder.exec('ROLLBACK')
    holder.close()
    expect(await session.ended(1)).toMatchObject({ reason: 'completed' })
    await eventually('the banner to go', () => banners.length === 0)
    const database = openReadOnly(workspace)
    const audit = database.prepare<[], { n: number }>("SELECT count(*) AS n FROM audit_logs WHERE event_type = 'tool_call'").get()
    database.close()
    expect(audit?.n).toBeGreaterThan(0)
    await allStored([session])
  })
})

describeWith(canMount(), 'the right to mount a tmpfs', false, 'a disk that is full', () => {
  test('delays a turn and loses nothing of it; another message is taken when there is room again', { timeout: 180_000 }, async () => {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', place.workspace])
    expect(mounted.status).toBe(0)
    try {
      await start()
      await provider.script([
        {
          answers: [
            { tokens: 60, tokensPerSecond: 60, toolCalls: [{ name: 'list_directory', args: { path: '.' } }] },
            { text: 'done' },
            { text: 'and again' },
          ],
        },
      ])
      const session = await pipeline.session(SETTINGS)
      await session.prompt('go')
      await eventually('the stream', () => session.deltas.some((delta) => delta.delta === 'stream'))
      const filler = path.join(place.workspace, 'filler')
      await writeFile(filler, Buffer.alloc(8 * 1024 * 1024)).catch((error: NodeJS.ErrnoException) => expect(error.code).toBe('ENOSPC'))
      await eventually('the banner', () => banners.some((banner) => banner.code === 'DISK_FULL'), 60_000)
      expect(eventOf(session, 'turn_end')).toBeUndefined()
      await rm(filler)
      expect(await session.ended(1)).toMatchObject({ reason: 'completed' })
      await session.prompt('go on')
      expect(await session.ended(2)).toMatchObject({ reason: 'completed' })
      await eventually('the banner to go', () => banners.every((banner) => banner.code !== 'DISK_FULL'))
      await allStored([session])
    } finally {
      await pipeline.stop()
      spawnSync('umount', ['-l', place.workspace])
    }
  })
})

describe('a session whose events cannot be written at all', () => {
  test('is taken up again as soon as they can be, and shown as it is on disk', { timeout: 120_000 }, async () => {
    pipeline = startPipeline(place, { bundles, entryFor: (name) => path.join(bundles, name, 'entry.js') })
    await pipeline.client.call('trust.add', { path: place.workspace })
    workspace = (await pipeline.client.call('workspace.open', { path: place.workspace, trust: 'stored' })).workspace
    await provider.script([{ answers: [{ tokens: 60, tokensPerSecond: 40 }, { text: 'again' }] }])
    const { sessionId } = await pipeline.client.call('session.create', { ...SETTINGS, workspace, interactive: false })
    const parts: { snapshot: boolean; events: string[] }[] = []
    pipeline.client.watch(sessionId, (part) =>
      parts.push({ snapshot: part.snapshot !== undefined, events: part.entries.flatMap((entry) => ('seq' in entry ? [entry.event] : [])) }),
    )
    await pipeline.client.call('session.subscribe', { sessionId })
    await pipeline.client.call('session.prompt', { sessionId, messageId: 'm_1', content: 'go' })
    await eventually('the stream', () => parts.some((part) => part.events.length === 0))
    // Storage dies and is not allowed back into the folder.
    await pipeline.client.call('trust.remove', { path: place.workspace })
    await pipeline.kill('storage')
    await eventually(
      'the session to be beyond use',
      () =>
        pipeline.client.call('session.prompt', { sessionId, messageId: 'm_2', content: 'now?', whenBusy: 'refuse' }).then(
          () => false,
          (error: { code: string }) => error.code === 'UNTRUSTED',
        ),
      60_000,
    )
    await pipeline.client.call('trust.add', { path: place.workspace })
    await eventually('the session to be back', () => parts.some((part) => part.events.includes('turn_end')), 60_000)
    await eventually('a snapshot of it', () => parts.some((part) => part.snapshot))
    const { snapshot } = await pipeline.client.call('session.subscribe', { sessionId })
    expect(snapshot.state).toBe('stopped')
    expect(snapshot.items.at(-1)).toMatchObject({ kind: 'turn_end', reason: 'interrupted' })
    await pipeline.client.call('session.prompt', { sessionId, messageId: 'm_3', content: 'again' })
    await eventually(
      'the next turn',
      async () => (await pipeline.client.call('session.list', { workspace })).sessions[0]?.state === 'done',
      60_000,
    )
    expect(chatProblems(messagesOf((await provider.requests()).at(-1)))).toEqual([])
    await allStored([])
  })
})

describe('messages that wait', () => {
  test('survive Stop in the middle of a batch of tools, and go next in their order', { timeout: 120_000 }, async () => {
    await start()
    await provider.script([
      {
        answers: [
          {
            toolCalls: [
              { name: 'run_command', args: { command: 'sleep 60' } },
              { name: 'run_command', args: { command: 'echo never' } },
            ],
          },
          { text: 'after the stop' },
          { text: 'the second' },
          { text: 'the third' },
        ],
      },
    ])
    const session = await pipeline.session(SETTINGS)
    const { client } = pipeline
    const { sessionId } = session
    const queue = async (): Promise<string[]> =>
      (await client.call('session.subscribe', { sessionId })).snapshot.queue.map((message) => message.content)
    await session.prompt('go')
    await eventually('the tool', () => eventOf(session, 'tool_call') !== undefined)
    expect(await client.call('session.prompt', { sessionId, messageId: 'm_steer', content: 'rather this way', whenBusy: 'steer' })).toEqual(
      { state: 'queued' },
    )
    expect(await client.call('session.prompt', { sessionId, messageId: 'm_queue', content: 'and then that', whenBusy: 'queue' })).toEqual({
      state: 'queued',
    })
    expect(await client.call('session.stop', { sessionId })).toMatchObject({ stopped: true, survivors: [] })
    expect(await queue()).toEqual(['rather this way', 'and then that'])
    await client.call('session.resume', { sessionId })
    await eventually(
      'both to have been answered',
      async () =>
        (await client.call('session.read', { workspace, sessionId })).events.filter((event) => event.event === 'turn_end').length === 3,
      60_000,
    )
    expect(await queue()).toEqual([])
    const { events } = await client.call('session.read', { workspace, sessionId })
    expect(events.flatMap((event) => (event.event === 'user_message' ? [event.content] : []))).toEqual([
      'go',
      'rather this way',
      'and then that',
    ])
    for (const request of await provider.requests()) expect(chatProblems(messagesOf(request))).toEqual([])
    await allStored([])
  })
})

async function effects(): Promise<string[]> {
  const text = await readFile(path.join(place.workspace, 'effects.txt'), 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .toSorted()
}

describe('after a SIGKILL', () => {
  test(
    'waiting messages are still there; resume and retry send what a strict provider takes, and run nothing again',
    { timeout: 180_000 },
    async () => {
      const command = (name: string): FakeRule => ({
        marker: name,
        answers: [
          {
            text: `${name} begins`,
            toolCalls: [
              { name: 'run_command', args: { command: `echo ${name} >> effects.txt; sleep 60` } },
              { name: 'list_directory', args: { path: '.' } },
            ],
          },
        ],
      })
      await provider.script([command('waiting'), command('resumed'), command('retried')])
      const options: SeveralSessionsOptions = {
        workspace: place.workspace,
        profile: place.profile,
        bundles,
        settings: SETTINGS,
        prompts: ['waiting', 'resumed', 'retried'],
        steering: 'steer it',
        queued: 'queue it',
      }
      const child = spawn(
        process.execPath,
        [path.join(import.meta.dirname, '..', 'helpers', 'several-sessions-app.ts'), JSON.stringify(options)],
        { cwd: place.folder, env: place.environment, stdio: ['ignore', 'pipe', 'ignore'] },
      )
      const observer = observe(child)
      await eventually(
        'six waiting messages',
        () => observer.events.filter((line) => line.includes('"message_queued"')).length === 6,
        60_000,
      )
      await eventually('the commands', async () => (await effects()).length === 3)
      child.kill('SIGKILL')
      await observer.ended
      await eventually('nothing left', async () => (await processesWith(place.marker)).length === 0)

      await provider.reset()
      await provider.script([{ answers: [{ text: 'I see' }], repeatLast: true }])
      await start()
      const { client } = pipeline
      const sessions = (await client.call('session.list', { workspace })).sessions
      expect(sessions.map((session) => session.state)).toEqual(['stopped', 'stopped', 'stopped'])
      const idOf = (title: string): string => sessions.find((session) => session.title === title)?.sessionId ?? ''
      const turnsOf = async (sessionId: string): Promise<string[]> =>
        (await client.call('session.read', { workspace, sessionId })).events.flatMap((event) =>
          event.event === 'turn_end' ? [event.reason] : [],
        )
      const queueOf = async (sessionId: string): Promise<string[]> =>
        (await client.call('session.subscribe', { sessionId })).snapshot.queue.map((message) => message.content)

      for (const title of ['waiting', 'resumed', 'retried']) {
        const { events } = await client.call('session.read', { workspace, sessionId: idOf(title) })
        expect(events.flatMap((event) => (event.event === 'tool_result' ? [[event.tool, event.outcome]] : []))).toEqual([
          ['run_command', 'unknown'],
          ['list_directory', 'aborted'],
        ])
        expect(await queueOf(idOf(title))).toEqual(['steer it', 'queue it'])
      }

      // Resume takes what waits, in its order.
      await client.call('session.resume', { sessionId: idOf('waiting') })
      await eventually('both messages', async () => (await turnsOf(idOf('waiting'))).length === 3, 60_000)
      expect(await turnsOf(idOf('waiting'))).toEqual(['interrupted', 'completed', 'completed'])
      expect(await queueOf(idOf('waiting'))).toEqual([])

      // Without any, it asks the model to go on; what it is told of the call is that nobody knows.
      for (const messageId of (await client.call('session.subscribe', { sessionId: idOf('resumed') })).snapshot.queue.map(
        (message) => message.messageId,
      ))
        await client.call('session.unqueue', { sessionId: idOf('resumed'), messageId })
      const before = (await provider.requests()).length
      await client.call('session.resume', { sessionId: idOf('resumed') })
      await eventually('the turn', async () => (await turnsOf(idOf('resumed'))).length === 2, 60_000)
      const messages = messagesOf((await provider.requests())[before])
      expect(messages.filter((message) => message.role === 'tool').map((message) => message.content)).toEqual([
        expect.stringContaining('unknown'),
        expect.stringContaining('not run'),
      ])

      // Retry leaves the broken answer out and asks the same again.
      for (const messageId of (await client.call('session.subscribe', { sessionId: idOf('retried') })).snapshot.queue.map(
        (message) => message.messageId,
      ))
        await client.call('session.unqueue', { sessionId: idOf('retried'), messageId })
      await client.call('session.retry', { sessionId: idOf('retried') })
      await eventually('the turn', async () => (await turnsOf(idOf('retried'))).length === 2, 60_000)
      expect(
        messagesOf((await provider.requests()).at(-1))
          .filter((message) => message.role !== 'system')
          .map((message) => message.role),
      ).toEqual(['user'])

      for (const request of await provider.requests()) expect(chatProblems(messagesOf(request))).toEqual([])
      expect(await effects()).toEqual(['resumed', 'retried', 'waiting'])
      await pipeline.stop()
      const evidence = await readEvidence(workspace)
      expect([...differencesTo(observer.events, evidence), ...[...evidence.log.values()].flatMap(unsettled)]).toEqual([])
    },
  )
})

describe('an abort of the whole process', () => {
  test('by one huge array is a restart and a recovery: nothing committed is lost', { timeout: 180_000 }, async () => {
    await provider.script([
      { marker: 'one', answers: [{ tokens: 2_000, tokensPerSecond: 60 }] },
      { marker: 'two', answers: [{ toolCalls: [{ name: 'run_command', args: { command: 'echo two >> effects.txt; sleep 100' } }] }] },
    ])
    const options: SeveralSessionsOptions = {
      workspace: place.workspace,
      profile: place.profile,
      bundles,
      settings: SETTINGS,
      prompts: ['one', 'two'],
      abortOn: 'abort.now',
    }
    const child = spawn(
      process.execPath,
      ['--max-old-space-size=200', path.join(import.meta.dirname, '..', 'helpers', 'several-sessions-app.ts'), JSON.stringify(options)],
      { cwd: place.folder, env: place.environment, stdio: ['ignore', 'pipe', 'ignore'] },
    )
    const closed = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('close', (code, signal) => resolve({ code, signal })),
    )
    const observer = observe(child)
    await eventually('both at work', async () => observer.texts.size > 0 && (await effects()).length === 1, 60_000)
    await wait(1_000)
    await writeFile(path.join(place.folder, 'abort.now'), '')
    const { code, signal } = await closed
    // V8 ends the process itself: by SIGABRT or SIGTRAP, never by an exit of ours.
    expect([code, ['SIGABRT', 'SIGTRAP', 'SIGILL'].includes(signal ?? '')]).toEqual([null, true])
    await eventually('nothing left', async () => (await processesWith(place.marker)).length === 0, 30_000)

    await provider.reset()
    await start()
    const { sessions } = await pipeline.client.call('session.list', { workspace })
    expect(sessions.map((session) => session.state)).toEqual(['stopped', 'stopped'])
    expect(await effects()).toEqual(['two'])
    await pipeline.stop()
    const evidence = await readEvidence(workspace)
    expect([...differencesTo(observer.events, evidence), ...[...evidence.log.values()].flatMap(unsettled)]).toEqual([])
    const kept = [...evidence.log.values()].flat().find((line) => line.includes('"finishReason":"aborted"')) ?? '{}'
    expect((JSON.parse(kept) as { content?: string }).content?.length ?? 0).toBeGreaterThan(20)
  })
})
