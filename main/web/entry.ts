/** The web shell: the same pipeline host as the desktop window's, shown in a browser on this machine. */
import path from 'node:path'
import { enableCompileCache } from 'node:module'
import { AGENT_VERSION } from '#main/host/agent-version.ts'
import { composeHost, type HostOptions } from '#main/host/compose.ts'
import { openBrowser } from './open-browser.ts'
import { startWebServer, type WebServer } from './web-server.ts'

enableCompileCache()

/** Milliseconds for running turns to settle when the server is told to end. */
const STOP_DEADLINE_MS = 8_000

export interface ServeOptions extends Pick<HostOptions, 'profile' | 'bundles' | 'entryFor' | 'commandHostEntry' | 'native' | 'onLog'> {
  /** Default: `<bundles>/renderer`. */
  readonly renderer?: string
  readonly port: number
  readonly open: boolean
  readonly language: 'zh' | 'en'
  /** The first line is the URL alone. */
  writeLine(line: string): void
  /** For people: what happened, how to end. */
  writeNote(line: string): void
}

const NOTES = {
  en: {
    stop: 'Metona is open in the browser at the link above (good once). Press Enter for a fresh link, Ctrl+C to end.',
    stopping: 'Ending: running turns are being settled.',
  },
  zh: {
    stop: '请在浏览器中打开上面的链接（只能用一次）。按 Enter 获取新链接，按 Ctrl+C 结束。',
    stopping: '正在结束：等待运行中的轮次收尾。',
  },
} as const

/**
 * Serves until SIGINT, SIGTERM or SIGHUP.
 * @returns the exit code: 0, or 3 when the port is taken (said by the caller from the rejected error's code).
 */
export async function serve(options: ServeOptions): Promise<number> {
  const host = composeHost(options)
  let server: WebServer
  try {
    server = await startWebServer({
      profile: options.profile,
      renderer: options.renderer ?? path.join(options.bundles, 'renderer'),
      port: options.port,
      version: AGENT_VERSION,
      onClient: (port) => host.attach(port, { remote: true }),
    })
  } catch (error) {
    await host.stop(STOP_DEADLINE_MS)
    throw error
  }
  host.warm('session', 'storage')
  const url = server.newUrl()
  options.writeLine(url)
  if (options.open) await openBrowser(url)
  options.writeNote(NOTES[options.language].stop)
  const onInput = (): void => options.writeLine(server.newUrl())
  if (process.stdin.isTTY) process.stdin.on('data', onInput)
  await endSignal()
  process.stdin.off('data', onInput)
  process.stdin.pause()
  options.writeNote(NOTES[options.language].stopping)
  await server.stop()
  await host.stop(STOP_DEADLINE_MS)
  return 0
}

/** Resolves at the first of the ending signals; a second one ends the process at once. */
function endSignal(): Promise<void> {
  return new Promise((resolve) => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    let asked = false
    for (const signal of signals) {
      process.on(signal, () => {
        if (asked) process.exit(130)
        asked = true
        resolve()
      })
    }
  })
}
