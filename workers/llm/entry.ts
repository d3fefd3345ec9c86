/** The llm worker: all provider streams of the process. */
import '#contracts/wire/interpret-schemas.ts'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { llmService } from '#contracts/llm/llm-service.ts'
import { expose } from '#contracts/wire/expose.ts'
import { createShellProxy } from '#workers/shared/shell-proxy.ts'
import { startWorker } from '#workers/shared/start-worker.ts'
import { createTransport, type Transport } from './adapters/transport.ts'
import { ownModelsFile } from './own-models-file.ts'
import { createModelTables } from './model-tables.ts'
import { Providers } from './providers.ts'
import { createLlmService } from './service.ts'

startWorker((context) => {
  const tables = createModelTables(() => readOverrides(join(context.data.profile, 'models.json')))
  let transport: Transport | undefined
  const resolveProxy = createShellProxy(context)
  const providers = new Providers({
    tables,
    environment: process.env,
    transport: () => (transport ??= createTransport({ environment: process.env, resolveProxy })),
  })
  const ownModels = ownModelsFile(join(context.data.profile, 'models.json'))
  const handlers = createLlmService({ providers, tables, ownModels })
  const open = new Set<() => void>()
  return {
    onPeer: (_peer, port) => {
      const close = expose(llmService, handlers, port)
      open.add(close)
      port.addEventListener('close', () => open.delete(close))
    },
    onPower: (state) => {
      // Deadlines count awake time by themselves; idle sockets are dead on the other side after a sleep.
      if (state === 'resume') transport?.dropIdleSockets()
    },
    stop: async () => {
      for (const close of open) close()
      providers.close()
      transport?.close()
    },
  }
})

/** A person may have no such file; any other failure to read it is theirs to see. */
async function readOverrides(path: string): Promise<{ text: string; stamp: string } | undefined> {
  try {
    const { mtimeMs, size } = await stat(path)
    return { text: await readFile(path, 'utf8'), stamp: `${mtimeMs}/${size}` }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || (error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}
