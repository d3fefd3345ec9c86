/** One command: its process, its bounded output, its end. */
import { spawn, type ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { CommandReply, Limit, StartRequest } from '#contracts/tools/command-host-protocol.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { whenEnded } from './child-end.ts'
import type { ProxyNetwork } from './dial-public.ts'
import type { ConfinementPlace, HeldConfinement } from './hold-confinement.ts'
import { killTree, type KillReport } from './kill-tree.ts'
import { openNetwork } from './open-network.ts'
import type { ProcessGroup } from './process-group-limit.ts'
import { watchFamily, type ProcessFamily } from './process-table.ts'
import { environmentOf, type SandboxStarter, type StartedSandbox } from './sandbox-starter.ts'
import { watchLimits } from './watch-limits.ts'
import { yieldToOthers } from './yield-to-others.ts'

export interface CommandSurroundings {
  /** `NAME=value`, put into every command's environment. */
  readonly hostMarker: string
  /** Program and arguments that go before a command so that the kernel ends it with this process; empty where there are none. */
  readonly deathPrefix: readonly string[]
  readonly place: ConfinementPlace & { readonly starter: SandboxStarter }
  /** How allowed names are resolved and dialled; absent for the machine's own way. */
  readonly network?: ProxyNetwork
  send(reply: CommandReply): void
}

/** Bytes of output that may be on their way before this side stops reading. */
const AHEAD_LIMIT = 1024 * 1024
/** TERM to KILL, for what a finished or timed-out command left behind. */
const LEFTOVER_GRACE_MS = 500
/** Output may still sit in the pipes this long after the last process has gone. */
const DRAIN_MS = 1000

export class RunningCommand {
  readonly id: string
  private readonly child: ChildProcess
  private readonly family: ProcessFamily
  private readonly surroundings: CommandSurroundings
  private readonly stopWaiting: (() => void) | undefined
  private readonly stopWatching: (() => void) | undefined
  private readonly held: HeldConfinement | undefined
  private exceeded: Limit | undefined
  private readonly group: ProcessGroup | undefined
  /** All it starts has a higher process id. */
  private readonly above: number
  private groupLeft: Promise<void> | undefined
  private ahead = 0
  private timedOut = false
  private streamsClosed = false
  private killing: Promise<KillReport> | undefined
  private readonly finished: () => void
  private readonly closeNetwork: (() => void) | undefined

  /**
   * @param env the whole environment, with the markers of this host and of the call.
   * @param held what is set up for a sandboxed command; released at its end.
   * @param sandbox on its way already; absent for a command that is run as it is.
   */
  constructor(
    request: StartRequest,
    env: Readonly<Record<string, string>>,
    held: HeldConfinement | undefined,
    sandbox: StartedSandbox | undefined,
    surroundings: CommandSurroundings,
    finished: () => void,
  ) {
    this.id = request.id
    this.held = held
    this.surroundings = surroundings
    this.finished = finished
    this.group = sandbox?.group
    const { confinement } = request
    this.child = sandbox?.child ?? startBare(request, env, surroundings.deathPrefix)
    this.above = sandbox?.above ?? this.child.pid ?? 0
    this.family = {
      leader: this.child.pid ?? -1,
      markers: [surroundings.hostMarker, sandbox?.marker ?? callMarker(request)],
      sandboxed: confinement !== undefined,
    }
    if (this.child.pid === undefined) {
      this.child.once('error', (error: NodeJS.ErrnoException) => void this.fail(error))
      return
    }
    if (sandbox === undefined) {
      surroundings.place.guard.groupStarted(this.child.pid)
      // A server that is spoken to is waited for like our own threads.
      if (!request.stdin) yieldToOthers(this.child.pid)
    }
    if (confinement !== undefined)
      this.stopWatching = watchLimits(this.child.pid, confinement.limits, (limit) => {
        this.exceeded = limit
        void this.kill(0)
      })
    if (confinement?.domains !== undefined)
      this.closeNetwork = openNetwork(this.child, confinement.domains, surroundings.network, (refusal) =>
        surroundings.send({ type: 'refused', id: this.id, refusal }),
      )
    surroundings.send({ type: 'started', id: this.id, pid: this.child.pid })
    this.forward('stdout', this.child.stdout)
    this.forward('stderr', this.child.stderr)
    this.child.stdin?.on('error', ignoreClosedInput)
    sandbox?.letOutputCome()
    this.child.once('close', () => {
      this.streamsClosed = true
    })
    if (request.timeoutMs !== undefined) {
      this.stopWaiting = awakeTimeout(() => {
        this.timedOut = true
        void this.kill(LEFTOVER_GRACE_MS)
      }, request.timeoutMs)
    }
    // Last: a sandbox may have ended before there was a command to tell.
    whenEnded(this.child, (exitCode, signal) => void this.end(exitCode, signal))
  }

  write(base64: string): void {
    this.child.stdin?.write(Buffer.from(base64, 'base64'))
  }

  endInput(): void {
    this.child.stdin?.end()
  }

  credit(bytes: number): void {
    this.ahead = Math.max(0, this.ahead - bytes)
    if (this.ahead < AHEAD_LIMIT) {
      this.child.stdout?.resume()
      this.child.stderr?.resume()
    }
  }

  /** Resolves when the tree is gone; the `exit` reply follows by itself. Calling it again shares the first attempt. */
  kill(graceMs: number): Promise<KillReport> {
    if (this.child.pid === undefined) return Promise.resolve({ found: 0, killed: 0, survivors: [] })
    this.killing ??= killTree(this.family, graceMs)
    return this.killing
  }

  /** Takes the control group away, once its processes are gone. */
  leaveGroup(): Promise<void> {
    this.groupLeft ??= this.group?.remove() ?? Promise.resolve()
    return this.groupLeft
  }

  private forward(stream: 'stdout' | 'stderr', source: Readable | null): void {
    source?.on('data', (chunk: Buffer) => {
      this.ahead += chunk.length
      this.surroundings.send({ type: 'output', id: this.id, stream, base64: chunk.toString('base64') })
      if (this.ahead >= AHEAD_LIMIT) {
        this.child.stdout?.pause()
        this.child.stderr?.pause()
      }
    })
    const explain = (error: Error): void =>
      this.surroundings.send({
        type: 'output',
        id: this.id,
        stream: 'stderr',
        base64: Buffer.from(`\n[reading ${stream} failed: ${error.message}]\n`).toString('base64'),
      })
    source?.on('error', explain)
    if (source !== null && source.errored !== null) explain(source.errored)
  }

  private async fail(error: NodeJS.ErrnoException): Promise<void> {
    await this.held?.release()
    this.surroundings.send({ type: 'failed', id: this.id, code: error.code ?? 'SPAWN_FAILED', message: error.message })
    this.finished()
  }

  private async end(exitCode: number | null, signal: NodeJS.Signals | null): Promise<void> {
    this.stopWaiting?.()
    this.stopWatching?.()
    this.closeNetwork?.()
    // What the command left in the background is ended too: nothing runs that nobody can see or stop.
    if (this.killing === undefined && (await this.hasLeftovers())) void this.kill(LEFTOVER_GRACE_MS)
    const report = (await this.killing) ?? { found: 0, killed: 0, survivors: [] }
    await this.waitForStreams()
    const restored = (await this.held?.release()) ?? []
    this.surroundings.place.guard.groupEnded(this.family.leader)
    this.surroundings.send({
      type: 'exit',
      id: this.id,
      exitCode,
      signal,
      timedOut: this.timedOut,
      ...report,
      ...(this.exceeded === undefined ? {} : { exceeded: this.exceeded }),
      ...(restored.length === 0 ? {} : { restored }),
    })
    // The kernel takes its time until the last process counts as gone; whoever asked has not to wait for that.
    await this.leaveGroup()
    this.finished()
  }

  private async hasLeftovers(): Promise<boolean> {
    if (process.platform === 'win32') return false
    // Descendants have higher ids except where the counter wrapped; a kill looks at all.
    return (await watchFamily(this.family).look(this.above)).length > 0
  }

  /** All output is sent before `exit`; a pipe that a survivor keeps open is given up after a while without output. */
  private waitForStreams(): Promise<void> {
    if (this.streamsClosed) return Promise.resolve()
    return new Promise((resolve) => {
      const giveUp = setInterval(() => {
        if (this.ahead >= AHEAD_LIMIT) return
        this.child.stdout?.destroy()
        this.child.stderr?.destroy()
        done()
      }, DRAIN_MS)
      const done = (): void => {
        clearInterval(giveUp)
        this.child.removeListener('close', done)
        resolve()
      }
      this.child.once('close', done)
    })
  }
}

/** The whole environment of a command, and of all it starts: by the markers they are known. */
export function markedEnvironment(request: StartRequest, hostMarker: string): Record<string, string> {
  return { ...request.env, ...environmentOf(hostMarker, callMarker(request)) }
}

function callMarker(request: StartRequest): string {
  return `METONA_CALL=${request.env['METONA_CALL'] ?? request.id}`
}

function startBare(request: StartRequest, env: Readonly<Record<string, string>>, deathPrefix: readonly string[]): ChildProcess {
  const [program, ...programArguments] = [...deathPrefix, ...request.argv]
  return spawn(program as string, programArguments, {
    cwd: request.cwd,
    env,
    // Its own session: no terminal to ask on, and one group to signal.
    detached: process.platform !== 'win32',
    stdio: [request.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    windowsHide: true,
    windowsVerbatimArguments: request.verbatim === true,
  })
}

/** The program ended before it read its input; its exit says so. */
function ignoreClosedInput(): void {}
