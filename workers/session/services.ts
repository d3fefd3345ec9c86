/** The other workers as the session worker sees them, and what of the shell it may use. */
import { llmService } from '#contracts/llm/llm-service.ts'
import { storageService } from '#contracts/storage/storage-service.ts'
import { toolsService } from '#contracts/tools/tools-service.ts'
import type { WorkerContext } from '#workers/shared/start-worker.ts'
import { ContextPool } from './context-pool.ts'
import { Peer } from './peer.ts'
import { ToolList } from './tool-list.ts'

export interface Services {
  readonly context: WorkerContext
  readonly llm: Peer<typeof llmService>
  readonly tools: Peer<typeof toolsService>
  readonly storage: Peer<typeof storageService>
  readonly pool: ContextPool
  readonly toolList: ToolList
}

export function createServices(context: WorkerContext): Services {
  const tools = new Peer(context, 'tools', toolsService)
  return { context, llm: new Peer(context, 'llm', llmService), tools, storage: new Peer(context, 'storage', storageService), pool: new ContextPool(), toolList: new ToolList(tools) }
}
