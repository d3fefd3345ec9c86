/** The two places in which the wire is tested: both ends in this thread, and the serving end in a real thread. */
import { once } from 'node:events'
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import * as Comlink from 'comlink'
import { connect, type Connection } from '#contracts/wire/connect.ts'
import { expose } from '#contracts/wire/expose.ts'
import type { Port } from '#contracts/wire/port.ts'
import { memoryPorts } from '#tests/helpers/memory-ports.ts'
import { probeHandlers, probeService } from './probe-service.ts'
import { bareProbe, type BareProbe } from './probe-thread.ts'

export interface ProbePlace {
  readonly connection: Connection<typeof probeService>
  /** The same functions with Comlink alone. */
  readonly bare: Comlink.Remote<BareProbe>
  /** The serving side dies; resolves when that is known here. */
  kill(): Promise<void>
  close(): Promise<void>
}

export const places: Readonly<Record<'in-memory pair' | 'real thread', () => Promise<ProbePlace>>> = {
  'in-memory pair': () => {
    const [near, far] = memoryPorts()
    const [bareNear, bareFar] = memoryPorts()
    expose(probeService, probeHandlers(), far)
    Comlink.expose(bareProbe, bareFar as unknown as Comlink.Endpoint)
    const die = (): Promise<void> => {
      far.close()
      bareFar.close()
      return Promise.resolve()
    }
    return Promise.resolve({
      connection: connect(probeService, near),
      bare: Comlink.wrap<BareProbe>(bareNear as unknown as Comlink.Endpoint),
      kill: die,
      close: die,
    })
  },
  'real thread': async () => {
    const worker = new Worker(new URL('./probe-thread.ts', import.meta.url))
    const wire = new MessageChannel()
    const bare = new MessageChannel()
    worker.postMessage({ wire: wire.port2, bare: bare.port2 }, [wire.port2, bare.port2])
    const connection = connect(probeService, wire.port1 as unknown as Port)
    await connection.client.double({ value: 1 })
    return {
      connection,
      bare: Comlink.wrap<BareProbe>(bare.port1 as unknown as Comlink.Endpoint),
      kill: async () => {
        const gone = once(worker, 'exit')
        worker.postMessage({ exit: 3 })
        await gone
      },
      close: async () => {
        wire.port1.close()
        bare.port1.close()
        await worker.terminate()
      },
    }
  },
}

/** A channel whose serving end is in a thread that has already ended; `told` also when the port has said so already. */
export async function portOfDeadThread(told: boolean): Promise<MessagePort> {
  const worker = new Worker('', { eval: true })
  const { port1, port2 } = new MessageChannel()
  const gone = once(worker, 'exit')
  const closed = once(port1, 'close')
  worker.postMessage(port2, [port2])
  await gone
  if (told) await closed
  return port1
}
