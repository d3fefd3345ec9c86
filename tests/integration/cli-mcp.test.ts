/** `metona mcp`: added, looked at, agreed to, tried, removed. Nothing starts before it was agreed to. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { jsonLines, makeCliPlace, runCli, type CliPlace } from '#tests/helpers/cli.ts'
import { livingProcesses } from '../main/command-host/living-processes.ts'

const SERVER = path.resolve(import.meta.dirname, '../helpers/mcp/hostile-stdio-server-entry.ts')

let place: CliPlace
beforeAll(async () => {
  place = await makeCliPlace()
})
afterAll(() => place.remove())

const mcp = (...words: string[]): ReturnType<typeof runCli> =>
  runCli(place, ['mcp', ...words.slice(0, 1), '-w', place.workspace, '--trust', ...words.slice(1)])

test('from nothing to tools and back', { timeout: 180_000 }, async () => {
  const none = await mcp('list')
  expect([none.code, none.stdout, none.stderr.includes('No MCP servers')]).toEqual([0, '', true])

  const added = await mcp(
    'add',
    'good',
    '--',
    `MARK=${place.folder}`,
    'API_TOKEN=tok-0123456789abcdef',
    process.execPath,
    SERVER,
    'good',
    place.folder,
  )
  expect([added.code, added.stdout.includes('metona mcp approve good')]).toEqual([0, true])
  const again = await mcp('add', 'good', '--', 'node')
  expect([again.code, again.stderr.includes('already an MCP server named "good"')]).toEqual([2, true])

  const tried = await mcp('test', 'good')
  expect([tried.code, tried.stderr.includes('is not approved')]).toEqual([3, true])
  // What looks secret is in neither the database nor the log of the folder.
  const log = await readFile(path.join(place.workspace, 'logs', 'workspace.jsonl'), 'utf8')
  expect([log.includes('tok-0123456789abcdef'), log.includes('${secret:API_TOKEN}')]).toEqual([false, true])

  const asked = await mcp('approve', 'good')
  expect([asked.code, asked.stderr.includes('--yes')]).toEqual([2, true])
  // The value was for the run that took it; this machine has no keyring.
  const missing = await mcp('approve', 'good', '--yes')
  expect([missing.code, missing.stderr.includes(SERVER), missing.stderr.includes('API_TOKEN is not known here')]).toEqual([1, true, true])
  const environment = { API_TOKEN: 'tok-0123456789abcdef' }
  const approved = await runCli(place, ['mcp', 'approve', '-w', place.workspace, '--trust', 'good', '--yes'], { environment })
  expect([approved.code, approved.stdout]).toEqual([0, expect.stringMatching(/^good\tready\t1\/1\n {2}approved\tmcp__good__poke\n$/)])
  const ready = await runCli(place, ['mcp', 'test', '--json', '-w', place.workspace, '--trust', 'good'], { environment })
  expect([ready.code, jsonLines(ready.stdout)[0]?.['state']]).toEqual([0, 'ready'])
  await eventually('the server to be gone', () => livingProcesses(place.folder).length === 0)

  const removed = await mcp('remove', 'good')
  const unknown = await mcp('remove', 'good')
  expect([removed.code, unknown.code, unknown.stderr.includes('no such MCP server')]).toEqual([0, 2, true])
})

test('the configuration of another program: what can be taken over is, the rest is named', { timeout: 60_000 }, async () => {
  const file = path.join(place.folder, 'config.json')
  await writeFile(
    file,
    JSON.stringify({
      mcpServers: {
        one: { command: 'npx', args: ['-y', 'one'] },
        two: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer sk-abcdefghijklmnopqrstuvwxyz' } },
        three: { url: 'file:///etc/passwd' },
        four: {},
      },
    }),
  )
  const { code, stdout } = await mcp('import', file, '--json')
  const { added, problems } = jsonLines(stdout)[0] as {
    added: { name: string; headers?: Record<string, string> }[]
    problems: { name: string }[]
  }
  expect([code, added.map(({ name, headers }) => [name, headers]), problems.map(({ name }) => name)]).toEqual([
    1,
    [
      ['one', undefined],
      ['two', { Authorization: '${secret:Authorization}' }],
    ],
    ['three', 'four'],
  ])
  const bad = await mcp('import', path.join(import.meta.dirname, 'cli-mcp.test.ts'))
  expect([bad.code, bad.stderr.includes('"mcpServers"')]).toEqual([2, true])
})
