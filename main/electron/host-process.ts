/**
 * The pipeline host and the command host as utility processes, restarted when they die. Clients whose host died
 * get a port to the next one: their old port closes and the page asks again.
 */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type * as Electron from 'electron'
import type { NativeServices } from '#contracts/native/native-services.ts'
import { nativeAnswers } from '#main/host/native-answers.ts'
import { DEFAULT_RESTART_POLICY, restartBudget } from '#main/host/restart-budget.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { ElectronApi } from './boot.ts'
import type { FromHost, ToHost } from './host-process-messages.ts'

export interface HostProcess {
  addClient(port: Electron.MessagePortMain): void
  power(state: 'suspend' | 'resume'): void
  /** Resolves when the host has drained or the deadline passed. */
  stop(deadlineMs: number): Promise<void>
}

export interface HostProcessOptions {
  readonly bundles: string
  readonly profile: string
  readonly native: Partial<NativeServices>
}

export function startHostProcess(
  electron: Pick<ElectronApi, 'utilityProcess' | 'dialog' | 'app'>,
  options: HostProcessOptions,
): HostProcess {
  const native = nativeAnswers(options.native)
  const budget = restartBudget(DEFAULT_RESTART_POLICY)
  let stopping = false
  let stopped: () => void = () => undefined
  const commandHosts: Electron.UtilityProcess[] = []
  /** Pages that asked while there was no host. */
  const waiting: Electron.MessagePortMain[] = []
  let child: Electron.UtilityProcess | undefined = fork()

  function fork(): Electron.UtilityProcess {
    const started = electron.utilityProcess.fork(
      path.join(options.bundles, 'electron', 'host-entry.js'),
      [options.bundles, options.profile],
      { serviceName: 'Metona pipeline', stdio: 'ignore' },
    )
    started.on('message', (message: FromHost) => receive(started, message))
    started.once('exit', (code) => {
      child = undefined
      // One that its pipeline had not yet connected to would wait for ever.
      for (const host of commandHosts.splice(0)) host.kill()
      if (stopping) return stopped()
      const delay = budget.take(performance.now())
      if (delay === undefined) {
        electron.dialog.showErrorBox(
          'Metona',
          `The pipeline ended again and again (${code}). Nothing that was shown as done is lost. Start Metona again.\nMetona 的处理进程多次退出（${code}）。已显示完成的内容都已保存，请重新启动 Metona。`,
        )
        return electron.app.quit()
      }
      setTimeout(() => {
        child = fork()
        for (const port of waiting.splice(0)) addClient(port)
      }, delay)
    })
    return started
  }

  function receive(from: Electron.UtilityProcess, message: FromHost): void {
    const reply = (answer: ToHost): void => from.postMessage(answer)
    switch (message.type) {
      case 'native':
        return void native(message.method, message.params).then(
          (value) => reply({ type: 'native_result', id: message.id, value }),
          (thrown: unknown) => reply({ type: 'native_result', id: message.id, error: toErrorData(thrown) }),
        )
      case 'command_host':
        commandHosts.push(launchCommandHost(electron, options, message.id, reply))
        return
    }
  }

  function addClient(port: Electron.MessagePortMain): void {
    if (child === undefined) waiting.push(port)
    else child.postMessage({ type: 'client' } satisfies ToHost, [port])
  }

  return {
    addClient,
    power: (state) => child?.postMessage({ type: 'power', state } satisfies ToHost),
    stop: (deadlineMs) => {
      stopping = true
      const ending = child
      if (ending === undefined) return Promise.resolve()
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          ending.kill()
          resolve()
        }, deadlineMs)
        stopped = () => {
          clearTimeout(timer)
          resolve()
        }
        ending.postMessage({ type: 'stop', deadlineMs } satisfies ToHost)
      })
    },
  }
}

/** Forking the Electron binary is off by fuse, so main starts the command host for the pipeline host. */
function launchCommandHost(
  electron: Pick<ElectronApi, 'utilityProcess'>,
  { bundles, profile }: Pick<HostProcessOptions, 'bundles' | 'profile'>,
  id: number,
  reply: (answer: ToHost) => void,
): Electron.UtilityProcess {
  const token = randomBytes(24).toString('hex')
  const host = electron.utilityProcess.fork(path.join(bundles, 'command-host', 'entry.js'), [], {
    serviceName: 'Metona commands',
    stdio: 'ignore',
    env: {
      ...keep('PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot'),
      METONA_COMMAND_HOST_TOKEN: token,
      METONA_COMMAND_HOST_RECORDS: path.join(profile, 'command-hosts'),
    },
  })
  host.once('message', (message: { socketPath: string }) =>
    reply({ type: 'command_host_started', id, socketPath: message.socketPath, token }),
  )
  host.once('exit', () => reply({ type: 'command_host_exit', id }))
  return host
}

function keep(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}
