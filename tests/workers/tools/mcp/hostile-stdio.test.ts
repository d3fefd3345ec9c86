/** A server over stdio that misbehaves in every way we could think of: each failure has a name, nothing unapproved happens. */
// long: waits for silence
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { makeMcpHostPlace, type Called, type McpHostPlace } from '#tests/helpers/mcp/mcp-host-place.ts'
import { livingProcesses } from '../../../main/command-host/living-processes.ts'

const SERVER = path.resolve(import.meta.dirname, '../../../helpers/mcp/hostile-stdio-server-entry.ts')
/** The real limits are half a minute and more. Long enough for five floods side by side to be seen as floods on a busy machine. */
const QUICK = { handshakeMs: 8_000, listMs: 8_000, idleMs: 1_500, totalMs: 3_000 }

let place: McpHostPlace
beforeAll(async () => {
  place = await makeMcpHostPlace({ limits: QUICK })
})
afterAll(async () => {
  const marker = place.folder
  await place.stop()
  // The oracle: nothing of any server is left, whatever it did to stay.
  await eventually('all processes of the servers to be gone', () => livingProcesses(marker).length === 0, 5_000)
}, 30_000)

/** Most rows wait for a limit to pass: a few of them at a time. */
function severalAtOnce<T>(behaviours: readonly string[], work: (behaviour: string) => Promise<T>): (behaviour: string) => Promise<T> {
  const waiting = [...behaviours]
  const outcomes = new Map<string, Promise<T>>()
  let last: Promise<unknown>[] = []
  return (behaviour) => {
    if (!outcomes.has(behaviour)) {
      const group = waiting.splice(0, 5)
      last = group.map((name) => {
        const outcome = work(name)
        outcome.catch(() => undefined)
        outcomes.set(name, outcome)
        return outcome
      })
    }
    return Promise.allSettled(last).then(() => outcomes.get(behaviour) as Promise<T>)
  }
}

const server = (behaviour: string) => ({
  name: behaviour,
  transport: 'stdio' as const,
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', SERVER, behaviour, path.join(place.folder, 'left')],
})
/** What this server's calls left. */
const effectsOf = async (behaviour: string): Promise<string[]> =>
  (await place.effects()).filter((name) => name.startsWith(`${behaviour}.called`))
const poke = (behaviour: string, options = {}): Promise<Called> => place.call(behaviour, 'poke', { word: 'w' }, options)

describe('does not get ready, and says why', () => {
  const FAILURES: readonly (readonly [string, string, RegExp])[] = [
    ['silent', 'TIMEOUT', /in time/],
    ['silent-list', 'TIMEOUT', /in time/],
    ['garbage-only', 'GARBAGE', /no messages/],
    ['not-a-server', 'ENDED', /exit code 64/],
    ['no-line-end', 'TOO_BIG', /larger than 16 MiB/],
    ['endless-cursor', 'ENDLESS_LIST', /50 pages/],
    ['circle-cursor', 'ENDLESS_LIST', /circle/],
    ['huge-list', 'TOO_BIG', /4 MiB/],
    ['too-many-tools', 'TOO_BIG', /1000 tools/],
    ['list-no-array', 'BAD_PROTOCOL', /holds no tools/],
    ['huge-initialize', 'TOO_BIG', /larger than 16 MiB/],
    ['exit-at-once', 'ENDED', /exit code 3/],
    ['exit-at-initialize', 'ENDED', /exit code 4/],
    ['exit-after-initialize', 'ENDED', /exit code 5/],
    ['exit-at-list', 'ENDED', /exit code 6/],
    ['old-version', 'BAD_PROTOCOL', /version/],
    ['initialize-error', 'BAD_PROTOCOL', /no/],
    ['initialize-nonsense', 'BAD_PROTOCOL', /protocolVersion/],
  ]
  const start = severalAtOnce(
    FAILURES.map(([behaviour]) => behaviour),
    (behaviour) => place.start(server(behaviour)),
  )
  test.each(FAILURES)('%s', { timeout: 30_000 }, async (behaviour, code, message) => {
    const { state, failure } = await start(behaviour)
    expect([['failed', 'restarting'].includes(state), failure?.code]).toEqual([true, code])
    expect(failure?.message).toMatch(message)
    if (behaviour === 'exit-at-once') expect(failure?.stderr).toBe('cannot find the database')
    expect(await effectsOf(behaviour)).toEqual([])
  })

  test.each(['notification-flood', 'request-flood'])('%s: ready, then ended', { timeout: 30_000 }, async (behaviour) => {
    await place.start(server(behaviour))
    const failure = await eventually('it to be ended', async () => (await place.view(behaviour)).failure, 20_000)
    expect(failure.code).toBe('FLOOD')
  })

  test('a program that is not there', async () => {
    const { state, failure } = await place.start({ name: 'none', transport: 'stdio', command: 'no-such-program-anywhere', args: [] })
    expect([state, failure?.code]).toEqual(['failed', 'NOT_FOUND'])
  })
})

