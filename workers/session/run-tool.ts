/** One tool call, as the tools worker does it. Neither function rejects: what goes wrong is a result the model can read. */
import type { MetonaToolCall, MetonaToolResult } from '#contracts/metona/metona-tool.ts'
import type { ToolPlace } from '#contracts/tools/tools-service.ts'
import { ToolLiveSchema, type ToolShown } from '#contracts/tools/tool-live.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import type { WrittenFile } from '#contracts/workspace/agreed-file.ts'
import { toErrorData, WireErrorCode, type AppErrorData } from '#contracts/wire/app-error.ts'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'
import { WITHDRAWN, type ToolQuestion, type ToolRun } from './domain/turn-ports.ts'
import { openMemoryPort } from './memory-port.ts'
import { openSamplingPort, type SamplingOrder } from './sampling-port.ts'
import { OutputRedaction } from './redact-deltas.ts'
import type { Services } from './services.ts'

/** After Stop: how long to wait for a dead process tree, in milliseconds. */
const TOOL_GRACE_MS = 5_000

/** Parses and freezes the arguments; runs nothing, so a worker that died is simply asked again. */
export async function prepareTool(services: Services, place: ToolPlace, call: MetonaToolCall): Promise<PreparedCall> {
  try {
    if (call.name.startsWith('mcp')) await services.mcp.settled(place.workspace)
    return await services.tools.ask((tools) => tools.prepare({ place, call }))
  } catch (thrown) {
    return { ok: false, result: failed(call, `${call.name} could not be prepared and was not run: ${toErrorData(thrown).message}`) }
  }
}

export interface ToolOrder {
  readonly call: MetonaToolCall
  readonly argumentsHash: string
  /** The person said yes to this very call. */
  readonly approved: boolean
  /** What the person wrote, where the call is a question. */
  readonly answer?: string
}

/** A lost worker is an `unknown` outcome: the tool may have done its work before, and is not run again. */
export async function runTool(
  services: Services,
  place: ToolPlace,
  { approved, ...order }: ToolOrder,
  onLive: (live: ToolShown) => void,
  signal: AbortSignal,
  onQuestion: (question: ToolQuestion, signal: AbortSignal) => Promise<string | undefined>,
  sampling: SamplingOrder,
): Promise<ToolRun> {
  const channel = new MessageChannel()
  const port = channel.port1 as unknown as Port
  const redaction = new OutputRedaction(services.secrets.redactor)
  const show = (live: ToolShown | undefined): void => {
    if (live !== undefined) onLive(live)
  }
  const ended = new AbortController()
  const questions = new Map<number, AbortController>()
  listen(port, (data) => {
    const live = ToolLiveSchema.parse(data)
    if ('withdrawn' in live) return questions.get(live.withdrawn.id)?.abort(WITHDRAWN)
    if (!('question' in live)) return show(redaction.take(live))
    const { id } = live.question
    const mine = new AbortController()
    questions.set(id, mine)
    const open = AbortSignal.any([signal, ended.signal, mine.signal])
    // A question that could not be put counts as one that nobody answered.
    const answered = onQuestion(live.question, open).catch(() => undefined)
    void answered.then((text) => {
      questions.delete(id)
      port.postMessage({ answer: { id, ...(text === undefined ? {} : { text }) } })
    })
  })
  port.start()
  const memory = openMemoryPort(services, place, order.call.name)
  const model = openSamplingPort(sampling, order.call.name)
  let sent = false
  try {
    const tools = await services.tools.client()
    sent = true
    const run = await tools.run(
      {
        place,
        ...order,
        port: channel.port2 as unknown as Port,
        ...(memory.port === undefined ? {} : { memory: memory.port }),
        ...(model.port === undefined ? {} : { sampling: model.port }),
      },
      { signal, graceMs: TOOL_GRACE_MS },
    )
    if (approved && run.written !== undefined) await agreeToWritten(services, place.workspace, run.written)
    return {
      result: run.result,
      outcome: signal.aborted && run.outcome !== 'ok' ? 'aborted' : run.outcome,
      display: run.display,
      stop: run.stop,
    }
  } catch (thrown) {
    const error = toErrorData(thrown)
    const lost = error.code === WireErrorCode.WORKER_LOST || error.code === WireErrorCode.CALL_CANCELLED
    const outcome = lost && sent ? 'unknown' : 'error'
    return { result: failed(order.call, failureText(order.call, error)), outcome, display: undefined, stop: undefined }
  } finally {
    show(redaction.end())
    // What the call still asks goes with it: nobody is there to hear an answer.
    ended.abort(WITHDRAWN)
    port.close()
    memory.close()
    model.close()
  }
}

/** Where it cannot be kept, the person is asked about the file once more. */
async function agreeToWritten(services: Services, workspace: string, written: WrittenFile): Promise<void> {
  try {
    await (await services.storage.client()).agreeToWritten({ workspace, ...written })
    services.agreements.answered()
  } catch (thrown) {
    services.context.log('warn', `agreement to ${written.before.name}: ${toErrorData(thrown).message}`)
  }
}

function failureText(call: MetonaToolCall, error: AppErrorData): string {
  if (error.code !== WireErrorCode.WORKER_LOST) return `${call.name} failed: ${error.message}`
  return `The tool worker ended while ${call.name} ran. Whether it took effect is unknown. Look before doing it again.`
}

function failed(call: MetonaToolCall, message: string): MetonaToolResult {
  return {
    toolCallId: call.id,
    toolName: call.name,
    result: null,
    summary: message,
    success: false,
    error: message,
    durationMs: 0,
    timestamp: Date.now(),
  }
}
