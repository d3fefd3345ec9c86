/** "Always" for one command: asked once, then never again for exactly this in exactly this folder, until it is taken back. */
import { mkdir, rename } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { startPipeline, type Pipeline, type PipelineSession } from '#tests/helpers/pipeline.ts'

const MODEL = { model: 'deepseek/deepseek-flash' }
let provider: FakeProvider
let place: CliPlace
let pipeline: Pipeline

beforeAll(async () => {
  provider = await startFakeProvider()
})
afterAll(() => provider.stop())
beforeEach(async () => {
  await provider.reset()
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
  pipeline = startPipeline(place)
  await pipeline.open()
})
afterEach(async () => {
  await pipeline.stop()
  await place.remove()
})

/** One turn in which the model makes a call, a command when it is a text. @returns who decided. */
async function decided(
  session: PipelineSession,
  turn: number,
  asked: string | { name: string; args: Record<string, unknown> },
  scope?: 'session' | 'always',
): Promise<string> {
  const toolCall = typeof asked === 'string' ? { name: 'run_command', args: { command: asked } } : asked
  await provider.script([{ toolCalls: [toolCall] }, { text: 'done' }])
  await session.prompt('run it')
  if (scope !== undefined) {
    const question = await eventually('the question', () =>
      session.events.find((event) => event.event === 'permission_request' && event.turn === turn),
    )
    if (question.event !== 'permission_request') throw new Error('no question')
    expect(question.grantPrefix ?? asked).toBe(asked)
    const { sessionId } = session
    const { toolCallId, argumentsHash } = question
    await pipeline.client.call('session.answer', { sessionId, toolCallId, argumentsHash, decision: 'allow', scope })
  }
  await session.ended(turn)
  const permission = session.events.find((event) => event.event === 'permission' && event.turn === turn)
  return permission?.event === 'permission' ? `${permission.decision} by ${permission.by}` : 'nobody'
}
/** In a new session in which nobody is there to be asked. */
const unattended = async (command: string): Promise<string> => decided(await pipeline.session(MODEL), 1, command)

test('covers the very same command in later sessions, nothing near it, and ends when taken back', { timeout: 120_000 }, async () => {
  const first = await pipeline.session({ ...MODEL })
  await pipeline.client.call('session.open', { workspace: place.workspace, sessionId: first.sessionId, interactive: true })
  const { grants: before } = await pipeline.client.call('grants.list', {})
  const seen = {
    asked: await decided(first, 1, 'printf hi', 'always'),
    again: await decided(first, 2, 'printf hi'),
    later: await unattended('printf hi'),
    longer: await unattended('printf hi; printf ho'),
    joined: await unattended('printf hi > out.txt'),
    other: await unattended('printf ho'),
  }
  const { grants } = await pipeline.client.call('grants.list', { workspace: place.workspace })
  await pipeline.client.call('grants.remove', { id: grants[0]?.id ?? 0 })
  expect({ before, ...seen, kept: grants.map(({ tool, prefix }) => `${tool}: ${prefix}`), after: await unattended('printf hi') }).toEqual({
    before: [],
    asked: 'allow by user',
    again: 'allow by grant',
    later: 'allow by grant',
    longer: 'deny by non_interactive',
    joined: 'deny by non_interactive',
    other: 'deny by non_interactive',
    kept: ['run_command: printf hi'],
    after: 'deny by non_interactive',
  })
})

test('for the session holds for the session, and another folder in its place has no grants', { timeout: 120_000 }, async () => {
  const first = await pipeline.session({ ...MODEL })
  await pipeline.client.call('session.open', { workspace: place.workspace, sessionId: first.sessionId, interactive: true })
  await decided(first, 1, 'printf session', 'session')
  await decided(first, 2, 'printf always', 'always')
  const own = [await unattended('printf session'), await unattended('printf always')]
  await pipeline.stop()

  await rename(place.workspace, `${place.workspace} moved`)
  await mkdir(place.workspace)
  pipeline = startPipeline(place)
  await pipeline.open()
  expect([...own, await unattended('printf always')]).toEqual(['deny by non_interactive', 'allow by grant', 'deny by non_interactive'])
})

test('the terminal lists and takes back', { timeout: 120_000 }, async () => {
  const first = await pipeline.session({ ...MODEL })
  await pipeline.client.call('session.open', { workspace: place.workspace, sessionId: first.sessionId, interactive: true })
  await decided(first, 1, 'printf hi', 'always')
  await pipeline.stop()
  const listed = jsonLines((await runCli(place, ['trust', '--grants', '--json', '-w', place.workspace])).stdout)
  expect(listed).toMatchObject([{ id: 1, workspace: place.workspace, tool: 'run_command', prefix: 'printf hi' }])
  expect((await runCli(place, ['trust', '--grants'])).stdout).toContain('printf hi')
  expect((await runCli(place, ['trust', '--revoke', '1'])).stdout).toContain('taken back')
  expect((await runCli(place, ['trust', '--grants'])).stderr).toContain('Nothing is allowed for good')
})

test('what people start reads commands with the grammar: a plain one asks because of the mode, another because of what it holds', async () => {
  await pipeline.stop()
  await provider.script([
    { toolCalls: ['printf hi', '(printf hi)'].map((command) => ({ name: 'run_command', args: { command } })) },
    { text: 'done' },
  ])
  const { stdout, stderr } = await runCli(place, ['run', '-w', place.workspace, '--trust', '--json', '-m', MODEL.model, 'run them'])
  const reasons = jsonLines(stdout).flatMap((line) => (line['event'] === 'permission' ? [[line['reason'], line['reasonParams']]] : []))
  expect({ reasons, warned: stderr.includes('grammar') }).toEqual({
    reasons: [
      ['mode_ask', undefined],
      ['command_unclear', { what: 'subshell' }],
    ],
    warned: false,
  })
})

test(
  'edits for the session: asked once, then not, but still before what instructs agents, and in another session',
  { timeout: 120_000 },
  async () => {
    const first = await pipeline.session({ ...MODEL })
    await pipeline.client.call('session.open', { workspace: place.workspace, sessionId: first.sessionId, interactive: true })
    const write = (session: PipelineSession, turn: number, name: string, scope?: 'always'): Promise<string> =>
      decided(session, turn, { name: 'write_file', args: { file_path: name, content: 'x' } }, scope)
    const seen = [await write(first, 1, 'a.txt', 'always'), await write(first, 2, 'b.txt')]
    await pipeline.client.call('session.open', { workspace: place.workspace, sessionId: first.sessionId, interactive: false })
    seen.push(await write(first, 3, 'CLAUDE.md'), await write(await pipeline.session(MODEL), 1, 'c.txt'))
    expect([...seen, (await pipeline.client.call('grants.list', {})).grants]).toEqual([
      'allow by user',
      'allow by grant',
      'deny by non_interactive',
      'deny by non_interactive',
      [],
    ])
  },
)
