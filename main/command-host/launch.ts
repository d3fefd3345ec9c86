/** Starts the command host from a Node process (the Electron shell has its own way of forking). */
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'

export { reapLeftovers } from './leftovers.ts'

export interface LaunchedCommandHost {
  readonly socketPath: string
  /** Good for one connection. */
  readonly token: string
  readonly pid: number
  /** Called once when it has ended, for whatever reason; start a new one on the next need. */
  onExit(listener: () => void): void
  /** Ends every command, then the process. Resolves when it is gone. */
  stop(): Promise<void>
}

export interface LaunchOptions {
  /** `main/command-host/entry.ts` or its bundle. */
  readonly entry: string
  /** The Node binary to run it with. */
  readonly execPath: string
  /** Where it notes what the next start must know; absent: nowhere. */
  readonly records?: string
}

const START_DEADLINE_MS = 10_000
const STOP_DEADLINE_MS = 5_000
/** It handles a megabyte per command at most; small spaces keep the process small, and with it the time a spawn takes. */
const SMALL_HEAP = ['--max-old-space-size=64', '--max-semi-space-size=1', '--single-threaded-gc', '--disable-warning=ExperimentalWarning']

/** Rejects when it does not listen within 10 s, with what it wrote to stderr. */
export function launchCommandHost(options: LaunchOptions): Promise<LaunchedCommandHost> {
  const token = randomBytes(24).toString('hex')
  const child = fork(options.entry, [], {
    execPath: options.execPath,
    execArgv: SMALL_HEAP,
    env: {
      METONA_COMMAND_HOST_TOKEN: token,
      METONA_COMMAND_HOST_RECORDS: options.records ?? '',
      ...keep('PATH', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'NODE_COMPILE_CACHE'),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let complaint = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000)
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))

  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      answered()
      child.kill('SIGKILL')
      reject(new Error(`the command host did not start: ${reason}${complaint === '' ? '' : ` (${complaint.trim()})`}`))
    }
    const answered = awakeTimeout(() => fail(`no answer within ${START_DEADLINE_MS} ms`), START_DEADLINE_MS)
    const onEarlyExit = (code: number | null): void => fail(`it ended with ${code}`)
    child.once('exit', onEarlyExit)
    child.once('error', (error) => fail(error.message))
    child.once('message', (message: { type: string; socketPath: string; pid: number }) => {
      answered()
      child.removeListener('exit', onEarlyExit)
      // Neither the process, its channel nor its stderr keeps the app running.
      child.unref()
      child.channel?.unref()
      ;(child.stderr as unknown as { unref?(): void } | null)?.unref?.()
      resolve({
        socketPath: message.socketPath,
        token,
        pid: message.pid,
        onExit: (listener) => void exited.then(listener),
        stop: async () => {
          if (child.connected) child.disconnect()
          const kill = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS)
          await exited
          clearTimeout(kill)
        },
      })
    })
  })
}

function keep(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}
