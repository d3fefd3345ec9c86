/** The desktop window, where this machine can show one: Electron's own program, started with the app's main bundle. */
import { spawn } from 'node:child_process'
import { access, constants, readFile } from 'node:fs/promises'
import path from 'node:path'

export type NoWindow =
  /** Electron's program was never fetched: its package brings it only when it is first run, from the internet. */
  | { readonly reason: 'not_installed' }
  | { readonly reason: 'no_display' }
  | { readonly reason: 'not_built' }
  | { readonly reason: 'ended'; readonly code: number | string }

export interface WindowOptions {
  /** The folder that holds `node_modules`. */
  readonly root: string
  /** Electron's main bundle. */
  readonly main: string
  readonly environment: NodeJS.ProcessEnv
  readonly platform?: NodeJS.Platform
  /** A window that is gone sooner never really was there. Default 5 s. */
  readonly aliveMs?: number
  /** Called once the window is taken for shown. */
  onShown(end: (signal: NodeJS.Signals) => void): void
}

const ALIVE_MS = 5_000

/** Resolves with the exit code when the window was closed, or with why there was none. Fetches nothing. */
export async function openDesktopWindow(options: WindowOptions): Promise<number | NoWindow> {
  const { environment, platform = process.platform } = options
  const program = await findElectron(options.root)
  if (program === undefined) return { reason: 'not_installed' }
  if (!(await isThere(options.main))) return { reason: 'not_built' }
  if (platform === 'linux' && !environment['DISPLAY'] && !environment['WAYLAND_DISPLAY']) return { reason: 'no_display' }
  const { ELECTRON_RUN_AS_NODE: _asNode, ...rest } = environment
  const child = spawn(program, [options.main], { stdio: 'inherit', env: rest })
  return new Promise((resolve) => {
    let shown = false
    const timer = setTimeout(() => {
      shown = true
      options.onShown((signal) => child.kill(signal))
    }, options.aliveMs ?? ALIVE_MS)
    const finish = (code: number | string): void => {
      clearTimeout(timer)
      resolve(shown || code === 0 ? (typeof code === 'number' ? code : 1) : { reason: 'ended', code })
    }
    child.once('error', (error: NodeJS.ErrnoException) => finish(error.code ?? error.message))
    child.once('exit', (code, signal) => finish(code ?? signal ?? 1))
  })
}

/** `path.txt` of the package names the program inside `dist/`; both are made when it is fetched. */
async function findElectron(root: string): Promise<string | undefined> {
  const folder = path.join(root, 'node_modules', 'electron')
  const name = await readFile(path.join(folder, 'path.txt'), 'utf8').catch(() => undefined)
  if (name === undefined) return undefined
  const program = path.join(folder, 'dist', name.trim())
  return (await isThere(program)) ? program : undefined
}

function isThere(file: string): Promise<boolean> {
  return access(file, constants.R_OK).then(
    () => true,
    () => false,
  )
}
