/**
 * The calls of one answer: prepare → approve → commit the intent → run → commit the outcome. Every call gets
 * exactly one `tool_result`, whatever happens; failures are results the model can read.
 */
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import type { MetonaToolCall, MetonaToolResult } from '#contracts/metona/metona-tool.ts'
import type { ToolOutcome } from '#contracts/session/session-enums.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import { RecalledMemoriesSchema } from '#contracts/session/session-event-parts.ts'
import type { PreparedCall, RiskClass } from '#contracts/tools/prepared-call.ts'
import { askDuringCall } from './ask-during-call.ts'
import { decideCall, type Prepared } from './decide-call.ts'
import type { LoopGuard } from './loop-guard.ts'
import { mapFailure } from './map-failure.ts'
import type { ToolRun, ToolStop, TraceSpan, TurnPorts, TurnSettings } from './turn-ports.ts'
import type { TurnEnd } from './run-turn.ts'

/** Longest time an answer waits to be written, so that the intents can join it; milliseconds. */
const SHARE_COMMIT_MS = 10

/** Calls of these kinds may change what calls after them are about. */
const CHANGES: readonly RiskClass[] = ['edit', 'execute']

export interface ToolStep {
  readonly settings: TurnSettings
  readonly ports: TurnPorts
  readonly signal: AbortSignalLike
  readonly iteration: number
  readonly calls: readonly MetonaToolCall[]
  readonly spans: TraceSpan[]
  readonly guard: LoopGuard
  /** Commits the answer that holds the calls. Called once, before any intent is committed. */
  commitAnswer(): Promise<void>
}

/** A call with everything decided: it runs, or it has its result already. */
export type Decided =
  | { readonly call: MetonaToolCall; readonly run: Prepared; readonly approved: boolean; readonly answer?: string }
  | { readonly call: MetonaToolCall; readonly refused: { outcome: ToolOutcome; message: string } }
  | { readonly call: MetonaToolCall; readonly failed: MetonaToolResult }

export interface ToolStepEnd {
  readonly stops: ToolStop[]
  readonly end: Omit<TurnEnd, 'iterations'> | undefined
  /** The last outcomes on their way to the disk; what follows them may join the same commit. */
  readonly committed: Promise<unknown>
}

export async function runToolCalls(step: ToolStep): Promise<ToolStepEnd> {
  const { signal, settings } = step
  const preparing = Promise.all(step.calls.map((call) => prepare(step, call)))
  // An answer and the intents it leads to share a commit where preparing is quick; where it is not, the answer goes first.
  const early = await Promise.race([preparing, step.ports.pause(SHARE_COMMIT_MS)])
  const answered = step.commitAnswer()
  // Awaited before anything runs; until then a failed write is not unhandled.
  answered.catch(() => undefined)
  const prepared = early ?? (await preparing)
  const stops: ToolStop[] = []
  let end: Omit<TurnEnd, 'iterations'> | undefined
  let committed: Promise<unknown> = Promise.resolve()
  let changed = false

  for (const group of groupCalls(step.calls, settings)) {
    await committed
    // What was looked at before others of these calls changed it is looked at again, so that what is asked about is what is there.
    if (changed && !signal.aborted && end === undefined)
      await Promise.all(
        group.map(async (index) => {
          const call = step.calls[index]
          if (call !== undefined) prepared[index] = await prepare(step, call)
        }),
      )
    const deciding: (Decided | Promise<Decided>)[] = []
    for (const index of group) {
      const call = step.calls[index]
      const preparation = prepared[index]
      if (call === undefined || preparation === undefined) continue
      if (signal.aborted)
        deciding.push({ call, refused: { outcome: 'aborted', message: 'not run: the turn was stopped before this call' } })
      else if (end !== undefined)
        deciding.push({ call, refused: { outcome: 'aborted', message: 'not run: the turn ended before this call' } })
      else if (!preparation.ok) deciding.push({ call, failed: preparation.result })
      else {
        const verdict = step.guard.see(preparation.argumentsHash)
        if (verdict === 'run') deciding.push(decideCall(step, call, preparation))
        else
          deciding.push({
            call,
            refused: {
              outcome: 'error',
              message:
                'this exact call was made several times in a row; its result will not change. Use the result you have, or do something else.',
            },
          })
        if (verdict === 'end') end = repeatedCallEnd(call.name)
      }
    }
    const [decided] = await Promise.all([Promise.all(deciding), answered])
    const ended = await runGroup(step, decided)
    changed ||= decided.some((entry) => 'run' in entry && CHANGES.includes(entry.run.risk))
    stops.push(...ended.stops)
    committed = ended.committed
  }
  return { stops, end, committed }
}

