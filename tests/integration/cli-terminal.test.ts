/** `metona` as a person at a terminal sees it. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeCliPlace, nothingLeft, writeCsv, type CliPlace } from '#tests/helpers/cli.ts'
import { startFakeProvider, type FakeProvider } from '#tests/helpers/fake-provider.ts'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { runOnTerminal } from '#tests/helpers/terminal.ts'

describe.skipIf(missingProgram('python3', 'the command line on a terminal'))('on a terminal', () => {
  let provider: FakeProvider
  let place: CliPlace

  beforeAll(async () => {
    provider = await startFakeProvider()
  })
  afterAll(() => provider.stop())
  beforeEach(async () => {
    await provider.reset()
    place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-0123456789abcdef0123456789abcdef', DEEPSEEK_BASE_URL: provider.baseUrl })
    await writeCsv(place)
  })
  afterEach(() => place.remove())

  const run = (plan: readonly (readonly [string, string])[], ...args: string[]) =>
    runOnTerminal(place, ['run', '-w', place.workspace, '-m', 'deepseek/deepseek-flash', '--trust', ...args], plan)
  const WRITE = [
    { text: 'I will write.', toolCalls: [{ name: 'write_file', args: { file_path: 'new.txt', content: 'content' } }] },
    { text: 'Written.' },
  ]

  test('without a prompt it says what is missing and waits for nothing', async () => {
    const { code, screen } = await run([])
    expect(code).toBe(2)
    expect(screen).toContain('There is no prompt, and standard input is a terminal')
  })

  test('thinking is dimmed, the answer is not, a tool has its line', async () => {
    await provider.script([
      { thinking: 'let me see', toolCalls: [{ name: 'read_file', args: { file_path: 'data.csv' } }] },
      { text: 'Two rows.' },
    ])
    const { code, screen } = await run([], 'look')
    expect(code).toBe(0)
    expect(screen).toContain('\u001b[2mlet me see\u001b[22m\n▸ read_file data.csv\n✓ read_file')
    expect(screen).toMatch(/\nTwo rows\.\n/)
  })

  test('a call that asks is shown whole and runs after yes', async () => {
    await provider.script(WRITE)
    const { code, screen } = await run([['[n] no:', 'y\n']], 'write it')
    expect(code).toBe(0)
    expect(screen).toMatch(/write_file asks to run[^]*new\.txt[^]*Written\./)
    expect(await readFile(path.join(place.workspace, 'new.txt'), 'utf8')).toBe('content')
  })

  test('after no it does not run', async () => {
    await provider.script(WRITE)
    const { code, screen } = await run([['[n] no:', 'n\n']], 'write it')
    expect(code).toBe(0)
    expect(screen).toContain('write_file was not allowed')
    await expect(readFile(path.join(place.workspace, 'new.txt'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('Ctrl+C at the question stops the turn: 130', async () => {
    await provider.script(WRITE)
    const { code } = await run([['[n] no:', '\u0003']], 'write it')
    expect(code).toBe(130)
    await nothingLeft(place)
  })

  test('Ctrl+C in mid-stream stops the turn: 130', async () => {
    await provider.script([{ tokens: 5_000, tokensPerSecond: 50, tokenPrefix: 'word' }])
    const { code, screen } = await run([['word5 ', '\u0003']], 'go')
    expect(code).toBe(130)
    expect(screen).toContain('stopping')
    await nothingLeft(place)
  })
})
