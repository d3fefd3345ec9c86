/** What counting costs: the same work with every thread's meter on and off, in turns. The side without is the floor. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startFakeProvider, type FakeAnswer } from '#tests/helpers/fake-provider.ts'
import type { BenchRow } from '../bench-row.ts'
import { foreignBeside, median, type RunCost, runMeasured } from '../measure.ts'

const SESSIONS = 8
const TOOLS = 4
const TOKENS = 300
const TOKENS_PER_SECOND = 300

export const instrumentation: BenchRow = {
  name: 'instrumentation',
  title: '8 sessions with tools: meters on over meters off',
  run: async ({ pairs, size, node, metona, scratch }) => {
    const provider = await startFakeProvider()
    const workspace = await scratch()
    const prompts = Array.from({ length: SESSIONS }, (_, session) => `metered-session-${session}-go`)
    const stream = { tokens: TOKENS, tokensPerSecond: TOKENS_PER_SECOND }
    const answers: FakeAnswer[] = [
      ...Array.from({ length: TOOLS }, (_, turn): FakeAnswer => ({
        ...stream,
        toolCalls: [{ name: 'run_command', args: { command: `echo ${turn}` } }],
      })),
      stream,
    ]
    const lines = path.join(await scratch(), 'batch.jsonl')
    await writeFile(lines, prompts.map((prompt) => `${JSON.stringify({ prompt })}\n`).join(''))
    const home = await scratch()
    const argv = [
      node,
      metona,
      'batch',
      lines,
      '--concurrency',
      String(SESSIONS),
      '-w',
      workspace,
      '--trust',
      '--permission',
      'full_access',
    ]
    const model = ['--sandbox', 'off', '-m', 'deepseek/deepseek-flash', '--base-url', provider.baseUrl]
    const measured = async (meter: 'on' | 'off'): Promise<RunCost> => {
      await provider.reset()
      await provider.script(prompts.map((marker) => ({ marker, answers })))
      const env = { METONA_HOME: home, DEEPSEEK_API_KEY: 'sk-bench', METONA_METER: meter }
      const cost = await runMeasured([...argv, ...model], { env, own: [provider.pid] })
      if (cost.exitCode !== 0) throw new Error(`the run failed (${cost.exitCode}): ${cost.stderr}`)
      return cost
    }
    try {
      // The first run makes the workspace.
      await measured('on')
      const runs: { on: RunCost; off: RunCost }[] = []
      for (let pair = 0; pair < (size === 'full' ? Math.max(10, pairs) : 4); pair++)
        runs.push(
          pair % 2 === 0
            ? { on: await measured('on'), off: await measured('off') }
            : { off: await measured('off'), on: await measured('on') },
        )
      const of = (pick: (run: (typeof runs)[number]) => number): number => median(runs.map(pick))
      return {
        foreignCores: foreignBeside(
          runs.map((run) => run.on),
          runs.map((run) => run.off),
        ),
        figures: [
          {
            name: 'CPU',
            // Each pair ran under the same conditions, the pairs did not: the median of the ratios, not the ratio of the medians.
            ours: of((run) => run.on.cpuSeconds / run.off.cpuSeconds),
            floor: 1,
            unit: '×',
            budget: 1.05,
            ratio: true,
            kind: 'cpu',
          },
          { name: 'CPU, meters on', ours: of((run) => run.on.cpuSeconds), floor: of((run) => run.off.cpuSeconds), unit: 's', kind: 'cpu' },
        ],
        raw: runs.map(({ on, off }) => ({
          on: { cpuSeconds: on.cpuSeconds, foreignCores: on.foreignCores },
          off: { cpuSeconds: off.cpuSeconds, foreignCores: off.foreignCores },
        })),
      }
    } finally {
      await provider.stop()
    }
  },
}
