/** Runs a turn of a live session: gives `run-turn` its ports, each a thin call to the worker that does the work. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ReportOutputSchema, type ReportInput } from '#contracts/context/token-report.ts'
import type { Cost } from '#contracts/session/cost.ts'
import type { ModelTarget } from '#contracts/llm/llm-service.ts'
import type { ToolPlace } from '#contracts/tools/tools-service.ts'
import type { ToolDescriptor } from '#contracts/tools/prepared-call.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { allowedDomains } from './allowed-domains.ts'
import { compactSession } from './compact-session.ts'
import { contextBuilder, type BuildSettings } from './context-builder.ts'
import { mapFailure } from './domain/map-failure.ts'
import { runTurn } from './domain/run-turn.ts'
import { traceJson } from './domain/trace.ts'
import { addSpending, spendingEnd, type Spending } from './domain/spending-limits.ts'
import type { TurnPorts, TurnSettings } from './domain/turn-ports.ts'
import { addGrant, hasGrant } from './grants.ts'
import { keep } from './keep.ts'
import type { LiveSession } from './live-session.ts'
import { newId } from './new-id.ts'
import { prepareTool, runTool } from './run-tool.ts'
import type { Services } from './services.ts'
import { storedBaseUrl } from './stored-base-url.ts'
import { streamModel } from './stream-model.ts'

const RUNS_COMMANDS = 'run_command'

export interface TurnConfig extends BuildSettings {
  readonly maxIterations: number
  readonly approvalTimeoutMs: number
  readonly traces: boolean
  readonly approval: TurnSettings['approval']
  readonly limits: TurnSettings['limits']
}

/** Never rejects: what cannot be committed is reported and ends the session in memory. */
export async function runSessionTurn(
  services: Services,
  session: LiveSession,
  config: TurnConfig,
  input: { turn: number; userInput: string; signal: AbortSignal },
): Promise<void> {
  const { provider, model } = splitModel(session.snapshot.model)
  const baseUrl = session.effectiveBaseUrl ?? (await keptBaseUrl(services, provider))
  const target: ModelTarget = { provider, model, ...(baseUrl === undefined ? {} : { baseUrl }) }
  const place = async (tool: string): Promise<ToolPlace> => ({
    workspace: session.workspace,
    sessionId: session.sessionId,
    sandbox: session.snapshot.sandbox,
    ...(tool === RUNS_COMMANDS && session.snapshot.sandbox !== 'off' ? { domains: await allowedDomains(services, session.workspace) } : {}),
  })
  const traceId = randomBytes(16).toString('hex')
  const build = contextBuilder({ services, session, target, config, signal: input.signal, turn: input.turn })
  let spent: Spending = { tokens: 0, costs: [] }
  const onSpent = (tokens: number, cost: Cost | undefined): void => {
    spent = addSpending(spent, tokens, cost)
  }
  const side = { services, session, target, turn: input.turn, onSpent }
  const compaction = { ...side, approval: config.approval, signal: input.signal }
  const { usage, costs } = session.snapshot.totals
  const spentBefore: Spending = { tokens: usage.totalTokens, costs }
  const spendingSoFar = () => spendingEnd(config.limits, spentBefore, spent)
  let tools: ToolDescriptor[] = []

  const ports: TurnPorts = {
    commit: async (drafts) => {
      const startedAt = performance.now()
      await session.commit(drafts)
      services.meter.committed(session.sessionId, performance.now() - startedAt)
    },
    show: (delta) => session.show(delta),
    buildContext: async ({ iteration, userInput }) => {
      const built = await build(tools, iteration, userInput)
      if (!built.needsCompression) return built
      const step = await compactSession({ ...compaction, reason: 'automatic' })
      return step.kind === 'applied' ? build(tools, iteration, userInput) : built
    },
    cutHistory: async () => (await compactSession({ ...compaction, reason: 'overflow' })).kind === 'applied',
    stream: async (built, options) => {
      const outcome = await streamModel({
        services,
        session,
        target,
        built,
        messageId: options.messageId,
        onBatch: options.onBatch,
        turn: input.turn,
        signal: input.signal,
      })
      onSpent(outcome.response.usage.totalTokens, outcome.cost)
      // Without a report the estimate stays as it is; nothing waits for it.
      if (outcome.response.usage.inputTokens > 0)
        keep(
          services,
          'report',
          reportUsage(services, session.sessionId, { requestId: built.request.meta.requestId, usage: outcome.response.usage }),
        )
      return outcome
    },
    prepareTool: async (call) => prepareTool(services, await place(call.name), call),
    runTool: async (call, argumentsHash, { onLive, onQuestion, answer, approved }) => {
      const order = { call, argumentsHash, approved, ...(answer === undefined ? {} : { answer }) }
      return runTool(services, await place(call.name), order, onLive, input.signal, onQuestion, { ...side, spendingEnd: spendingSoFar })
    },
    waitForApproval: (request, signal) => session.approvals.ask(request, config.approvalTimeoutMs, signal),
    permission: () => session.snapshot.permission,
    hasGrant: (grant) => hasGrant(services, session, grant),
    addGrant: (grant, scope) => addGrant(services, session, grant, scope),
    steering: () =>
      session.snapshot.queue
        .filter((message) => message.steering)
        .map((message) => ({ messageId: message.messageId, content: message.content, images: session.turns.imagesOf(message.messageId) })),
    exposure: () => session.exposure,
    spent: () => spent,
    noticed: (code) => session.noticed.has(code),
    writeTrace: (iteration, trace) => {
      services.meter.iteration(session.sessionId, trace.spans)
      if (!config.traces) return
      const json = traceJson(trace, {
        sessionId: session.sessionId,
        turn: input.turn,
        agentVersion: services.context.data.agentVersion,
        traceId,
        newSpanId: () => randomBytes(8).toString('hex'),
      })
      keep(
        services,
        'trace',
        services.storage
          .client()
          .then((storage) =>
            storage.writeTrace({ workspace: session.workspace, name: `trace_${session.sessionId}_${input.turn}_${iteration}.json`, json }),
          ),
      )
    },
    pause: (milliseconds) => sleep(milliseconds, undefined, { ref: false }),
    now: () => Date.now(),
    monotonic: () => performance.now(),
    newId,
  }

  try {
    tools = await services.toolList.get(session.workspace)
    await runTurn(
      {
        sessionId: session.sessionId,
        turn: input.turn,
        provider,
        model,
        interactive: session.interactive,
        maxIterations: session.snapshot.maxIterations ?? config.maxIterations,
        timeoutMs: session.timeoutMs,
        userInput: input.userInput,
        tools,
        approval: config.approval,
        limits: config.limits,
        spentBefore,
      },
      ports,
      input.signal,
    )
    services.tokens.store(session)
    keep(
      services,
      'log',
      services.storage.client().then((storage) => storage.syncLog({ workspace: session.workspace, sessionId: session.sessionId })),
    )
  } catch (thrown) {
    await endBrokenTurn(services, session, input.turn, thrown)
  }
}