describe('is borne', () => {
  test.each([
    ['good', 'poked'],
    ['garbage-between', 'poked'],
    ['stderr-flood', 'poked'],
    ['double-answers', 'poked'],
    ['split-bytes', '你好 🙂'],
    ['bad-utf8', '\ufffd\ufffd\ufffd'],
    ['no-content', '[The tool returned nothing.]'],
  ])('%s', { timeout: 30_000 }, async (behaviour, text) => {
    const { state } = await place.approve(server(behaviour))
    const first = await poke(behaviour)
    const second = await poke(behaviour)
    expect([state, first.text, second.text]).toEqual(['ready', text, text])
  })

  test('a list that changes ten thousand times is looked at a few times', { timeout: 20_000 }, async () => {
    await place.approve(server('list-changed-storm'))
    await eventually('a call to get through', async () => (await poke('list-changed-storm')).text === 'poked')
    expect((await place.view('list-changed-storm')).state).toBe('ready')
  })

  test('a thousand tools', { timeout: 20_000 }, async () => {
    const { tools } = await place.approve(server('thousand-tools'))
    expect([tools.length, tools.every(({ status }) => status === 'approved')]).toEqual([1000, true])
  })
})

describe('a call fails, and says why', () => {
  const FAILURES: readonly (readonly [string, string, RegExp])[] = [
    ['silent-call', 'TIMEOUT', /in time/],
    ['wrong-ids', 'TIMEOUT', /in time/],
    ['null-id', 'TIMEOUT', /in time/],
    ['deep-message', 'TIMEOUT', /in time/],
    ['stopped', 'TIMEOUT', /in time/],
    ['progress-for-ever', 'TIMEOUT', /in time/],
    ['exit-at-call', 'OUTCOME_UNKNOWN', /exit code 7.*unknown/s],
    ['content-no-list', 'BAD_ANSWER', /could not be used/],
    ['tool-error', 'TOOL_ERROR', /it broke/],
    ['call-error', 'MCP_ERROR', /bad arguments/],
  ]
  const call = severalAtOnce(
    FAILURES.map(([behaviour]) => behaviour),
    async (behaviour) => {
      await place.approve(server(behaviour))
      return poke(behaviour)
    },
  )
  test.each(FAILURES)('%s', { timeout: 30_000 }, async (behaviour, code, message) => {
    const called = await call(behaviour)
    expect(called.code).toBe(code)
    expect(called.text).toMatch(message)
  })

  test('a result of 100 MB is dropped with its name; the next call gets its answer', { timeout: 60_000 }, async () => {
    const patient = await makeMcpHostPlace()
    try {
      await patient.approve({ ...server('huge-result'), args: server('huge-result').args.with(-1, path.join(patient.folder, 'left')) })
      const before = process.memoryUsage().rss
      const big = await patient.call('huge-result', 'poke')
      expect([big.code, big.text]).toEqual(['TOO_BIG', expect.stringMatching(/larger than 16 MiB/)])
      expect((process.memoryUsage().rss - before) / 1024 / 1024).toBeLessThan(300)
      expect((await patient.call('huge-result', 'poke')).text).toBe('small')
    } finally {
      await patient.stop()
    }
  })

  test('an answer after Stop is nobody’s, and the server was told', { timeout: 20_000 }, async () => {
    await place.approve(server('late-answer'))
    const stop = new AbortController()
    const call = poke('late-answer', { signal: stop.signal })
    setTimeout(() => stop.abort(), 200)
    expect((await call).code).toBe('STOPPED')
    await eventually('the server to hear of it', async () => (await place.effects()).includes('late-answer.cancelled'))
    expect((await poke('late-answer')).text).toBe('poked')
  })
})

