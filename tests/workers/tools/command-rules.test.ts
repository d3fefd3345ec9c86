/** A rule about a program holds wherever that program stands in a command line. What really starts is seen by a stub that leaves a mark. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import type { PermissionRule } from '#contracts/tools/permission-rule.ts'
import { decideApproval, type ApprovalPolicy } from '#workers/session/domain/approval-policy.ts'
import { createToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeAll(async () => {
  bench = await createToolBench()
  mkdirSync(join(bench.outside, 'bin'))
  writeFileSync(join(bench.outside, 'bin/stub'), `#!/bin/sh\necho "$@" > '${join(bench.outside, 'mark')}'\n`)
  chmodSync(join(bench.outside, 'bin/stub'), 0o755)
})
afterAll(() => bench.close())

async function decide(line: string, mode: PermissionMode, ...rules: PermissionRule[]): Promise<ApprovalPolicy> {
  const place = { workspace: bench.workspace, sessionId: 's_rules00001', sandbox: 'off' as const }
  const call = { id: 'tc_rules0000001', name: 'run_command', args: { command: line }, iteration: 1, timestamp: 1 }
  const prepared = await bench.handlers.prepare({ place, call }, { signal: new AbortController().signal })
  if (!prepared.ok) throw new Error(`not prepared: ${line}`)
  return decideApproval('run_command', prepared, { mode, rules, harmlessRuns: false, granted: false, interactive: true })
}
const rule = (effect: PermissionRule['effect'], match: string): PermissionRule => ({ effect, tool: 'run_command', match })

/** Whether bash starts the stub for this line. */
function starts(line: string): boolean {
  const mark = join(bench.outside, 'mark')
  rmSync(mark, { force: true })
  const env = { PATH: `${join(bench.outside, 'bin')}:${process.env['PATH']}`, LC_ALL: 'C.UTF-8' }
  spawnSync('/bin/bash', ['-c', line], { cwd: bench.workspace, env, stdio: 'ignore', timeout: 10_000 })
  return existsSync(mark)
}

describe('a forbidden program', () => {
  test.each([
    'stub x',
    `sh -c 'stub x'`,
    `bash -lc '../ws-evil/bin/stub x'`,
    `bash -euo pipefail -c 'true; stub x'`,
    `bash --norc -c -- 'stub x'`,
    `dash -c "stub x"`,
    `sh -c "sh -c 'stub x'"`,
    `env X=1 sh -c 'stub x'`,
    `env -i PATH="$PATH" stub x`,
    'env -u HOME X=1 stub x',
    `env -S 'stub x'`,
    'timeout 5 stub x',
    'timeout -k 1 --signal KILL 5 stub x',
    'nice stub x',
    'nice -n 5 stub x',
    'nohup stub x',
    'setsid -w stub x',
    'stdbuf -oL stub x',
    'ionice -c 3 stub x',
    'command stub x',
    'exec stub x',
    `eval 'stub x'`,
    `trap 'stub x' EXIT`,
    'echo x | xargs stub',
    'echo x | xargs -n1 -I{} stub {}',
    `echo x | xargs sh -c 'stub x'`,
    `echo 'stub x' | sh`,
    `find . -maxdepth 0 -exec stub {} ';'`,
    `find . -maxdepth 0 -exec sh -c 'stub x' ';'`,
    `nice -n 5 timeout 5 env A=b bash -c 'stub x | cat'`,
    `bash -c 'if true; then stub x; fi'`,
    `X=stub; $X x`,
    `bash -c '$0 x' stub`,
    `bash -c '"$@"' _ stub x`,
    'sh <<< "stub x"',
    `git -c alias.x='!stub x' x`,
    `X='!stub x' git --config-env=alias.x=X x`,
    `env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!stub x' git x`,
    `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!stub x' git x`,
  ])('is not started by %j, in any mode', async (line) => {
    expect(starts(line)).toBe(true)
    const policies = await Promise.all([
      decide(line, 'full_access', rule('deny', 'stub')),
      decide(line, 'full_access', rule('deny', 'stub *')),
    ])
    expect(policies.map(({ kind }) => kind)).toEqual(['deny', 'deny'])
    expect((await decide(line, 'auto_edit', rule('deny', 'stub *'))).kind).not.toBe('allow')
  })

  test.each(['timeout 5 echo stub x', `sh -c 'echo stub'`, 'env A=stub true', 'command -v stub', `echo "sh -c 'stub x'"`])(
    'control: %j does not start it, and runs',
    async (line) => {
      expect(starts(line)).toBe(false)
      expect((await decide(line, 'full_access', rule('deny', 'stub *'))).kind).toBe('allow')
    },
  )
})

test.each([
  [`sh -c 'stub x'`, ['sh *'], 'ask'],
  [`sh -c 'stub x'`, ['sh *', 'stub *'], 'allow'],
  [`sh -c 'stub x; rm y'`, ['sh *', 'stub *'], 'ask'],
  [`sh -c 'stub x > ~/.bashrc'`, ['sh *', 'stub *'], 'ask'],
  [`sh -c "stub \${X}"`, ['sh *', 'stub *'], 'ask'],
  [`timeout 5 stub x`, ['timeout *'], 'ask'],
  [`timeout 5 stub x`, ['timeout *', 'stub x'], 'allow'],
  [`echo a | xargs stub`, ['xargs *', 'stub'], 'ask'],
  [`echo a | xargs stub`, ['xargs *', 'stub *'], 'allow'],
  [`echo 'rm y' | sh`, ['sh', 'sh *'], 'ask'],
  [`find . -exec stub {} ';'`, ['find *', 'stub *'], 'ask'],
  [`find . -exec rm {} ';'`, ['find *'], 'ask'],
])('%j with leave for %j: %s', async (line, matches, kind) => {
  expect((await decide(line, 'ask', ...matches.map((match) => rule('allow', match)))).kind).toBe(kind)
})

test('what asks about a program asks about it inside a string too', async () => {
  expect((await decide(`sh -c 'stub x'`, 'ask', rule('allow', 'sh *'), rule('allow', 'stub *'), rule('ask', 'stub *'))).kind).toBe('ask')
})

test('a script that a string names is bound to the approval', async () => {
  writeFileSync(join(bench.workspace, 'job.sh'), 'true\n')
  const { handlers, workspace } = bench
  const place = { workspace, sessionId: 's_rules00001', sandbox: 'off' as const }
  const call = { id: 'tc_rules0000002', name: 'run_command', args: { command: `bash -c 'sh job.sh'` }, iteration: 1, timestamp: 1 }
  const context = { signal: new AbortController().signal }
  const hash = async (): Promise<unknown> => {
    const prepared = await handlers.prepare({ place, call }, context)
    return prepared.ok && prepared.argumentsHash
  }
  const before = await hash()
  writeFileSync(join(workspace, 'job.sh'), 'rm y\n')
  expect(await hash()).not.toBe(before)
})
