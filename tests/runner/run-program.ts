/** Runs a tool of node_modules on this Node, with a time limit for the whole tree it starts. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ProgramEnd {
  readonly code: number
  readonly timedOut: boolean
  /** Only with `quiet`: what it printed. */
  readonly output: string
}

export interface ProgramOptions {
  readonly root: string
  readonly env?: Readonly<Record<string, string>>
  readonly limitMinutes: number
  /** Keep the output back; the caller prints it when it matters. */
  readonly quiet: boolean
}

/** The file behind a command of an installed package. */
export function commandFile(root: string, packageName: string, command: string = packageName): string {
  const folder = join(root, 'node_modules', packageName)
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { bin: string | Record<string, string> }
  const file = typeof bin === 'string' ? bin : bin[command]
  if (file === undefined) throw new Error(`${packageName} has no command ${command}`)
  return join(folder, file)
}

export function runProgram(file: string, commandLine: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...commandLine], {
      cwd: options.root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', options.quiet ? 'pipe' : 'inherit', options.quiet ? 'pipe' : 'inherit'],
      // A group of its own, so that a hang is ended with all it started.
      detached: process.platform !== 'win32',
    })
    const chunks: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
    let timedOut = false
    const killTree = (signal: NodeJS.Signals): void => {
      if (child.pid === undefined) return
      try {
        process.kill(process.platform === 'win32' ? child.pid : -child.pid, signal)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
    const limit = setTimeout(() => {
      timedOut = true
      killTree('SIGKILL')
    }, options.limitMinutes * 60_000)
    const onSignal = (signal: NodeJS.Signals): void => killTree(signal)
    process.on('SIGINT', onSignal)
    process.on('SIGTERM', onSignal)
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(limit)
      process.removeListener('SIGINT', onSignal)
      process.removeListener('SIGTERM', onSignal)
      resolve({ code: code ?? 1, timedOut, output: Buffer.concat(chunks).toString('utf8') })
    })
  })
}
