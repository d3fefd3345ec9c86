/** `metona batch`: many prompts at once, every one a session of its own, all in one process. */
import { readFile, realpath } from 'node:fs/promises'
import { AppError } from '#contracts/wire/app-error.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { UsageError } from '../arguments.ts'
import { readBatchLines, type BatchLine } from '../batch-lines.ts'
import { report, type CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { explainError } from '../explain-error.ts'
import { fill } from '../fill.ts'
import { closeApp, openApp, type App } from '../open-app.ts'
import { firstLine } from '../plain-text.ts'
import { readInput } from '../prompt-source.ts'
import { sessionSettings } from '../session-settings.ts'
import { driveTurn, type TurnDriver } from '../turn-driver.ts'
import { judgeTurn } from '../turn-exit.ts'

const CONCURRENCY = 8
const MOST_AT_ONCE = 256
const WORKSPACE_WAIT_MS = 10_000

interface LineResult {
  readonly line: BatchLine
  readonly ok: boolean
  readonly answer: string
  /** What went wrong. */
  readonly trouble: string | undefined
}

export async function batch(context: CommandContext): Promise<ExitCode> {
  const { numbers, words } = context.arguments
  const settings = sessionSettings(context.arguments)
  const concurrency = numbers['concurrency'] ?? CONCURRENCY
  if (concurrency < 1 || concurrency > MOST_AT_ONCE)
    throw new UsageError('OUT_OF_RANGE', { option: '--concurrency', least: '1', most: String(MOST_AT_ONCE) })
  const file = words[0] as string
  const lines = await readBatchLines(await readLines(file), { file, folder: context.folder, language: context.language })
  return new BatchRun(context, lines, concurrency, settings).run()
}

async function readLines(file: string): Promise<string> {
  if (file === '-') {
    if (process.stdin.isTTY) throw new UsageError('NO_PROMPT')
    return readInput()
  }
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError('FILE_UNREADABLE', { file, reason: error.code ?? error.message })
  })
}

class BatchRun {
  readonly #context: CommandContext
  readonly #lines: readonly BatchLine[]
  readonly #concurrency: number
  readonly #settings: ReturnType<typeof sessionSettings>
  readonly #trust: 'stored' | 'once'
  readonly #running = new Set<TurnDriver>()
  readonly #results = new Map<number, LineResult>()
  /** Real path by path as written. */
  readonly #workspaces = new Map<string, string>()
  /** Lines of one session wait for each other. */
  readonly #sessionTails = new Map<string, Promise<unknown>>()
  #printed = 0
  #stopping = false

  constructor(context: CommandContext, lines: readonly BatchLine[], concurrency: number, settings: ReturnType<typeof sessionSettings>) {
    this.#context = context
    this.#lines = lines
    this.#concurrency = concurrency
    this.#settings = settings
    this.#trust = context.arguments.flags.has('trust') ? 'once' : 'stored'
  }

