/** The real storage worker in a thread of its own, spoken to over the wire. */
import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import { storageService } from '#contracts/storage/storage-service.ts'
import { connect, type Connection } from '#contracts/wire/connect.ts'
import type { Port } from '#contracts/wire/port.ts'
import type { FromWorker, WorkerData } from '#contracts/wire/worker-lifecycle.ts'

export interface StorageThread {
  readonly worker: Worker
  readonly threadId: number
  readonly connection: Connection<typeof storageService>
  readonly logs: string[]
  ask(message: { type: 'ping'; id: number }): Promise<FromWorker>
  /** As the supervisor does. */
  stop(): Promise<void>
}

export async function startStorageThread(profile: string, env: Record<string, string> = {}): Promise<StorageThread> {
  const workerData: WorkerData = { name: 'storage', profile, bundles: '', agentVersion: '0.0.0' }
  const worker = new Worker(fileURLToPath(new URL('../../../workers/storage/entry.ts', import.meta.url)), {
    workerData,
    env: { ...process.env, ...env },
  })
  const logs: string[] = []
  worker.on('error', (error) => void logs.push(String(error)))
  const next = (wanted: FromWorker['type']): Promise<FromWorker> =>
    new Promise((resolve) => {
      const listen = (message: FromWorker): void => {
        if (message.type !== wanted) return
        worker.off('message', listen)
        resolve(message)
      }
      worker.on('message', listen)
    })
  worker.on('message', (message: FromWorker) => {
    if (message.type === 'log') logs.push(message.message)
  })
  const ready = await next('ready')
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ type: 'peer', peer: 'session', port: port2 }, [port2])
  return {
    worker,
    threadId: ready.type === 'ready' ? ready.threadId : -1,
    connection: connect(storageService, port1 as unknown as Port),
    logs,
    ask: (message) => {
      const answer = next('pong')
      worker.postMessage(message)
      return answer
    },
    stop: async () => {
      const stopped = next('stopped')
      worker.postMessage({ type: 'stop' })
      await stopped
      port1.close()
      await worker.terminate()
    },
  }
}
