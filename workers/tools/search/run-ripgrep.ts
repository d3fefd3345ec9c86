/** Runs ripgrep through the command host: linear-time search in a process of its own, ended when enough was found. */
import { AppError } from '#contracts/wire/app-error.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { CommandHandle } from '../commands/command-runner.ts'
import type { ToolServices } from '../tool-services.ts'

export interface RipgrepRun {
  readonly arguments: readonly string[]
  /** Verified folder; as held by `openPath`. */
  readonly accessPath: string
  readonly callId: string
  readonly services: ToolServices
  readonly signal: AbortSignal
  /** Bytes of output after which it is ended. */
  readonly limit: number
}

export interface RipgrepOutput {
  readonly text: string
  /** The limit was reached: there is more. */
  readonly cut: boolean
  readonly exitCode: number | null
  readonly errors: string
}

const TIMEOUT_MS = 60_000
/** @throws ToolError when ripgrep is missing or was ended by the time limit. */
export async function runRipgrep(run: RipgrepRun): Promise<RipgrepOutput> {
  const { rgPath } = await import('@vscode/ripgrep')
  const output: Buffer[] = []
  let size = 0
  let errors = ''
  let handle: CommandHandle | undefined
  let cut = false
  try {
    handle = await run.services.commands.start({
      callId: run.callId,
      // Packed apps keep programs outside the archive.
      argv: [rgPath.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked'), '--no-config', ...run.arguments],
      cwd: foreignPath(run.accessPath),
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      timeoutMs: TIMEOUT_MS,
      onOutput: (stream, bytes) => {
        handle?.credit(bytes.length)
        if (stream === 'stderr') errors = (errors + bytes.toString('utf8')).slice(0, 4000)
        else if (size < run.limit) {
          output.push(bytes)
          size += bytes.length
          if (size >= run.limit) {
            cut = true
            handle?.kill(0)
          }
        }
      },
    })
  } catch (error) {
    if (error instanceof AppError && error.code === 'ENOENT')
      throw new ToolError('NOT_AVAILABLE', 'The search program is missing from this installation. Use run_command with grep or find.')
    throw error
  }
  const stop = (): void => handle?.kill(0)
  run.signal.addEventListener('abort', stop, { once: true })
  if (cut || run.signal.aborted) stop()
  const exit = await handle.exit
  run.signal.removeEventListener('abort', stop)
  run.signal.throwIfAborted()
  if (exit.kind === 'lost') throw new ToolError('COMMAND_HOST', `${exit.message} Search again.`)
  if (exit.timedOut)
    throw new ToolError(
      'TIMEOUT',
      `The search took longer than ${TIMEOUT_MS / 1000} s. Search a smaller folder or for something more specific.`,
    )
  return { text: Buffer.concat(output).subarray(0, run.limit).toString('utf8'), cut, exitCode: exit.exitCode, errors }
}

/** Our handle, as another process of the same user reaches it. */
function foreignPath(accessPath: string): string {
  return accessPath.replace(/^\/proc\/self\//, `/proc/${process.pid}/`)
}
