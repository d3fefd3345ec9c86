/** A loop of 30 turns, each one command: what the app adds between an answer and the next request. */
import { startFakeProvider, type FakeAnswer, type FakeRequest } from '#tests/helpers/fake-provider.ts'
import type { BenchRow } from '../bench-row.ts'
import { floorProgram, foreignBeside, median, quantile, runMeasured } from '../measure.ts'

interface Gaps {
  readonly gaps: number[]
  readonly foreignCores: number
}

export const toolLoop: BenchRow = {
  name: 'tool-loop',
  title: '30-turn tool loop, sandbox off',
  run: async ({ pairs, size, node, metona, root, scratch }) => {
    const turns = size === 'full' ? 30 : 10
    const provider = await startFakeProvider()
    const workspace = await scratch()
    const env = { METONA_HOME: await scratch(), DEEPSEEK_API_KEY: 'sk-bench' }
    const answers: FakeAnswer[] = [
      ...Array.from({ length: turns }, (_, turn): FakeAnswer => ({
        toolCalls: [{ name: 'run_command', args: { command: `echo ${turn}` } }],
      })),
      { text: 'done' },
    ]
    const gapsOf = async (argv: string[]): Promise<Gaps> => {
      await provider.reset()
      await provider.script(answers)
      const cost = await runMeasured(argv, { env, own: [provider.pid] })
      const requests = await provider.requests()
      if (cost.exitCode !== 0 || requests.length !== turns + 1)
        throw new Error(`the run failed (${cost.exitCode}, ${requests.length} requests): ${cost.stderr}`)
      return { gaps: gaps(requests), foreignCores: cost.foreignCores }
    }
    const floorArgv = [node, await floorProgram(root), provider.baseUrl, JSON.stringify({ prompts: ['go'], print: false })]
    const ourArgv = [
      node,
      metona,
      'run',
      '-w',
      workspace,
      '--trust',
      '--permission',
      'full_access',
      '--sandbox',
      'off',
      '-m',
      'deepseek/deepseek-flash',
      '--base-url',
      provider.baseUrl,
      'go',
    ]
    try {
      const runs: { floor: Gaps; ours: Gaps }[] = []
      for (let pair = 0; pair < pairs; pair++) runs.push({ floor: await gapsOf(floorArgv), ours: await gapsOf(ourArgv) })
      // The first gap of a run warms things up on both sides.
      const all = (side: 'floor' | 'ours'): number[] => runs.flatMap((run) => run[side].gaps.slice(1))
      return {
        foreignCores: foreignBeside(
          runs.map((run) => run.ours),
          runs.map((run) => run.floor),
        ),
        figures: [
          {
            name: 'gap median',
            ours: median(all('ours')),
            floor: median(all('floor')),
            unit: 'ms',
            budget: 1.25,
            ratio: true,
            kind: 'time',
          },
          { name: 'gap p90', ours: quantile(all('ours'), 0.9), floor: quantile(all('floor'), 0.9), unit: 'ms', budget: 60, kind: 'time' },
        ],
        raw: runs,
      }
    } finally {
      await provider.stop()
    }
  },
}

/** Milliseconds from the last byte of one answer to the arrival of the next request. */
function gaps(requests: readonly FakeRequest[]): number[] {
  return requests.slice(1).map((request, index) => request.arrivedAt - (requests[index]?.lastByteAt ?? Number.NaN))
}
