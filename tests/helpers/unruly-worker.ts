/** A worker that does, on request, what a worker must not do. Driven through a client port by the tests of the supervisor. */
import { threadId } from 'node:worker_threads'
import type { Port } from '#contracts/wire/port.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import { startWorker } from '#workers/shared/start-worker.ts'

export type UnrulyRequest =
  | { readonly do: 'echo'; readonly text: string }
  | { readonly do: 'spin' | 'exit' | 'throw' | 'reject' | 'overflow' | 'heap' | 'flood' | 'print' | 'ignore_stop' | 'command_host' }
  | { readonly do: 'block'; readonly milliseconds: number }
  /** Gets a port to that worker, says `text` and passes on what comes back. */
  | { readonly do: 'ask_peer'; readonly peer: WorkerName; readonly text: string }
  | { readonly do: 'native'; readonly method: string; readonly params: unknown }

export interface UnrulyReply {
  readonly threadId: number
  readonly worker: string
  readonly text?: string
  readonly value?: unknown
  readonly error?: unknown
}

startWorker((context) => {
  let stopping: Promise<void> = Promise.resolve()
  const reply = (port: Port, rest: Partial<UnrulyReply>): void => port.postMessage({ threadId, worker: context.data.name, ...rest })

  const act = async (request: UnrulyRequest, port: Port): Promise<void> => {
    switch (request.do) {
      case 'echo':
        return reply(port, { text: request.text })
      case 'spin':
        for (;;);
      case 'block':
        for (const end = performance.now() + request.milliseconds; performance.now() < end;);
        return reply(port, { text: 'done' })
      case 'exit':
        return process.exit(7)
      case 'throw':
        setImmediate(() => {
          throw new Error('thrown on purpose')
        })
        return
      case 'reject':
        void Promise.reject(new Error('rejected on purpose'))
        return
      case 'overflow':
        setImmediate(overflow)
        return
      case 'heap':
        return fillHeap()
      case 'flood':
        for (;;) context.log('info', 'flood')
      case 'print':
        process.stdout.write('printed by the worker\n')
        return reply(port, { text: 'printed' })
      case 'ignore_stop':
        stopping = new Promise(() => undefined)
        return reply(port, { text: 'deaf' })
      case 'command_host':
        return reply(port, { value: await context.commandHost() })
      case 'native':
        return reply(port, { value: await context.native(request.method, request.params) })
      case 'ask_peer': {
        const peer = await context.peer(request.peer)
        peer.addEventListener('message', (event) => port.postMessage(event.data))
        peer.addEventListener('close', () => reply(port, { text: 'peer closed' }))
        peer.start()
        return peer.postMessage({ do: 'echo', text: request.text } satisfies UnrulyRequest)
      }
    }
  }
  const serve = (port: Port): void => {
    port.addEventListener('message', (event) => {
      const request = event.data as UnrulyRequest
      act(request, port).catch((error: { code?: string }) => reply(port, { error: error.code ?? String(error) }))
    })
    port.start()
  }
  return {
    onPeer: (_peer, port) => serve(port),
    onClient: ({ port }) => serve(port),
    onPower: (state) => context.log('info', `power ${state}`),
    stop: () => stopping,
  }
})

function overflow(): number {
  return overflow() + 1
}

function fillHeap(): void {
  const kept: unknown[] = []
  for (;;) kept.push({ text: String(kept.length).repeat(20) })
}
