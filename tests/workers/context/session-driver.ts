/** Drives the context tasks of one session in this thread, as the session worker does through the pool. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompactionStep } from '#contracts/context/compaction.ts'
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import { buildAsRead } from '#tests/helpers/build-as-read.ts'
import { applySummary, build, forget, planCompaction } from '#workers/context/entry.ts'

export type Built = Extract<BuildOutput, { ok: true }>

export const NOW = Date.UTC(2026, 5, 25, 12)

let sessionNumber = 0

export interface DriverOptions {
  readonly workspace: string
  readonly contextWindow?: number
  readonly maxOutput?: number
  readonly contextBudget?: number
  readonly provider?: string
  readonly model?: string
  readonly tools?: BuildTask['tools']
}

export class SessionDriver {
  readonly sessionId = `s_driver${++sessionNumber}`
  readonly options: DriverOptions
  #sentLength = 0
  #requests = 0

  constructor(options: DriverOptions) {
    this.options = options
  }

  task(history: readonly MetonaMessage[], extra: Partial<BuildTask> = {}): BuildTask {
    const { options } = this
    const from = this.#sentLength
    this.#sentLength = history.length
    return {
      sessionId: this.sessionId,
      requestId: `r_${++this.#requests}`,
      agentVersion: '1.0.0',
      workspace: options.workspace,
      model: {
        provider: options.provider ?? 'deepseek',
        id: options.model ?? 'deepseek-v4-pro',
        contextWindow: options.contextWindow ?? 1_000_000,
        maxOutput: options.maxOutput ?? 384_000,
      },
      from,
      messages: history.slice(from),
      tools: options.tools ?? [],
      iteration: 1,
      userInput: history.findLast((message) => message.role === 'user')?.content ?? '',
      thinkingEnabled: false,
      now: NOW,
      ...(options.contextBudget === undefined ? {} : { contextBudget: options.contextBudget }),
      ...extra,
    }
  }

  build(history: readonly MetonaMessage[], extra: Partial<BuildTask> = {}): Promise<BuildOutput> {
    return buildAsRead(build, this.task(history, extra))
  }

  async mustBuild(history: readonly MetonaMessage[], extra: Partial<BuildTask> = {}): Promise<Built> {
    const output = await this.build(history, extra)
    if (!output.ok) throw new Error(`not built: ${JSON.stringify(output).slice(0, 400)}`)
    return output
  }

  /** Plans and applies; `summarise` plays the model. */
  async compact(
    reason: 'automatic' | 'manual' | 'overflow',
    summarise: (
      request: MetonaRequest,
      mode: 'suffix' | 'separate',
    ) => { content: string; finishReason?: 'stop' | 'error' | 'length' } | undefined,
  ): Promise<CompactionStep> {
    let step = await planCompaction({ sessionId: this.sessionId, requestId: `plan_${++this.#requests}`, reason, now: NOW })
    while (step.kind === 'ask_model') {
      const answer = summarise(step.request, step.mode)
      step = applySummary({
        sessionId: this.sessionId,
        planId: step.planId,
        ...(answer === undefined ? {} : { response: { finishReason: 'stop' as const, ...answer } }),
      })
    }
    return step
  }

  forget(): void {
    forget({ sessionId: this.sessionId })
    this.#sentLength = 0
  }
}

/** A folder with the given files. Removed by `remove`. */
export async function makeWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'metona-context-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(path, name), content)
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}
