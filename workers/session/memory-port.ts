/** Answers what a memory tool asks while it runs, for its own session. */
import { memoryPort } from '#contracts/tools/memory-port.ts'
import type { ToolPlace } from '#contracts/tools/tools-service.ts'
import { expose } from '#contracts/wire/expose.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { Services } from './services.ts'

const MEMORY_TOOLS: ReadonlySet<string> = new Set(['remember', 'recall'])

/** The end for the tool, and how to close it; nothing for tools that have no business with memory. */
export function openMemoryPort(services: Services, { workspace, sessionId }: ToolPlace, tool: string): { port?: Port; close(): void } {
  if (!MEMORY_TOOLS.has(tool)) return { close: () => undefined }
  const channel = new MessageChannel()
  const storage = () => services.storage.client()
  const close = expose(
    memoryPort,
    {
      remember: async (draft) => (await storage()).memoryAdd({ workspace, item: { ...draft, sessionId, source: 'agent_thought' } }),
      recall: async ({ query, limit }) => (await storage()).memorySearch({ workspace, query, purpose: 'everything', sessionId, limit }),
      changeFile: async ({ operation }) => ({ changed: (await (await storage()).memoryFileChange({ workspace, operation })).changed }),
    },
    channel.port1 as unknown as Port,
  )
  channel.port1.start()
  return { port: channel.port2 as unknown as Port, close }
}
