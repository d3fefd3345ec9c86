/** A sandbox that was never run on its system is used, and nobody counts on it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxState } from '#contracts/tools/sandbox-state.ts'
import { decideApproval } from '#workers/session/domain/approval-policy.ts'
import { createToolBench, type ToolBench } from '../tool-bench.ts'

let bench: ToolBench
beforeAll(async () => {
  bench = await createToolBench('auto')
})
afterAll(() => bench.close())

test.each<[SandboxState['kind'], unknown]>([
  ['seatbelt', { sandboxed: false, unheld: 'untested', kind: 'ask' }],
  ['bwrap', { sandboxed: true, unheld: undefined, kind: 'allow' }],
])('%s: what is said of a command in auto_edit', async (kind, expected) => {
  Object.assign(bench.services, { sandbox: { state: async () => ({ kind }), unheld: async () => undefined } })
  const prepared = await bench.prepare('run_command', { command: 'npm test' })
  if (!prepared.ok) throw new Error('not prepared')
  const circumstances = { mode: 'auto_edit' as const, rules: [], harmlessRuns: true, granted: false, interactive: true }
  const { sandboxed, unheld } = prepared
  expect({ sandboxed, unheld, kind: decideApproval('run_command', prepared, circumstances).kind }).toEqual(expected)
})