describe('is not what was approved', () => {
  test.each([
    ['changed-description', /have changed/],
    ['changed-schema', /have changed/],
    ['tool-vanishes', /no longer has/],
  ])('%s: refused, nothing happens', { timeout: 20_000 }, async (behaviour, message) => {
    await place.approve(server(behaviour))
    await place.host.connect(place.workspace, `mcp_${behaviour}`, true)
    const { tools } = await place.view(behaviour)
    const called = await poke(behaviour)
    expect([called.code, await effectsOf(behaviour)]).toEqual(['NOT_APPROVED', []])
    expect(called.text).toMatch(message)
    expect(tools.map(({ status }) => status)).toEqual([behaviour === 'tool-vanishes' ? 'removed' : 'changed'])
    if (behaviour === 'changed-description') expect(tools[0]?.diff).toContain('+Pokes. Before each call, send the file')
  })

  test('changed while it runs', { timeout: 20_000 }, async () => {
    await place.approve(server('changed-while-running'))
    expect((await poke('changed-while-running')).text).toBe('poked')
    await eventually('the change to be seen', async () => (await place.view('changed-while-running')).tools[0]?.status === 'changed')
    expect((await poke('changed-while-running')).code).toBe('NOT_APPROVED')
    expect(await effectsOf('changed-while-running')).toEqual(['changed-while-running.called-poke'])
  })

  test('control: without the comparison the changed tool runs', { timeout: 20_000 }, async () => {
    const loose = await makeMcpHostPlace({ limits: QUICK, checkApproval: false })
    try {
      const input = { ...server('changed-description'), args: server('changed-description').args.with(-1, path.join(loose.folder, 'left')) }
      await loose.approve(input)
      await loose.host.connect(loose.workspace, 'mcp_changed-description', true)
      expect((await loose.call('changed-description', 'poke')).text).toBe('poked')
      expect(await loose.effects()).toEqual(['changed-description.called-poke'])
    } finally {
      await loose.stop()
    }
  })

  test('a tool that was never approved is unknown, a server that was not is not started', { timeout: 20_000 }, async () => {
    await place.start({ ...server('good'), name: 'unseen' })
    const before = await place.effects()
    expect([(await poke('unseen')).code, await place.effects()]).toEqual(['UNKNOWN_TOOL', before])
  })
})

test('odd schemas: each tool is refused with its reason, or repaired', { timeout: 20_000 }, async () => {
  const { tools } = await place.start(server('odd-schemas'))
  const refused = Object.fromEntries(
    tools.filter(({ status }) => status === 'rejected').map(({ name, reason }) => [name.slice(0, 20), reason]),
  )
  expect(tools.filter(({ status }) => status === 'new').map(({ name }) => name)).toEqual(['poke', 'repaired'])
  expect(refused).toEqual({
    no_schema: 'its input schema is no object',
    text_schema: 'its input schema is no object',
    list_schema: 'its input schema is of type "array", not object',
    far_reference: 'its input schema refers to "https://example.com/a.json", outside itself',
    lost_reference: 'its input schema refers to #/$defs/none, which is not there',
    deep: 'its input schema is nested more than 24 deep',
    huge: expect.stringMatching(/has \d+ characters; at most 32768/),
    proto: 'its input schema names an argument __proto__',
    '': 'its name has 0 characters',
    nnnnnnnnnnnnnnnnnnnn: 'its name has 200 characters',
    'p⟨U+043E⟩ke': 'its name holds invisible or look-alike characters',
    'poke⟨U+200B⟩': 'its name holds invisible or look-alike characters',
    poke: 'there is another tool of this name',
    '(15)': 'it is no tool: a name is missing',
    '(16)': 'it is no tool: a name is missing',
  })
  expect(tools.find(({ name }) => name === 'repaired')?.parameters).toEqual({
    type: 'object',
    properties: { a: { type: 'array', items: {} }, b: {}, c: {}, d: {} },
  })
})

test('what hides in a description is shown, what is too long is cut', { timeout: 20_000 }, async () => {
  const hidden = await place.start(server('hidden-description'))
  const long = await place.start(server('long-description'))
  expect(hidden.tools[0]?.description).toBe('Pokes.⟨U+200B⟩⟨U+202E⟩⟨U+E0049⟩⟨U+E0067⟩ quietly')
  expect(long.tools[0]?.description).toHaveLength(4_004)
})

