/** What a server offers and answers beyond plain text: odd prompts, every kind of content, hints, log messages. One server over stdio each. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcpOfferedName } from '#contracts/tools/mcp-offered-name.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { makeMcpHostPlace, type McpHostPlace } from '#tests/helpers/mcp/mcp-host-place.ts'
import { findMcpTool } from '#workers/tools/mcp/mcp-tools.ts'
import { completeArgument, fillPrompt, listPrompts } from '#workers/tools/mcp/server-prompts.ts'

const SERVER = path.resolve(import.meta.dirname, '../../../helpers/mcp/hostile-stdio-server-entry.ts')

let place: McpHostPlace
beforeAll(async () => {
  place = await makeMcpHostPlace()
})
afterAll(() => place.stop(), 30_000)

const server = (behaviour: string) => ({
  name: behaviour,
  transport: 'stdio' as const,
  command: process.execPath,
  args: ['--disable-warning=ExperimentalWarning', SERVER, behaviour, path.join(place.folder, 'left')],
})

describe('odd prompts', () => {
  beforeAll(async () => void (await place.approve(server('odd-prompts'))))
  const never = new AbortController().signal
  const order = (prompt: string) => ({ id: 'mcp_odd-prompts', workspace: place.workspace, prompt, arguments: {} })

  test('what hides is shown, what is long is cut, what is none is left out', { timeout: 20_000 }, async () => {
    const prompts = await listPrompts(place.host, place.workspace)
    const [words] = prompts
    expect(prompts.map(({ name }) => name)).toEqual(['two words', 'fails', 'huge', 'two_words'])
    // Two that would be typed alike are both to be had.
    expect(prompts.at(-1)?.word).toBe('odd-prompts:two_words_2')
    expect([words?.word, words?.title, words?.description.length, words?.arguments]).toEqual([
      'odd-prompts:two_words',
      'Two⟨U+200B⟩words',
      500,
      [{ name: 'a\u202eb', label: 'a⟨U+202E⟩b', description: '', required: false }],
    ])
  })

  test('its text is shown as it is, what is no text is named, and there is an end to it', { timeout: 20_000 }, async () => {
    expect(await fillPrompt(place.host, order('two words'), never)).toEqual({
      messages: [
        { role: 'user', text: 'one⟨U+202E⟩two' },
        { role: 'assistant', text: 'a://b\nthree' },
      ],
      leftOut: ['image', '?'],
    })
    const { messages, leftOut } = await fillPrompt(place.host, order('huge'), never)
    expect([messages.reduce((sum, { text }) => sum + text.length, 0), leftOut.at(-1)]).toEqual([100_000, '10 messages'])
  })

  test('a server that does not answer hides the prompts of no other', { timeout: 20_000 }, async () => {
    await place.approve(server('silent-prompts'))
    const startedAt = performance.now()
    const words = (await listPrompts(place.host, place.workspace, 2_000)).map(({ word }) => word)
    // The time a list may take otherwise is 15 s.
    expect([words.includes('odd-prompts:huge'), performance.now() - startedAt < 10_000]).toEqual([true, true])
  })

  test('a refusal is told with its reason; suggestions that hide something are none', { timeout: 20_000 }, async () => {
    const reason = expect.stringContaining('no⟨U+202E⟩why') as unknown
    await expect(fillPrompt(place.host, order('fails'), never)).rejects.toMatchObject({ code: 'MCP_PROMPT_FAILED', params: { reason } })
    const values = await completeArgument(place.host, { ...order('two words'), argument: 'a', value: '' }, never)
    expect([values.length, values.slice(0, 2)]).toEqual([20, ['plain', 'v0']])
  })
})

test(
  'text, image, sound, embedded text and bytes, a link, structured content: each reaches the model or a file',
  { timeout: 20_000 },
  async () => {
    await place.approve(server('rich-parts'))
    const { text, output } = await place.call('rich-parts', 'poke')
    const display = output?.display as { files: { path: string }[] } | undefined
    expect(text.replace(/\/\S+\//g, '')).toBe(
      [
        'hello',
        '[image image/png, 3 bytes: tc_1-1.png]',
        '[audio audio/wav, 4 bytes: tc_1-2.wav]',
        '[Resource a://text, text/plain]',
        'inside',
        '[Resource a://bytes, application/pdf]',
        '[resource application/pdf, 5 bytes: tc_1-3.pdf]',
        '[Resource link a://link]',
        '{"answer":42}',
      ].join('\n'),
    )
    expect(await Promise.all((display?.files ?? []).map(async ({ path: file }) => (await readFile(file)).toString('latin1')))).toEqual([
      'png',
      'wave',
      '%PDF-',
    ])
  },
)

test('a long answer goes to a file that holds all of it', { timeout: 20_000 }, async () => {
  await place.approve(server('long-result'))
  const { text } = await place.call('long-result', 'poke')
  const file = /the whole text is in (\S+):/.exec(text)?.[1] ?? ''
  expect([text.length < 31_000, await readFile(file, 'utf8')]).toEqual([true, 'long '.repeat(20_000)])
})

test('a server that says its tool only reads is asked about all the same', { timeout: 20_000 }, async () => {
  const { tools } = await place.approve(server('hidden-description'))
  const tool = findMcpTool(place.host, place.workspace, mcpOfferedName('hidden-description', 'poke'))
  expect([tools[0]?.hints.readOnly, tool?.descriptor.risk]).toEqual([true, 'execute'])
})

test('what a server logs is in its log, with its level', { timeout: 20_000 }, async () => {
  const { entry } = await place.start(server('logs'))
  const logged = await eventually('a line of the server’s own', () =>
    place.host.log(place.workspace, entry.id, 0).find(({ source }) => source === 'server'),
  )
  expect(logged.text).toBe('warning disk: nearly full')
})
