/** A server that dies again and again: each call says why at once, and it is left alone for a while. Starting is the only fake. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { McpOptionsSchema } from '#contracts/tools/mcp-server.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { CommandRunner } from '#workers/tools/commands/command-runner.ts'
import { MCP_LIMITS, type McpSurroundings } from '#workers/tools/mcp/mcp-surroundings.ts'
import { ServerConnection } from '#workers/tools/mcp/server-connection.ts'
import { createRedactor } from '#workers/shared/redact.ts'

let starts: number
let connection: ServerConnection

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  starts = 0
  const commands: CommandRunner = {
    warm: () => Promise.resolve(),
    close: () => undefined,
    start: () => {
      starts += 1
      return Promise.reject(new AppError({ code: 'EAGAIN', message: 'no more processes' }))
    },
  }
  const surroundings: McpSurroundings = {
    commands,
    environment: {},
    agentVersion: '0',
    sandbox: { wrap: () => Promise.reject(new Error('not asked for')) },
    limits: MCP_LIMITS,
    searchPath: () => Promise.resolve('/usr/bin'),
    proxyFor: () => Promise.reject(new Error('not asked for')),
    forgetProxies: () => undefined,
    redactor: () => createRedactor([]),
    checkApproval: true,
  }
  const entry = { id: 'mcp_1', name: 'one', transport: 'stdio' as const, command: process.execPath, args: [], enabled: true }
  connection = new ServerConnection({
    entry,
    options: McpOptionsSchema.parse({}),
    workspace: import.meta.dirname,
    files: {},
    secrets: {},
    surroundings,
    elicit: () => Promise.resolve({ action: 'cancel' }),
    sample: () => Promise.reject(new Error('not asked for')),
  })
})
afterEach(async () => {
  await connection.close()
  vi.useRealTimers()
})

const attempt = (): Promise<string> =>
  connection.ensure().then(
    () => 'ready',
    (error: Error) => error.message,
  )

test('after five failures in a row it is not started for a minute, then once more', async () => {
  for (let call = 0; call < 5; call += 1) expect(await attempt()).toMatch(/could not be started: no more processes/)
  const refused = await attempt()
  expect([starts, refused, connection.state]).toEqual([
    5,
    expect.stringMatching(/failed 5 times in a row and is left alone for 60 s/),
    'failed',
  ])
  // Neither a call nor a turn that begins has it tried meanwhile.
  connection.connectLater()
  vi.setSystemTime(Date.now() + 59_000)
  expect([await attempt(), starts]).toEqual([expect.stringMatching(/left alone for 1 s/), 5])
  vi.setSystemTime(Date.now() + 1_001)
  expect([await attempt(), starts]).toEqual([expect.stringMatching(/could not be started/), 6])
})

test('the person’s own word overrides the pause', async () => {
  for (let call = 0; call < 5; call += 1) await attempt()
  await connection.again().catch(() => undefined)
  expect([starts, connection.state]).toEqual([6, 'failed'])
})