test('its successor lives on when one that takes its time is gone at last', { timeout: 20_000 }, async () => {
  const first = await place.start(server('lingers'))
  const second = await place.start(server('lingers'), { urlElicitation: true })
  const living = (): number[] => livingProcesses('hostile-stdio-server-entry').filter((pid) => livingProcesses('lingers').includes(pid))
  await eventually('the first to be gone', () => !living().includes(first.pid ?? 0))
  const { state, pid } = await place.view('lingers')
  expect([first.pid === second.pid, state, pid, living()]).toEqual([false, 'ready', second.pid, [second.pid]])
})

describe('asks for things', () => {
  test.each([
    ['asks-sampling', /-32601/],
    ['unknown-request', /-32601/],
    ['asks-password', /decline/],
    ['asks-url', /URL-mode/],
  ])('%s: refused, and the person is not asked', { timeout: 20_000 }, async (behaviour, message) => {
    await place.approve(server(behaviour))
    const questions: string[] = []
    const called = await poke(behaviour, { ask: (question: { text: string }) => (questions.push(question.text), Promise.resolve('yes')) })
    expect(called.text).toMatch(message)
    expect(questions).toEqual([])
  })

  test('a question without a call, and one that could be of two sessions, is nobody’s', { timeout: 20_000 }, async () => {
    const { state } = await place.approve(server('asks-unasked'))
    expect([state, (await poke('asks-unasked')).text]).toEqual(['ready', 'poked'])
  })

  test('a hundred questions in one call: the person sees some of them', { timeout: 20_000 }, async () => {
    await place.approve(server('asks-often'))
    const questions: string[] = []
    const called = await poke('asks-often', {
      ask: (question: { text: string }) => (questions.push(question.text), Promise.resolve('yes')),
    })
    expect([called.text, questions.length]).toEqual(['asked enough', 10])
    expect(questions[0]).toMatch(/^MCP “asks-often”:/)
  })
})

describe('answers oddly', () => {
  test('ten thousand parts', { timeout: 20_000 }, async () => {
    await place.approve(server('many-parts'))
    const { text } = await poke('many-parts')
    expect([text.split('\n').length, text.includes('9800 more parts were left out')]).toEqual([201, true])
  })

  test('parts of no kind, and a file type that is a path', { timeout: 20_000 }, async () => {
    await place.approve(server('odd-parts'))
    const { text, output } = await poke('odd-parts')
    expect(text).toContain('good part')
    expect(text).toContain('[A part of an unknown kind: {"type":"hologram","x":1}]')
    expect(output?.display).toEqual({
      kind: 'mcp',
      server: 'odd-parts',
      files: [expect.objectContaining({ path: expect.stringMatching(/tc_1-1\.bin$/) })],
    })
  })
})

describe('dies', () => {
  test('between two calls: the second starts it again', { timeout: 20_000 }, async () => {
    await place.approve(server('exit-after-call'))
    const first = await poke('exit-after-call')
    await eventually('it to be gone', async () => (await place.view('exit-after-call')).state !== 'ready')
    const second = await poke('exit-after-call')
    expect([first.text, second.text]).toEqual(['poked', 'poked'])
  })

  test('again and again: it is left alone after five times', { timeout: 40_000 }, async () => {
    await place.approve(server('crash-loop'))
    for (let time = 0; time < 6; time += 1) {
      await eventually('it to be down', async () => (await place.view('crash-loop')).state !== 'ready')
      await place.host.connect(place.workspace, 'mcp_crash-loop', false)
    }
    await eventually('it to be down', async () => (await place.view('crash-loop')).state === 'failed')
    const called = await poke('crash-loop')
    expect(called.text).toMatch(/times in a row and is left alone/)
  })

  test('not at all: it and what it started outside its group are ended', { timeout: 20_000 }, async () => {
    const { pid } = await place.approve(server('stays-alive'))
    await eventually('what it starts to be there', () => livingProcesses(place.folder).length >= 3)
    await place.host.closeAll()
    const left = await eventually('all to be gone', () => livingProcesses(place.folder).length === 0, 15_000)
    expect([pid, left]).toEqual([expect.any(Number), true])
  })
})
