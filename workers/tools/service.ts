/** The tools service: prepare freezes a call, run carries it out. Whatever goes wrong inside a tool becomes its result. */
import type { WrittenFile } from '#contracts/workspace/agreed-file.ts'
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { threadId } from 'node:worker_threads'
import type { MetonaToolCall, MetonaToolResult } from '#contracts/metona/metona-tool.ts'
import type { ToolOutcome } from '#contracts/session/session-enums.ts'
import { approvalReasonText, type ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import type { RuleSubject } from '#contracts/tools/permission-rule.ts'
import type { SandboxReason } from '#contracts/tools/sandbox-state.ts'
import type { ToolPlace, toolsService } from '#contracts/tools/tools-service.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import type { ToolLive } from '#contracts/tools/tool-live.ts'
import { memoryPort } from '#contracts/tools/memory-port.ts'
import { samplingPort } from '#contracts/tools/sampling-port.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { connect } from '#contracts/wire/connect.ts'
import { callMeter } from '#contracts/wire/call-meter.ts'
import type { ServiceHandlers } from '#contracts/wire/define-service.ts'
import { threadHealth } from '#workers/shared/metering/thread-meter.ts'
import { canonicalJson } from './domain/canonical-json.ts'
import { ToolError } from './domain/tool-error.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import type { BoundTool, Permit, PrepareContext, Preparation, StopEvidence, Tool, ToolOutput } from './define-tool.ts'
import type { FileIndex } from './search/file-index.ts'
import { askOver } from './ask-over.ts'
import { createMcpGate, type McpGate } from './mcp/mcp-gate.ts'
import type { ToolServices } from './tool-services.ts'

type ToolsHandlers = ServiceHandlers<typeof toolsService>
type RunInput = Parameters<ToolsHandlers['run']>[0]

interface RunAnswer {
  result: MetonaToolResult
  outcome: ToolOutcome
  display?: Record<string, unknown>
  written?: WrittenFile
  stop?: StopEvidence
}

interface PreparedEntry {
  readonly callHash: string
  readonly argumentsHash: string
  readonly permit: Permit | undefined
}

/** Prepared calls wait for an approval at most so many; the oldest are forgotten and prepared again. */
const MAX_PREPARED = 500

export function createToolsHandlers(
  catalog: readonly Tool[],
  services: ToolServices,
  mcp: McpGate = createMcpGate(services),
): ToolsHandlers {
  const tools = new Map(catalog.map((tool) => [tool.name, tool]))
  const prepared = new Map<string, PreparedEntry>()
  let running = 0

  const bind = async ({ workspace }: ToolPlace, call: MetonaToolCall): Promise<{ tool: Tool; bound: BoundTool }> => {
    const tool = tools.get(call.name) ?? (await mcp.find(workspace, call.name))
    if (tool === undefined)
      throw new ToolError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(call.name)}. There are: ${[...tools.keys()].join(', ')}.`)
    if (call.invalidArguments !== undefined)
      throw new ToolError(
        'BAD_ARGUMENTS',
        `The arguments of ${call.name} were not a JSON object (${call.invalidArguments.reason}). Send the call again with complete, valid JSON.`,
      )
    const bound = tool.bind(call.args)
    if (!bound.ok) throw new ToolError('BAD_ARGUMENTS', bound.problem)
    return { tool, bound }
  }

  const prepare = async (place: ToolPlace, call: MetonaToolCall): Promise<PreparedCall> => {
    const startedAt = performance.now()
    try {
      const { tool, bound } = await bind(place, call)
      const context: PrepareContext = { place, callId: call.id, services }
      const preparation = await bound.prepare(context)
      const argumentsHash = hashCall(call, preparation.permit)
      remember(prepared, `${place.sessionId}\0${call.id}`, { callHash: hashCall(call), argumentsHash, permit: preparation.permit })
      return { ok: true, risk: tool.descriptor.risk, argumentsHash, display: visibleText(preparation.display), ...optional(preparation) }
    } catch (error) {
      return { ok: false, result: toResult(call, failureOutput(error, false), startedAt, services.now()) }
    }
  }

  const run = async (
    { place, call, argumentsHash, answer: reply, port, memory, sampling }: RunInput,
    signal: AbortSignal,
  ): Promise<RunAnswer> => {
    const startedAt = performance.now()
    const questions = askOver(port)
    const remembering = memory === undefined ? undefined : connect(memoryPort, memory)
    const model = sampling === undefined ? undefined : connect(samplingPort, sampling)
    running++
    try {
      const { bound } = await bind(place, call)
      const permit = await permitFor(place, call, argumentsHash, bound)
      const live = (message: ToolLive): void => {
        port.postMessage(message)
        callMeter()?.message('tools.live', message, place.sessionId)
      }
      const output = await bound.run({
        place,
        callId: call.id,
        services,
        signal,
        permit,
        answer: reply,
        memory: remembering?.client,
        sampling: model?.client,
        live,
        ask: questions.ask,
      })
      return answer(call, output, startedAt)
    } catch (error) {
      return answer(call, failureOutput(error, signal.aborted), startedAt)
    } finally {
      running--
      questions.close()
      remembering?.close()
      model?.close()
      prepared.delete(`${place.sessionId}\0${call.id}`)
      port.close()
    }
  }

  /** After a restart of this worker the preparation is gone: it is made again, and what would have asked is not run unasked. */
  const permitFor = async (
    place: ToolPlace,
    call: MetonaToolCall,
    argumentsHash: string,
    bound: BoundTool,
  ): Promise<Permit | undefined> => {
    const entry = prepared.get(`${place.sessionId}\0${call.id}`)
    if (entry?.argumentsHash === argumentsHash && entry.callHash === hashCall(call)) return entry.permit
    const preparation = await bound.prepare({ place, callId: call.id, services })
    // Without the sandbox it may be more than was agreed to.
    const unheld = preparation.unheld === undefined ? undefined : 'there is no sandbox'
    const asks = preparation.mustAsk ?? preparation.reveals
    const reason = asks === undefined ? unheld : approvalReasonText(asks, 'en')
    if (reason !== undefined)
      throw new ToolError(
        'APPROVAL_LOST',
        `The approval was lost when tools were restarted (${reason}). Nothing was run; make the call again.`,
      )
    if (hashCall(call, preparation.permit) !== argumentsHash)
      throw new ToolError(
        'ARGUMENTS_CHANGED',
        'The arguments, or the files the call is about, are not the ones that were approved. Nothing was run; make the call again.',
      )
    return preparation.permit
  }

  const answer = (call: MetonaToolCall, output: ToolOutput, startedAt: number): RunAnswer => ({
    result: toResult(call, output, startedAt, services.now()),
    outcome: output.outcome ?? (output.error === undefined ? 'ok' : 'error'),
    ...(output.display === undefined ? {} : { display: output.display }),
    ...(output.written === undefined ? {} : { written: output.written }),
    ...(output.stop === undefined ? {} : { stop: output.stop }),
  })

  /** Made when a person first types `@`. */
  let index: Promise<FileIndex> | undefined
  const fileIndex = (): Promise<FileIndex> => (index ??= import('./search/file-index.ts').then((module) => new module.FileIndex(services)))

  return {
    describe: () => ({ tools: catalog.map((tool) => tool.descriptor) }),
    prepare: ({ place, call }) => prepare(place, call),
    run: (input, { signal }) => run(input, signal as AbortSignal),
    warm: async () => {
      await services.commands.warm()
      await Promise.all([services.searchPath(), services.sandbox.state()])
      return {}
    },
    sandboxState: () => services.sandbox.state(),
    endSession: async ({ sessionId }) => {
      services.guard.forgetSession(sessionId)
      return { survivors: await services.background.endSession(sessionId) }
    },
    listChanges: async ({ workspace, sessionId }) => {
      const changes = await services.checkpoints.list(await realpath(workspace), sessionId)
      return { changes: changes.map(({ callId, at, path, before }) => ({ callId, at, path, created: before === null })) }
    },
    undo: async ({ workspace, sessionId, callIds }) => {
      const { undoChanges } = await import('./files/undo-changes.ts')
      return undoChanges(services, workspace, sessionId, callIds)
    },
    findPaths: async ({ workspace, query, limit }, { signal }) => (await fileIndex()).find(workspace, query, limit, signal as AbortSignal),
    keepFile: async ({ workspace, name, base64 }) => {
      const { keepAttachment } = await import('./files/keep-attachment.ts')
      return { path: await keepAttachment(workspace, name, Buffer.from(base64, 'base64')) }
    },
    setSecrets: ({ secrets }) => {
      services.secrets.add(...secrets)
      return {}
    },
    ...mcp.handlers,
    health: () => ({ threadId, running: running + services.background.running(), thread: threadHealth() }),
  }
}

/** An approval holds for the call with the contents of the files that were looked at for it; for nothing else, after a restart as well. */
export function hashCall(call: MetonaToolCall, { scripts, baseHash, domains }: Permit = {}): string {
  const files = scripts === undefined || scripts.length === 0 ? {} : { scripts: scripts.map(({ path, hash }) => ({ path, hash })) }
  const reach = domains === undefined || domains.length === 0 ? {} : { domains }
  return createHash('sha256')
    .update(canonicalJson({ tool: call.name, args: call.args, ...files, ...(baseHash === undefined ? {} : { baseHash }), ...reach }))
    .digest('hex')
}

function optional(preparation: Preparation): {
  diff?: true
  secret?: string
  foreign?: boolean
  subjects?: RuleSubject[]
  hidden?: boolean
  harmless?: boolean
  sandboxed?: boolean
  domains?: string[]
  preapproved?: boolean
  unheld?: SandboxReason
  grantPrefix?: string
  sessionGrant?: 'edits'
  mustAsk?: ApprovalReason
  reveals?: ApprovalReason
  question?: { text: string; options?: string[] }
} {
  return {
    ...(preparation.diff === undefined ? {} : { diff: preparation.diff }),
    ...(preparation.subjects === undefined ? {} : { subjects: preparation.subjects }),
    ...(preparation.hidden === true ? { hidden: true } : {}),
    ...(preparation.secret === undefined ? {} : { secret: visibleText(preparation.secret, false) }),
    ...(preparation.foreign === true ? { foreign: true } : {}),
    ...(preparation.harmless === true ? { harmless: true } : {}),
    ...(preparation.sandboxed === undefined ? {} : { sandboxed: preparation.sandboxed }),
    ...(preparation.domains === undefined ? {} : { domains: preparation.domains }),
    ...(preparation.preapproved === true ? { preapproved: true } : {}),
    ...(preparation.unheld === undefined ? {} : { unheld: preparation.unheld }),
    ...(preparation.question === undefined ? {} : { question: preparation.question }),
    ...(preparation.grantPrefix === undefined ? {} : { grantPrefix: preparation.grantPrefix }),
    ...(preparation.sessionGrant === undefined ? {} : { sessionGrant: preparation.sessionGrant }),
    ...(preparation.mustAsk === undefined ? {} : { mustAsk: visibleReason(preparation.mustAsk) }),
    ...(preparation.reveals === undefined ? {} : { reveals: visibleReason(preparation.reveals) }),
  }
}

function visibleReason({ code, params }: ApprovalReason): ApprovalReason {
  if (params === undefined) return { code }
  return { code, params: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, visibleText(value, false)])) }
}

function remember(prepared: Map<string, PreparedEntry>, key: string, entry: PreparedEntry): void {
  prepared.delete(key)
  prepared.set(key, entry)
  for (const oldest of prepared.keys()) {
    if (prepared.size <= MAX_PREPARED) return
    prepared.delete(oldest)
  }
}

function failureOutput(error: unknown, aborted: boolean): ToolOutput {
  if (error instanceof ToolError)
    return {
      result: { code: error.code, message: error.message },
      summary: error.message,
      error: error.message,
      outcome: error.code === 'OUTCOME_UNKNOWN' ? 'unknown' : aborted ? 'aborted' : 'error',
      ...(error.display === undefined ? {} : { display: error.display }),
    }
  if (aborted)
    return {
      result: { code: 'STOPPED' },
      summary: 'The call was stopped before it was done.',
      error: 'The call was stopped before it was done.',
      outcome: 'aborted',
    }
  const code =
    error instanceof AppError ? error.code : error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? 'FAILED') : 'FAILED'
  const message = `The tool failed: ${error instanceof Error ? error.message : String(error)}`
  return { result: { code, message }, summary: message, error: message, outcome: 'error' }
}

function toResult(call: MetonaToolCall, output: ToolOutput, startedAt: number, now: number): MetonaToolResult {
  const success = output.error === undefined && (output.outcome === undefined || output.outcome === 'ok')
  return {
    toolCallId: call.id,
    toolName: call.name,
    result: output.result,
    ...(output.summary === undefined ? {} : { summary: output.summary }),
    success,
    ...(output.error === undefined ? {} : { error: output.error }),
    durationMs: Math.round(performance.now() - startedAt),
    timestamp: now,
  }
}
