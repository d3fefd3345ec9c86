/** `metona run`: one prompt, from start to a settled end. */
import type { StreamDelta } from '#contracts/session/stream-delta.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { askAboutFiles } from '../agree-files.ts'
import { askForApproval, type ApprovalAsker } from '../approval-asker.ts'
import { closeApp, openApp } from '../open-app.ts'
import { report, type CommandContext } from '../command-context.ts'
import { elapsed } from '#contracts/export/elapsed.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { readPrompt } from '../prompt-source.ts'
import { sessionSettings } from '../session-settings.ts'
import { driveTurn, type TurnDriver, type TurnOutcome } from '../turn-driver.ts'
import { judgeTurn } from '../turn-exit.ts'
import { TurnPrinter } from '../turn-printer.ts'
import { wantsColour } from '../colour.ts'

/** How long a folder that another process holds is waited for. */
const WORKSPACE_WAIT_MS = 10_000

export async function run(context: CommandContext): Promise<ExitCode> {
  const { flags, values, words } = context.arguments
  const settings = sessionSettings(context.arguments)
  const prompt = await readPrompt(words)
  return runTurn(context, {
    prompt,
    settings,
    sessionId: values['session'],
    trust: flags.has('trust') ? 'once' : 'stored',
    strict: flags.has('strict'),
    deltas: flags.has('deltas'),
  })
}

export interface RunOrder {
  readonly prompt: string
  readonly settings: ReturnType<typeof sessionSettings>
  readonly sessionId?: string | undefined
  readonly trust: 'stored' | 'once'
  readonly strict: boolean
  readonly deltas: boolean
}

export async function runTurn(context: CommandContext, order: RunOrder): Promise<ExitCode> {
  const { out, err, interruption } = context
  const app = openApp(context, { warm: ['storage'] })
  const printer = new TurnPrinter({ ...context, colour: wantsColour(err, context.environment) })
  // At a terminal the person who started the run is there to be asked.
  // Where standard input is no terminal, `isTTY` is not false but missing.
  const interactive = !context.json && process.stdin.isTTY === true && err.isTerminal
  const asker = interactive
    ? askForApproval({
        ...context,
        client: app.client,
        input: process.stdin,
        say: (line) => printer.note(line),
        ask: (question) => err.write(question),
      })
    : undefined
  let driver: TurnDriver | undefined
  let stop: () => void = () => undefined
  const stopped = new Promise<'stopped'>((resolve) => {
    stop = () => {
      resolve('stopped')
      driver?.stop()
    }
  })
  const forget = interruption.handle(() => {
    printer.note(context.text.stopping)
    stop()
  })
  out.onClosed(stop)

  try {
    const opening = app.client.call('workspace.open', {
      path: context.folder,
      trust: order.trust,
      mode: 'write',
      waitMs: WORKSPACE_WAIT_MS,
    })
    const opened = await Promise.race([opening, stopped])
    if (opened === 'stopped') return ended(context, ExitCode.ABORTED)
    if (opened.created.length > 0) printer.note(fill(context.text.created, { files: opened.created.join(', ') }))
    if (interactive && order.trust === 'stored') await Promise.race([askAboutFiles(context, app.client, opened.workspace), stopped])
    driver = driveTurn(
      app,
      {
        workspace: opened.workspace,
        trust: order.trust,
        sessionId: order.sessionId,
        settings: order.settings,
        prompt: order.prompt,
        interactive,
      },
      context.json
        ? jsonWatcher(context, order.deltas)
        : {
            onEvent: (event) => show(printer, asker, event),
            onDelta: (delta) => printer.delta(delta),
            onSnapshot: (snapshot) => printer.snapshot(snapshot),
          },
    )
    if (interruption.happened || out.closed) driver.stop()
    const outcome = await driver.outcome
    return conclude(context, printer, order, outcome)
  } catch (error) {
    return ended(context, report(context, error, { sessionId: order.sessionId ?? '' }))
  } finally {
    forget()
    asker?.close()
    await closeApp(app)
  }
}

function show(printer: TurnPrinter, asker: ApprovalAsker | undefined, event: SessionEvent): void {
  printer.event(event)
  asker?.event(event)
}

function jsonWatcher({ out }: CommandContext, deltas: boolean): Parameters<typeof driveTurn>[2] {
  return {
    onEvent: (event: SessionEvent) => out.line(JSON.stringify(event)),
    ...(deltas
      ? { onDelta: (delta: StreamDelta, rev: number, sessionId: string) => out.line(JSON.stringify({ rev, sessionId, ...delta })) }
      : {}),
    onSnapshot: () => undefined,
  }
}

function conclude(context: CommandContext, printer: TurnPrinter, order: RunOrder, outcome: TurnOutcome): ExitCode {
  if (readerGone(context)) return ExitCode.DONE
  const { exit, text } = judgeTurn(outcome, order.strict, context)
  if (!context.json && outcome.end !== undefined) printer.note(summary(context, outcome))
  if (text !== undefined) printer.note(text)
  if (outcome.denied > 0 && exit === ExitCode.DONE)
    printer.note(fill(outcome.denied === 1 ? context.text.deniedOne : context.text.deniedMany, { count: outcome.denied }))
  return ended(context, exit)
}

/** A reader that went away ends the run quietly: it had what it wanted. */
function readerGone({ out, interruption }: CommandContext): boolean {
  return out.closed && !interruption.happened
}

function ended(context: CommandContext, exit: ExitCode): ExitCode {
  if (readerGone(context)) return ExitCode.DONE
  return context.interruption.happened ? ExitCode.ABORTED : exit
}

/** With a comma after each three digits. The locale's own way loads the tables of all languages, for one number. */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

function summary({ text, language }: CommandContext, { sessionId, end, usage }: TurnOutcome): string {
  const cost = end?.cost === undefined ? '' : ` · ${end.cost.total.toFixed(4)} ${end.cost.currency}`
  return fill(text.summary, {
    session: sessionId,
    iterations: end?.iterations ?? 0,
    input: grouped(usage?.inputTokens ?? 0),
    output: grouped(usage?.outputTokens ?? 0),
    cost,
    elapsed: elapsed(end?.durationMs ?? 0, language),
  })
}
