/** Starts the real llm worker in its own thread, as the supervisor does, and speaks its service. */
import { Worker, MessageChannel } from 'node:worker_threads'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { llmService, LlmBatchSchema, type LlmBatch, type ModelTarget } from '#contracts/llm/llm-service.ts'
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'
import { connect } from '#contracts/wire/connect.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { WorkerData } from '#contracts/wire/worker-lifecycle.ts'

export interface LlmWorker {
  readonly client: ServiceClient<typeof llmService>
  readonly profile: string
  readonly threadId: number
  /** Runs one request to its end; the batches come with the moment (`performance.now()`) of their arrival. */
  stream(
    target: ModelTarget,
    request: MetonaRequest,
    options?: { signal?: AbortSignalLike; onBatch?: (batch: LlmBatch, port: Port) => void },
  ): Promise<StreamRun>
  stop(): Promise<void>
}

export interface StreamRun {
  readonly answer: Awaited<ReturnType<ServiceClient<typeof llmService>['stream']>>
  readonly batches: { readonly batch: LlmBatch; readonly at: number }[]
  readonly events: MetonaStreamEvent[]
}

export async function startLlmWorker(
  environment: Record<string, string> = {},
  profile = mkdtempSync(join(tmpdir(), 'metona-llm-')),
): Promise<LlmWorker> {
  const data: WorkerData = { name: 'llm', profile, bundles: '', agentVersion: '0.0.0' }
  const worker = new Worker(fileURLToPath(new URL('../../../workers/llm/entry.ts', import.meta.url)), {
    workerData: data,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  })
  await new Promise<void>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', () => resolve())
  })
  const channel = new MessageChannel()
  worker.postMessage({ type: 'peer', peer: 'session', port: channel.port1 }, [channel.port1])
  const connection = connect(llmService, channel.port2 as unknown as Port)
  return {
    client: connection.client,
    profile,
    threadId: worker.threadId,
    stream: async (target, request, options = {}) => {
      const streamChannel = new MessageChannel()
      const port = streamChannel.port1 as unknown as Port
      const batches: { batch: LlmBatch; at: number }[] = []
      const drained = new Promise<void>((resolve) => port.addEventListener('close', () => resolve()))
      port.addEventListener('message', ({ data: posted }) => {
        const batch = LlmBatchSchema.parse(posted)
        batches.push({ batch, at: performance.now() })
        options.onBatch?.(batch, port)
      })
      port.start()
      const answer = await connection.client.stream(
        { target, request, port: streamChannel.port2 as unknown as Port },
        options.signal === undefined ? {} : { signal: options.signal, graceMs: 5_000 },
      )
      await drained
      return { answer, batches, events: batches.flatMap(({ batch }) => ('events' in batch ? batch.events : [])) }
    },
    stop: async () => {
      connection.close()
      await worker.terminate()
    },
  }
}

/** A request with what the standard asks for; `over` replaces parts of it. */
export function requestOf(
  text: string,
  over: Partial<Omit<MetonaRequest, 'meta'>> & { meta?: Partial<MetonaRequest['meta']> } = {},
): MetonaRequest {
  return {
    systemPrompt: { roleDefinition: 'You are a test.', outputConstraints: '', safetyGuidelines: '' },
    messages: [{ role: 'user', content: text, timestamp: 1 }],
    params: { stream: true, thinkingEnabled: false },
    ...over,
    meta: { sessionId: 's_test', iteration: 1, requestId: 'r_test', timestamp: 1, agentVersion: '0.0.0', ...over.meta },
  }
}
