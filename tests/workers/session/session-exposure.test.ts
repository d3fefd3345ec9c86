/** Secrets read, text from outside read, and then something reaches out: that asks, whatever would allow it. */
import { expect, test } from 'vitest'
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import { runTurn } from '#workers/session/domain/run-turn.ts'
import { call, neverAborted, scripted, settings } from './scripted-ports.ts'

type Prepared = Extract<PreparedCall, { ok: true }>
const prepared = (more: Partial<Prepared> & Pick<Prepared, 'risk'>): Prepared => ({
  ok: true,
  argumentsHash: more.display ?? '',
  display: '',
  ...more,
})

const CALLS: Record<string, Prepared> = {
  secrets: prepared({
    risk: 'read',
    display: 'Read .env',
    mustAsk: { code: 'may_hold_secrets', params: { path: '.env' } },
    secret: '.env',
  }),
  prints: prepared({ risk: 'execute', display: 'cat .env', sandboxed: true, secret: '.env', subjects: [{ text: 'cat .env' }] }),
  plain: prepared({ risk: 'read', display: 'Read a.txt' }),
  page: prepared({ risk: 'network', display: 'Fetch one', subjects: [{ text: 'https://one.example/' }] }),
  server: prepared({ risk: 'execute', display: 'Ask a server', foreign: true }),
  looksUp: prepared({ risk: 'read', display: 'Look up at a server', foreign: true, preapproved: true }),
  boxed: prepared({ risk: 'execute', display: 'make', sandboxed: true, subjects: [{ text: 'make' }] }),
  named: prepared({ risk: 'execute', display: 'npm ci', sandboxed: true, domains: ['registry.npmjs.org'], subjects: [{ text: 'npm ci' }] }),
  unclear: prepared({
    risk: 'execute',
    display: 'npm $X',
    sandboxed: true,
    domains: ['registry.npmjs.org'],
    mustAsk: { code: 'command_unclear', params: { what: 'variable' } },
  }),
  open: prepared({ risk: 'execute', display: 'make', sandboxed: false, subjects: [{ text: 'make' }] }),
  looks: prepared({ risk: 'execute', display: 'ls', sandboxed: false, harmless: true, subjects: [{ text: 'ls' }] }),
  curls: prepared({ risk: 'execute', display: 'curl x', sandboxed: false, foreign: true, subjects: [{ text: 'curl x' }] }),
  remember: prepared({ risk: 'session', display: 'pages say so' }),
  out: prepared({ risk: 'network', display: 'Fetch two', subjects: [{ text: 'https://two.example/?k=1' }] }),
}

/** Which of the calls, one after the other, were asked about; everything that asks is allowed, and a rule allows every fetch. */
async function asked(...names: string[]): Promise<string[]> {
  const { ports, drafts } = scripted({ answers: [...names.map((name, index) => ({ toolCalls: [call(`tc_${index}`, name)] })), {}] })
  const prepareTool = async (made: MetonaToolCall): Promise<PreparedCall> => ({ ...(CALLS[made.name] as Prepared), argumentsHash: made.id })
  await runTurn(
    settings({ maxIterations: 9, approval: { rules: [{ effect: 'allow', tool: '*' }], harmlessRuns: false } }),
    { ...ports, prepareTool },
    neverAborted,
  )
  return drafts.flatMap((draft) => (draft.event === 'permission_request' ? [`${draft.tool}: ${draft.reason}`] : []))
}

test.each([
  [
    ['secrets', 'page', 'out'],
    ['secrets: may_hold_secrets', 'out: leaks'],
  ],
  [
    ['page', 'secrets', 'out'],
    ['secrets: may_hold_secrets', 'out: leaks'],
  ],
  [['page', 'page', 'out'], []],
  [['secrets', 'out'], ['secrets: may_hold_secrets']],
  [['plain', 'page', 'out'], []],
  [
    ['server', 'secrets', 'server'],
    ['secrets: may_hold_secrets', 'server: leaks'],
  ],
  [
    ['looksUp', 'secrets', 'looksUp'],
    ['secrets: may_hold_secrets', 'looksUp: leaks'],
  ],
  [['looksUp', 'plain', 'looksUp'], []],
  [['prints', 'page', 'out'], ['out: leaks']],
  [['prints', 'looksUp', 'looksUp'], ['looksUp: leaks']],
  [
    ['page', 'secrets', 'boxed', 'looks', 'open'],
    ['secrets: may_hold_secrets', 'open: leaks'],
  ],
  [
    ['secrets', 'curls', 'open'],
    ['secrets: may_hold_secrets', 'open: leaks'],
  ],
  [
    ['secrets', 'page', 'boxed', 'named', 'unclear'],
    ['secrets: may_hold_secrets', 'named: leaks', 'unclear: leaks'],
  ],
  [['open', 'secrets', 'open', 'open'], ['secrets: may_hold_secrets']],
  [['curls', 'remember'], ['remember: instructs_agents']],
  [['plain', 'remember'], []],
  [['page', 'remember'], ['remember: instructs_agents']],
  [['server', 'remember'], ['remember: instructs_agents']],
  [['boxed', 'remember', 'page'], []],
])('%j asks about %j', async (names, expected) => {
  expect(await asked(...names)).toEqual(expected)
})

test('secrets that were not read after all leak nothing', async () => {
  const { ports, drafts } = scripted({
    answers: ['secrets', 'page', 'out'].map((name, index) => ({ toolCalls: [call(`tc_${index}`, name)] })),
    approvals: { tc_0: { decision: 'deny' } },
  })
  await runTurn(
    settings({ approval: { rules: [{ effect: 'allow', tool: '*' }], harmlessRuns: false } }),
    { ...ports, prepareTool: async (made) => ({ ...(CALLS[made.name] as Prepared), argumentsHash: made.id }) },
    neverAborted,
  )
  expect(drafts.filter((draft) => draft.event === 'permission_request').length).toBe(1)
})

test('what earlier turns read counts, and what this one reads is on record for the next', async () => {
  const { ports, drafts } = scripted({
    answers: [{ toolCalls: [call('tc_0', 'page')] }, { toolCalls: [call('tc_1', 'out')] }, {}],
    exposed: { secret: '.env' },
  })
  await runTurn(
    settings({ approval: { rules: [{ effect: 'allow', tool: '*' }], harmlessRuns: false } }),
    { ...ports, prepareTool: async (made) => ({ ...(CALLS[made.name] as Prepared), argumentsHash: made.id }) },
    neverAborted,
  )
  expect(drafts.flatMap((draft) => (draft.event === 'permission_request' ? [`${draft.tool}: ${draft.reason}`] : []))).toEqual([
    'out: leaks',
  ])
  expect(drafts.flatMap((draft) => (draft.event === 'tool_call' ? [draft.exposes] : []))).toEqual([{ outside: true }, { outside: true }])
})
