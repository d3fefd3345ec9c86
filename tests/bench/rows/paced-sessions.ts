/** Eight sessions at once, each streaming at 100 tokens a second and running tools. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { startFakeProvider, type FakeAnswer, type FakeRequest, type FakeRule } from '#tests/helpers/fake-provider.ts'
import type { BenchRow } from '../bench-row.ts'
import { floorProgram, foreignBeside, median, quantile, type RunCost, runMeasured } from '../measure.ts'

interface Paced {
  readonly cost: RunCost
  readonly gaps: number[]
  readonly spanMs: number
}

const SESSIONS = 8
const TOKENS_PER_SECOND = 100

export const pacedSessions: BenchRow = {
  name: 'paced-sessions',
  title: '8 × (5,000 tokens at 100/s + 10 tools), sandbox off',
  run: async ({ pairs, size, node, metona, root, scratch }) => {
    const tools = size === 'full' ? 10 : 3
    const tokens = size === 'full' ? 5000 : 600
    const perAnswer = Math.floor(tokens / (tools + 1))
    const provider = await startFakeProvider()
    const workspace = await scratch()
    const env = { METONA_HOME: await scratch(), DEEPSEEK_API_KEY: 'sk-bench' }
    const prompts = Array.from({ length: SESSIONS }, (_, session) => `paced-session-${session}-go`)
    const rules: FakeRule[] = prompts.map((marker, session) => ({
      marker,
      answers: [
        ...Array.from({ length: tools }, (_, turn): FakeAnswer => ({
          tokens: perAnswer,
          tokensPerSecond: TOKENS_PER_SECOND,
          toolCalls: [{ name: 'run_command', args: { command: `echo ${session} ${turn}` } }],
        })),
        { tokens: perAnswer, tokensPerSecond: TOKENS_PER_SECOND },
      ],
    }))
    const lines = path.join(await scratch(), 'batch.jsonl')
    await writeFile(lines, prompts.map((prompt) => `${JSON.stringify({ prompt })}\n`).join(''))
    const measured = async (argv: string[]): Promise<Paced> => {
      await provider.reset()
      await provider.script(rules)
      const cost = await runMeasured(argv, { env, own: [provider.pid], samplePss: true })
      const requests = await provider.requests()
      if (cost.exitCode !== 0 || requests.length !== SESSIONS * (tools + 1))
        throw new Error(`the run failed (${cost.exitCode}, ${requests.length} requests): ${cost.stderr}`)
      return {
        cost,
        gaps: prompts.flatMap((prompt) => gapsOf(requests, prompt)),
        spanMs:
          Math.max(...requests.map((request) => request.lastTokenAt ?? 0)) - Math.min(...requests.map((request) => request.arrivedAt)),
      }
    }
    const floorArgv = [node, await floorProgram(root), provider.baseUrl, JSON.stringify({ prompts, print: false })]
    const ourArgv = [
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
      '--sandbox',
      'off',
      '-m',
      'deepseek/deepseek-flash',
      '--base-url',
      provider.baseUrl,
    ]
    const idealMs = ((tools + 1) * perAnswer * 1000) / TOKENS_PER_SECOND
    try {
      const runs: { floor: Paced; ours: Paced }[] = []
      for (let pair = 0; pair < pairs; pair++) runs.push({ floor: await measured(floorArgv), ours: await measured(ourArgv) })
      const of = (pick: (run: (typeof runs)[number]) => number): number => median(runs.map(pick))
      const all = (side: 'floor' | 'ours'): number[] => runs.flatMap((run) => run[side].gaps)
      return {
        foreignCores: foreignBeside(
          runs.map((run) => run.ours.cost),
          runs.map((run) => run.floor.cost),
        ),
        figures: [
          {
            name: 'CPU of the tree',
            ours: of((run) => run.ours.cost.cpuSeconds),
            floor: of((run) => run.floor.cost.cpuSeconds),
            unit: 's',
            budget: 2,
            ratio: true,
            kind: 'cpu',
          },
          {
            name: 'PSS',
            ours: of((run) => run.ours.cost.peakPssMiB),
            floor: of((run) => run.floor.cost.peakPssMiB),
            unit: 'MiB',
            budget: 250,
            kind: 'count',
          },
          {
            name: 'time over ideal',
            ours: of((run) => (run.ours.spanMs / idealMs - 1) * 100),
            floor: of((run) => (run.floor.spanMs / idealMs - 1) * 100),
            unit: '%',
            budget: 4,
            kind: 'time',
          },
          {
            name: 'gap median',
            ours: median(all('ours')),
            floor: median(all('floor')),
            unit: 'ms',
            budget: 1.2,
            ratio: true,
            kind: 'time',
          },
          {
            name: 'gap p90',
            ours: quantile(all('ours'), 0.9),
            floor: quantile(all('floor'), 0.9),
            unit: 'ms',
            budget: 1.2,
            ratio: true,
            kind: 'time',
          },
        ],
        raw: runs.map((run) => ({ floor: brief(run.floor), ours: brief(run.ours) })),
      }
    } finally {
      await provider.stop()
    }
  },
}

function brief({ cost, gaps, spanMs }: Paced): object {
  return { cpuSeconds: cost.cpuSeconds, peakPssMiB: cost.peakPssMiB, foreignCores: cost.foreignCores, spanMs, gaps }
}

function gapsOf(requests: readonly FakeRequest[], marker: string): number[] {
  const mine = requests.filter((request) => request.marker === marker)
  return mine.slice(1).map((request, index) => request.arrivedAt - (mine[index]?.lastByteAt ?? Number.NaN))
}
