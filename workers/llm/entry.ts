/** The llm worker: all provider streams of the process. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { llmService } from '#contracts/llm/llm-service.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { expose } from '#contracts/wire/expose.ts'
import { startWorker } from '#workers/shared/start-worker.ts'
import { createTransport, type Transport } from './adapters/transport.ts'
import { createModelTables } from './model-tables.ts'
import { Providers } from './providers.ts'
import { createLlmService } from './service.ts'

/** A shell that does not say in this time is not waited for. */
const PROXY_ANSWER_MS = 2_000

startWorker((context) => {
  const tables = createModelTables(() => readOverrides(join(context.data.profile, 'models.json')))
  let transport: Transport | undefined
  let shellKnows = true
  const resolveProxy = async (url: string): Promise<string | undefined> => {
    if (!shellKnows) return undefined
    try {
      const answer = await Promise.race([
        context.native('resolveProxy', { url }),
        new Promise<string>((resolve) => void setTimeout(() => resolve('DIRECT'), PROXY_ANSWER_MS).unref()),
      ])
      return String(answer)
    } catch (error) {
      // A terminal has no such service, and none later either; any other failure is worth a line.
      const { code, message } = toErrorData(error)
      if (code === 'NOT_AVAILABLE') shellKnows = false
      else context.log('warn', `the proxy for ${url} could not be found out: ${message}`)
      return undefined
    }
  }
  const providers = new Providers({
    tables,
    environment: process.env,
    transport: () => (transport ??= createTransport({ environment: process.env, resolveProxy })),
  })
  const handlers = createLlmService({ providers, tables })
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
