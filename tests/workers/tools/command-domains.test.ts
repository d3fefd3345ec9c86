/** The domains a command may reach: said on the card, and never more of them when it runs. The sandbox is a stand-in that tells what it was given. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommandToWrap } from '#workers/tools/sandbox/sandbox.ts'
import { createToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
let given: CommandToWrap[] = []
let opens = true
beforeEach(async () => {
  bench = await createToolBench('auto')
  given = []
  opens = true
  Object.assign(bench.services, {
    sandbox: {
      state: async () => ({ kind: 'bwrap' }),
      unheld: async () => undefined,
      opensDomains: async () => opens,
      wrap: async (command: CommandToWrap) => {
        given.push(command)
        return { argv: command.argv, env: command.env, cwd: command.workspace }
      },
    },
  })
})
afterEach(() => bench.close())
const domains = ['a.example', 'b.example']
const runs = (): unknown[] => given.map((command) => command.domains)

test('the card says them, and a command gets those', async () => {
  expect(await bench.prepare('run_command', { command: 'make' }, { domains })).toMatchObject({ sandboxed: true, domains })
  await bench.call('run_command', { command: 'true' }, { domains })
  expect(runs()).toEqual([domains])
})

test('allowed after the card was shown: not for this command; taken back meanwhile: not either', async () => {
  await bench.call('run_command', { command: 'true' }, { domains, domainsAtRun: ['b.example', 'c.example'] })
  expect(runs()).toEqual([['b.example']])
})

test('other domains are another call', async () => {
  const hash = async (names: string[]): Promise<unknown> => {
    const prepared = await bench.prepare('run_command', { command: 'true' }, { domains: names, callId: 'tc_domains0001' })
    return prepared.ok && prepared.argumentsHash
  }
  expect(await hash(['a.example'])).not.toBe(await hash(['b.example']))
})

test('nothing here can open them: the card names none, and the result says why', async () => {
  opens = false
  const prepared = await bench.prepare('run_command', { command: 'make' }, { domains })
  expect(prepared).toMatchObject({ ok: true, sandboxed: true })
  expect(prepared).not.toHaveProperty('domains')
  const { result, display } = await bench.call('run_command', { command: 'echo Could not resolve host: a.example; exit 6' }, { domains })
  expect(runs()).toEqual([[]])
  expect(String(result.result)).toContain('needs a Node in /usr/bin or /usr/local/bin')
  expect(display).not.toHaveProperty('refused')
})

test('in the background it is asked about, with the domains; without domains, and in the foreground, not', async () => {
  const asks = async (args: Record<string, unknown>, names: string[]): Promise<unknown> => {
    const prepared = await bench.prepare('run_command', { command: 'make', ...args }, { domains: names })
    return prepared.ok ? prepared.mustAsk : prepared
  }
  expect(await asks({ background: true }, domains)).toEqual({ code: 'network_in_background', params: { domains: 'a.example, b.example' } })
  expect([await asks({ background: true }, []), await asks({}, domains)]).toEqual([undefined, undefined])
})
