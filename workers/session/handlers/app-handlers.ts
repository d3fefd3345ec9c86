/** Doctor, health, the shell's services, shutdown. */
import { threadId } from 'node:worker_threads'
import * as z from 'zod'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

const PingSchema = z.object({ threadId: z.number() })

export function appHandlers({ services, workspaces, manager, hub }: HandlerParts): HandlersOf<'doctor' | 'health' | 'native' | 'app'> {
  return {
    'doctor.verify': async ({ workspace }) => (await services.storage.client()).verify({ path: workspace }),
    'doctor.rebuild': async ({ workspace }) => {
      const storage = await services.storage.client()
      await manager.closeWorkspace(workspace)
      await workspaces.close(workspace)
      return storage.rebuild({ path: workspace })
    },
    'health.read': async () => {
      const [llm, tools, storage, context] = await Promise.all([
        services.llm.client().then((client) => client.health({})),
        services.tools.client().then((client) => client.health({})),
        services.storage.client().then((client) => client.health({})),
        services.pool.run('', 'ping', {}).then((answer) => PingSchema.parse(answer)),
      ])
      return {
        threads: { session: threadId, llm: llm.threadId, tools: tools.threadId, storage: storage.threadId, context: context.threadId },
        workers: [
          { name: 'llm', ...llm },
          { name: 'tools', ...tools },
          { name: 'storage', ...storage },
          { name: 'session', threadId, heapUsed: process.memoryUsage().heapUsed },
        ],
      }
    },
    'native.call': async ({ method, params }) => ({ value: await services.context.native(method, params) }),
    'app.shutdown': async () => {
      await manager.closeAll()
      await workspaces.closeAll()
      hub().flush()
      return {}
    },
  }
}
