/** The pipeline host inside its utility process. Runs no Electron API of its own but the port to main. */
import type * as Electron from 'electron'
import type { NativeServices } from '#contracts/native/native-services.ts'
import { AppError, type AppErrorData } from '#contracts/wire/app-error.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { composeHost } from '#main/host/compose.ts'
import type { RunningCommandHost } from '#main/host/command-host-keeper.ts'
import type { FromHost, ToHost } from './host-process-messages.ts'
import { mainPort } from './main-port.ts'

const [bundles, profile] = process.argv.slice(2)
const parent = (process as unknown as { parentPort: Electron.ParentPort }).parentPort
const natives = new Map<number, { resolve(value: unknown): void; reject(error: AppError): void }>()
const commandHosts = new Map<number, { started(address: { socketPath: string; token: string }): void; exited(): void }>()
const START_DEADLINE_MS = 10_000
let nextId = 1
const post = (message: FromHost): void => parent.postMessage(message)

const host = composeHost({ bundles: bundles ?? '', profile: profile ?? '', native: nativeProxy(), launchCommandHost })

parent.on('message', ({ data, ports }: { data: ToHost; ports: Electron.MessagePortMain[] }) => {
  switch (data.type) {
    case 'client': {
      const port = ports[0]
      if (port !== undefined) host.attach(mainPort(port), { remote: false })
      return
    }
    case 'power':
      return host.power(data.state)
    case 'stop':
      return void host.stop(data.deadlineMs).then(() => process.exit(0))
    case 'native_result':
      return settle(data.id, data.value, data.error)
    case 'command_host_started':
      return commandHosts.get(data.id)?.started(data)
    case 'command_host_exit':
      return commandHosts.get(data.id)?.exited()
  }
})

function settle(id: number, value: unknown, error: AppErrorData | undefined): void {
  const waiter = natives.get(id)
  natives.delete(id)
  if (error === undefined) waiter?.resolve(value)
  else waiter?.reject(new AppError(error))
}

/** Every native service is a question to main, which refuses names it does not know. */
function nativeProxy(): NativeServices {
  const ask = (method: keyof NativeServices) => (params?: unknown) =>
    new Promise((resolve, reject) => {
      const id = nextId++
      natives.set(id, { resolve, reject })
      post({ type: 'native', id, method, params })
    })
  const names: (keyof NativeServices)[] = [
    'pickFolder',
    'openExternal',
    'notify',
    'secretsAvailable',
    'readSecret',
    'writeSecret',
    'resolveProxy',
    'setBusy',
  ]
  return Object.fromEntries(names.map((name) => [name, ask(name)])) as unknown as NativeServices
}

function launchCommandHost(): Promise<RunningCommandHost> {
  return new Promise((resolve, reject) => {
    const id = nextId++
    const exitListeners: (() => void)[] = []
    let running = false
    // One that never listens must not be waited for: whoever needs it is told and may ask again.
    const stopWaiting = awakeTimeout(() => {
      commandHosts.delete(id)
      reject(new AppError({ code: 'WORKER_LOST', message: `the command host did not listen within ${START_DEADLINE_MS} ms` }))
    }, START_DEADLINE_MS)
    commandHosts.set(id, {
      started: ({ socketPath, token }) => {
        running = true
        stopWaiting()
        // It ends itself when its one client, the tools worker, closes the socket.
        resolve({ socketPath, token, onExit: (listener) => void exitListeners.push(listener), stop: () => Promise.resolve() })
      },
      exited: () => {
        stopWaiting()
        commandHosts.delete(id)
        for (const listener of exitListeners) listener()
        if (!running) reject(new AppError({ code: 'WORKER_LOST', message: 'the command host ended before it listened' }))
      },
    })
    post({ type: 'command_host', id })
  })
}
