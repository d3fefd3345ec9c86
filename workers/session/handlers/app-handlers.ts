/** Doctor, health, the shell's services, shutdown. */
import { setTimeout as sleep } from 'node:timers/promises'
import { threadId } from 'node:worker_threads'
import { AppError } from '#contracts/wire/app-error.ts'
import * as z from 'zod'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

const PingSchema = z.object({ threadId: z.number() })

const OPEN_TO_CLIENTS: ReadonlySet<string> = new Set(['pickFolder', 'openExternal', 'notify', 'secretsAvailable', 'setBusy', 'hostHealth'])

export function appHandlers({ services, workspaces, manager, hub }: HandlerParts): HandlersOf<'doctor' | 'health.read' | 'native' | 'app'> {
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
    'native.call': async ({ method, params }) => {
      // Secrets are the workers' business; a page has no use for one.
      if (!OPEN_TO_CLIENTS.has(method))
        throw new AppError({ code: 'NOT_AVAILABLE', message: `${method} is not for clients`, params: { method } })
      return { value: await services.context.native(method, params) }
    },
    'app.shutdown': async ({ deadlineMs }) => {
      const closed = manager.closeAll().then(() => workspaces.closeAll())
      // What is not closed by then is closed as after a crash, at the next start.
      await Promise.race([closed, sleep(deadlineMs, undefined, { ref: false })])
      hub().flush()
      return {}
    },
  }
}
