/** `mcpServers` as other programs write it: what can be taken over is, each other one is named with why. */
import { expect, test } from 'vitest'
import { readMcpServers } from '#workers/session/mcp-input.ts'

const read = (map: Record<string, unknown>) => {
  const outcome = readMcpServers(JSON.stringify({ mcpServers: map }))
  if ('problem' in outcome) throw new Error(outcome.problem)
  return outcome
}

test('a program with arguments and environment, numbers and switches taken as text', () => {
  const { servers, problems } = read({ one: { command: 'npx', args: ['-y', 8080], env: { PORT: 1, DEBUG: true }, disabled: true } })
  expect([servers, problems]).toEqual([
    [{ name: 'one', transport: 'stdio', command: 'npx', args: ['-y', '8080'], env: { PORT: '1', DEBUG: 'true' }, enabled: false }],
    [],
  ])
})

test.each([
  [{ url: 'https://a.example/mcp' }, 'streamable_http'],
  [{ serverUrl: 'https://a.example/mcp' }, 'streamable_http'],
  [{ type: 'http', url: 'https://a.example/mcp' }, 'streamable_http'],
  [{ type: 'streamable-http', url: 'https://a.example/mcp' }, 'streamable_http'],
  [{ transport: 'sse', url: 'https://a.example/mcp' }, 'sse'],
])('an address, as %j', (raw, transport) => {
  expect(read({ one: raw }).servers).toEqual([{ name: 'one', transport, url: 'https://a.example/mcp', enabled: true }])
})

test.each([
  [{}, /either a command or a URL/],
  [{ command: 'a', url: 'https://a.example' }, /either a command or a URL/],
  [{ type: 'carrier-pigeon', url: 'https://a.example' }, /carrier-pigeon/],
  [{ type: 'stdio', url: 'https://a.example' }, /goes with a command/],
  [{ url: 'file:///etc/passwd' }, /http:\/\/ or https:\/\//],
  [{ url: 'https://user:word@a.example' }, /user name or password/],
  [{ url: 'https://a.example', headers: { 'X-A': 'b\r\nX-Evil: c' } }, /a header is not valid/],
  [{ command: 'a', env: { 'A=B': 'c' } }, /environment name/],
  [{ command: 'a', args: ['\0'] }, /NUL/],
  [{ command: ['a'] }, /expected string/],
])('%j is refused alone', (raw, reason) => {
  const { servers, problems } = read({ bad: raw, good: { command: 'a' } })
  expect([servers.map(({ name }) => name), problems]).toEqual([['good'], [{ name: 'bad', reason: expect.stringMatching(reason) }]])
})

test('`servers` and the bare map are taken too; what is no JSON object says so', () => {
  const names = (text: string) => {
    const outcome = readMcpServers(text)
    return 'problem' in outcome ? outcome.problem : outcome.servers.map(({ name }) => name)
  }
  expect([names('{"servers":{"a":{"command":"x"}}}'), names('{"a":{"command":"x"}}'), names('[]'), names('{"mcpServers":3}')]).toEqual([
    ['a'],
    ['a'],
    'it is no JSON object',
    '`mcpServers` is no JSON object',
  ])
  expect(names('{')).toMatch(/JSON/)
})