async function reportUsage(services: Services, sessionId: string, report: Omit<ReportInput, 'sessionId'>): Promise<void> {
  const { account } = ReportOutputSchema.parse(await services.pool.run(sessionId, 'report', { sessionId, ...report }))
  if (account !== undefined) services.tokens.learned(account)
}

/** Without the list a turn can still run, at the provider's own address. */
async function keptBaseUrl(services: Services, provider: string): Promise<string | undefined> {
  try {
    return await storedBaseUrl(services, provider)
  } catch (thrown) {
    services.context.log('warn', `base URL of ${provider}: ${toErrorData(thrown).message}`)
    return undefined
  }
}

export function splitModel(model: string): { provider: string; model: string } {
  const slash = model.indexOf('/')
  return slash < 0 ? { provider: model, model: '' } : { provider: model.slice(0, slash), model: model.slice(slash + 1) }
}

/** A turn that could not even be written down. If storage still takes anything, the transcript says so. */
export async function endBrokenTurn(services: Services, session: LiveSession, turn: number, thrown: unknown): Promise<void> {
  const error = mapFailure(toErrorData(thrown))
  services.context.log('error', `turn ${turn} of ${session.sessionId} broke: ${error.message}`)
  if (session.failure !== undefined) return
  try {
    await session.commit([{ event: 'turn_end', reason: 'failed', iterations: session.snapshot.iteration, durationMs: 0, error, turn }])
  } catch (again) {
    services.context.log('error', `its end could not be written: ${toErrorData(again).message}`)
  }
}