  async run(): Promise<ExitCode> {
    const { interruption, out, err, text } = this.#context
    const app = openApp(this.#context, { warm: ['storage'] })
    const forget = interruption.handle(() => {
      err.line(text.stopping)
      this.#stop()
    })
    out.onClosed(() => this.#stop())
    try {
      const folders = [...new Set(this.#lines.map((line) => line.workspace))]
      const untrusted = this.#trust === 'stored' ? await findUntrusted(app, folders) : undefined
      if (untrusted !== undefined)
        return report(this.#context, new AppError({ code: 'UNTRUSTED', message: untrusted, params: { path: untrusted } }))
      for (const folder of folders) {
        if (this.#stopping) return ExitCode.ABORTED
        try {
          const { workspace } = await app.client.call('workspace.open', {
            path: folder,
            trust: this.#trust,
            mode: 'write',
            waitMs: WORKSPACE_WAIT_MS,
          })
          this.#workspaces.set(folder, workspace)
        } catch (error) {
          return report(this.#context, error, { path: folder })
        }
      }
      await this.#runAll(app)
      return this.#conclude()
    } finally {
      forget()
      await closeApp(app)
    }
  }

  #stop(): void {
    this.#stopping = true
    for (const driver of this.#running) driver.stop()
  }

  async #runAll(app: App): Promise<void> {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < this.#lines.length && !this.#stopping) await this.#runInTurn(app, this.#lines[next++] as BatchLine)
    }
    await Promise.all(Array.from({ length: Math.min(this.#concurrency, this.#lines.length) }, lane))
  }

  async #runInTurn(app: App, line: BatchLine): Promise<void> {
    if (line.session === undefined) return this.#runLine(app, line)
    const before = this.#sessionTails.get(line.session) ?? Promise.resolve()
    const mine = before.then(() => this.#runLine(app, line))
    this.#sessionTails.set(line.session, mine)
    return mine
  }

  async #runLine(app: App, line: BatchLine): Promise<void> {
    if (this.#stopping) return
    let answer = ''
    const onEvent = (event: SessionEvent): void => {
      if (event.event === 'llm_response' && (event.toolCalls ?? []).length === 0) answer = event.content
      if (this.#context.json)
        this.#context.out.line(JSON.stringify({ ...event, line: line.line, ...(line.id === undefined ? {} : { id: line.id }) }))
    }
    const settings = { ...this.#settings, ...(line.model === undefined ? {} : { model: line.model }) }
    const workspace = this.#workspaces.get(line.workspace) as string
    const driver = driveTurn(
      app,
      { workspace, trust: this.#trust, sessionId: line.session, settings, prompt: line.prompt, interactive: false },
      { onEvent, onSnapshot: ignore },
    )
    this.#running.add(driver)
    try {
      const verdict = judgeTurn(await driver.outcome, false, this.#context)
      this.#finish({ line, ok: verdict.exit === ExitCode.DONE, answer, trouble: verdict.text })
    } catch (error) {
      this.#finish({
        line,
        ok: false,
        answer,
        trouble: explainError(error, this.#context, { path: workspace, sessionId: line.session }).text,
      })
    } finally {
      this.#running.delete(driver)
    }
  }

  #finish(result: LineResult): void {
    const { err, out, text, json } = this.#context
    this.#results.set(result.line.line, result)
    if (result.trouble !== undefined) err.line(`[${result.line.line}] ${result.trouble}`)
    if (err.isTerminal) err.line(fill(text.batchProgress, { done: this.#results.size, total: this.#lines.length, failed: this.#failed() }))
    if (json) return
    for (let line = this.#lines[this.#printed]; line !== undefined; line = this.#lines[this.#printed]) {
      const ready = this.#results.get(line.line)
      if (ready === undefined) return
      out.line(
        fill(text.batchBlock, {
          line: line.line,
          name: line.id ?? firstLine(line.prompt, 60),
          outcome: ready.ok ? text.batchOk : text.batchFailed,
        }),
      )
      if (ready.answer !== '') out.line(ready.answer.trimEnd())
      out.line('')
      this.#printed += 1
    }
  }

  #failed(): number {
    return [...this.#results.values()].filter((result) => !result.ok).length
  }

  #conclude(): ExitCode {
    const { out, err, text, json, interruption } = this.#context
    const failed = this.#lines.length - (this.#results.size - this.#failed())
    const ok = this.#lines.length - failed
    if (json) out.line(JSON.stringify({ event: 'batch_end', ok, failed }))
    else err.line(fill(text.batchProgress, { done: ok + failed, total: this.#lines.length, failed }))
    if (interruption.happened) return ExitCode.ABORTED
    if (out.closed) return ExitCode.DONE
    return failed === 0 ? ExitCode.DONE : ExitCode.FAILED
  }
}

/** Asked before the first folder is opened: opening one writes into it. */
async function findUntrusted({ client }: App, folders: readonly string[]): Promise<string | undefined> {
  const trusted = new Set((await client.call('trust.list', {})).entries.map((entry) => entry.path))
  for (const folder of folders) if (!trusted.has(await realpath(folder))) return folder
  return undefined
}

function ignore(): void {}
