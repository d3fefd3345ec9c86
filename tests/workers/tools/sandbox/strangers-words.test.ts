// needs: bwrap
import { expect, test } from 'vitest'
import { createToolBench } from '../tool-bench.ts'

test.each([
  ['off', 'curl example.org', true],
  ['off', 'npm test', undefined],
  ['auto', 'curl example.org', undefined],
] as const)('sandbox %s, %j: its output counts as words of strangers: %s', async (sandbox, command, expected) => {
  const bench = await createToolBench(sandbox)
  try {
    const prepared = await bench.prepare('run_command', { command })
    expect(prepared.ok && { sandboxed: prepared.sandboxed, foreign: prepared.foreign }).toEqual({
      sandboxed: sandbox === 'auto',
      foreign: expected,
    })
  } finally {
    await bench.close()
  }
})
