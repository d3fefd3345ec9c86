/** Starts one command through the command host and follows it to its end. */
import { relative } from 'node:path'
import type { NetworkRefusal } from '#contracts/tools/allowed-domains.ts'
import type { ToolPlace } from '#contracts/tools/tools-service.ts'
import type { ToolLive } from '#contracts/tools/tool-live.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { MaskedForCommand, WrappedCommand } from '../sandbox/sandbox.ts'
import type { ToolServices } from '../tool-services.ts'
import { COMMAND_LOST, type CommandExit, type CommandHandle } from './command-runner.ts'
import { commandEnvironment } from './command-environment.ts'
import { OutputCollector, type CollectedOutput } from './output-collector.ts'
import { chooseShell } from './shell-choice.ts'

export interface CommandRequestOptions {
  readonly place: ToolPlace
  readonly callId: string
  readonly command: string
  readonly timeoutMs?: number
  /** As it was said when the call was prepared; never less. */
  readonly sandboxed: boolean
  /** Names it may reach from inside the sandbox. */
  readonly domains: readonly string[]
  /** Real paths of secrets in the workspace that the sandbox shows after all. */
  readonly secrets?: readonly string[]
  readonly services: ToolServices
  live(message: ToolLive): void
}

export interface FollowedCommand {
  readonly handle: CommandHandle
  readonly collector: OutputCollector
  readonly startedAt: number
  /** Places it wanted to connect to and may not; grows while it runs. */
  readonly refused: readonly NetworkRefusal[]
  readonly sandboxed: boolean
  /** Names of the workspace, absent before, that nobody can make while it runs; none where the sandbox does without stand-ins. */
  readonly held: readonly string[]
  /** Absent where it sees everything that is there. */
  readonly masked?: MaskedForCommand
  /** In the sandbox, with nothing allowed. */
  readonly networkClosed: boolean
  /** Domains are allowed, and nothing here can open them to it. */
  readonly domainsShut: boolean
  /** Never rejects. */
  readonly done: Promise<FinishedCommand>
  /** Why we ended it ourselves, when we did. */
  endedBecause(): string | undefined
  /** Ends the tree and waits for the evidence. */
  stop(): Promise<FinishedCommand>
}

export interface FinishedCommand {
  readonly exit: CommandExit
  readonly output: CollectedOutput
  readonly durationMs: number
}

/** Output beyond this ends the command: no log is that long, an endless loop is. */
const OUTPUT_LIMIT = 256 * 1024 * 1024
/** Output up to here is taken in as fast as it comes; after it, at a pace that leaves the machine to others. */
const FREE_BYTES = 4 * 1024 * 1024
const PACE_BYTES_PER_MS = 8 * 1024
const KILL_GRACE_MS = 1000

/** @throws ToolError when the shell or the folder is missing or the command host cannot run. */
export async function executeCommand(options: CommandRequestOptions): Promise<FollowedCommand> {
  const { services, place } = options
  const shell = await chooseShell()
  const collector = new OutputCollector(services.outputs.create(place.sessionId, options.callId), options.live, services.secrets.redactor)
  const startedAt = performance.now()
  let because: string | undefined
  const refused: NetworkRefusal[] = []
  let owed = 0
  let timer: NodeJS.Timeout | undefined
  /** Until then what was let in last is paid for. */
  let paidUntil = 0
  let handle: CommandHandle | undefined
  let wrapped: WrappedCommand | undefined
  const pay = (): void => {
    timer = undefined
    handle?.credit(owed)
    paidUntil = performance.now() + owed / PACE_BYTES_PER_MS
    owed = 0
  }
  try {
    const argv = shell.argv(options.command, `METONA_CALL=${options.callId}`)
    const env = commandEnvironment(process.env, await services.searchPath(), place.workspace)
    const { workspace } = place
    if (options.sandboxed)
      wrapped = await services.sandbox.wrap({ workspace, argv, env, secrets: options.secrets ?? [], domains: options.domains })
    handle = await services.commands.start({
      callId: options.callId,
      ...(wrapped ?? { argv, env, cwd: workspace }),
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      onRefused: (refusal) => void refused.push(refusal),
      onOutput: (stream, bytes) => {
        collector.take(stream, bytes)
        owed += bytes.length
        if (collector.bytes > OUTPUT_LIMIT && because === undefined) {
          because = `it wrote more than ${OUTPUT_LIMIT / 1024 / 1024} MiB of output`
          handle?.kill(KILL_GRACE_MS)
        }
        if (collector.bytes <= FREE_BYTES) pay()
        else timer ??= setTimeout(pay, Math.min(200, Math.max(1, paidUntil - performance.now())))
      },
    })
  } catch (error) {
    throw explainStartFailure(error, place.workspace)
  }
  const running = handle
  const { confinement, masked } = wrapped ?? {}
  const networkClosed = options.sandboxed && options.domains.length === 0
  const domainsShut = networkClosed && (place.domains ?? []).length > 0 && !(await services.sandbox.opensDomains())
  const done = running.exit.then(async (exit): Promise<FinishedCommand> => {
    clearTimeout(timer)
    return { exit, output: await collector.finish(), durationMs: Math.round(performance.now() - startedAt) }
  })
  const stop = (): Promise<FinishedCommand> => {
    running.kill(KILL_GRACE_MS)
    return done
  }
  return {
    handle: running,
    collector,
    startedAt,
    refused,
    sandboxed: options.sandboxed,
    held: (confinement?.standIns ?? []).map((path) => relative(confinement?.root ?? '', path)),
    ...(masked === undefined ? {} : { masked }),
    networkClosed,
    domainsShut,
    done,
    endedBecause: () => because,
    stop,
  }
}

function explainStartFailure(error: unknown, workspace: string): unknown {
  if (!(error instanceof AppError)) return error
  switch (error.code) {
    case COMMAND_LOST:
      return new ToolError('OUTCOME_UNKNOWN', `${error.message} Whether the command began is unknown; look before you run it again.`)
    case 'ENOENT':
    case 'ENOTDIR':
      return new ToolError('NOT_FOUND', `The command could not start: the workspace folder ${workspace} or the shell is missing.`)
    case 'E2BIG':
      return new ToolError('TOO_BIG', 'The command is too long for the system. Write it to a script file and run that.')
    case 'EAGAIN':
    case 'ENOMEM':
      return new ToolError(
        'NO_RESOURCES',
        `The system has no room for another process now (${error.code}). Stop other commands or try later.`,
      )
    case 'ERR_INVALID_ARG_VALUE':
      return new ToolError('BAD_ARGUMENTS', 'The command holds a NUL character, which no program can be given.')
    default:
      return new ToolError('COMMAND_HOST', `The command could not start: ${error.message}`)
  }
}