function repeatedCallEnd(tool: string): Omit<TurnEnd, 'iterations'> {
  const error = mapFailure({ code: 'REPEATED_CALL', message: `${tool} was called again and again with the same arguments` })
  return { reason: 'limit_reached', detail: 'repeated_call', error }
}

/** Neighbouring calls of tools that may run side by side form one group; any other call is a group of its own. */
function groupCalls(calls: readonly MetonaToolCall[], settings: TurnSettings): number[][] {
  const groups: number[][] = []
  let open: number[] | undefined
  calls.forEach((call, index) => {
    const parallel = settings.tools.find((tool) => tool.definition.name === call.name)?.parallel === true
    if (parallel && open !== undefined) open.push(index)
    else {
      const group = [index]
      groups.push(group)
      open = parallel ? group : undefined
    }
  })
  return groups
}

async function prepare({ ports }: ToolStep, call: MetonaToolCall): Promise<PreparedCall> {
  if (call.invalidArguments === undefined) return ports.prepareTool(call)
  return {
    ok: false,
    result: failure(
      call,
      ports,
      `The arguments were not valid JSON (${call.invalidArguments.reason}). Nothing was run. Send the call again with a JSON object.`,
    ),
  }
}

/** Resolves when every call has its outcome; `committed` when all of them are durable. */
async function runGroup(step: ToolStep, decided: readonly Decided[]): Promise<{ stops: ToolStop[]; committed: Promise<unknown> }> {
  const { ports, settings, signal } = step
  const stops: ToolStop[] = []
  const commits: Promise<void>[] = []
  const commit = (draft: SessionEventDraft): void => {
    const durable = ports.commit([draft])
    // A failure counts when all are awaited; until then other calls may still be running.
    durable.catch(() => undefined)
    commits.push(durable)
  }
  if (decided.some((entry) => 'run' in entry))
    ports.show({ delta: 'phase', phase: 'executing_tools', turn: settings.turn, since: ports.now() })
  await Promise.all(
    decided.map(async (entry) => {
      const { call } = entry
      if ('refused' in entry)
        return commit(resultDraft(step, call, failure(call, ports, entry.refused.message), entry.refused.outcome, undefined))
      // Its intent is on record, but nothing was started: Stop came in between.
      if ('run' in entry && signal.aborted)
        return commit(resultDraft(step, call, failure(call, ports, 'not run: the turn was stopped before this call'), 'aborted', undefined))
      if ('failed' in entry) return commit(resultDraft(step, call, entry.failed, 'error', undefined))
      const startedAt = ports.monotonic()
      const run: ToolRun = await ports.runTool(call, entry.run.argumentsHash, {
        signal,
        approved: entry.approved,
        ...(entry.answer === undefined ? {} : { answer: entry.answer }),
        onQuestion: (question, open) => askDuringCall({ ...step, signal: open }, call, entry.run, question),
        onLive: (live) => {
          if ('output' in live)
            ports.show({
              delta: 'tool_output',
              toolCallId: call.id,
              text: live.output,
              ...(live.dropped === undefined ? {} : { dropped: live.dropped }),
            })
          else ports.show({ delta: 'tool_progress', toolCallId: call.id, ...live.progress })
        },
      })
      if (run.stop !== undefined) stops.push(run.stop)
      step.spans.push({
        name: `execute_tool ${call.name}`,
        kind: 'tool',
        startedAt,
        endedAt: ports.monotonic(),
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': call.name,
          'gen_ai.tool.call.id': call.id,
          'metona.tool.outcome': run.outcome,
        },
        ...(run.result.success ? {} : { error: run.outcome }),
      })
      return commit(resultDraft(step, call, run.result, run.outcome, run.display))
    }),
  )
  return { stops, committed: Promise.all(commits) }
}

function resultDraft(
  { iteration, settings }: ToolStep,
  call: MetonaToolCall,
  result: MetonaToolResult,
  outcome: ToolOutcome,
  display: Record<string, unknown> | undefined,
): SessionEventDraft {
  return {
    event: 'tool_result',
    iteration,
    tool: call.name,
    success: result.success,
    durationMs: Math.round(result.durationMs),
    result: result.result ?? null,
    toolCallId: call.id,
    outcome,
    ...(result.summary === undefined ? {} : { summary: result.summary }),
    ...(result.error === undefined ? {} : { error: result.error }),
    ...(display === undefined ? {} : { display }),
    ...(display?.kind === 'memories' ? { memories: RecalledMemoriesSchema.catch([]).parse(display.memories) } : {}),
    turn: settings.turn,
  }
}

function failure(call: MetonaToolCall, ports: TurnPorts, message: string): MetonaToolResult {
  return {
    toolCallId: call.id,
    toolName: call.name,
    result: null,
    summary: message,
    success: false,
    error: message,
    durationMs: 0,
    timestamp: ports.now(),
  }
}
