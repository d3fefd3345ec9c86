/**
 * Starts sandboxes in two steps: first `bwrap` itself, which waits for its options on a pipe, then the options. In between
 * it is put into a control group of its own, for what it starts must be born there: a group never takes in what is there
 * already. And because the first step needs to know nothing of the command, one is always made ahead for the next.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { open, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { StartRequest } from '#contracts/tools/command-host-protocol.ts'
import { keepOutput, whenEnded } from './child-end.ts'
import type { OrphanGuard } from './orphan-guard.ts'
import { lastProcessId, livesOn } from './process-table.ts'
import { makeProcessGroup, type ProcessGroup } from './process-group-limit.ts'
import { yieldToOthers } from './yield-to-others.ts'

export interface StartedSandbox {
  readonly child: ChildProcess
  /** Its output waits until this is called, when there are listeners for it. */
  readonly letOutputCome: () => void
  /** `NAME=value` in the environment of its own processes, from which all others in it descend; the command's may differ. */
  readonly marker: string
  /** All that is started in it has a higher process id, as long as the ids do not begin anew. */
  readonly above: number
  /** Absent where this process may make none. */
  readonly group?: ProcessGroup
}

/** `bwrap` that knows nothing yet but where its options will come from. */
interface WaitingSandbox extends Omit<StartedSandbox, 'above'> {
  /** Closing it without a word ends the sandbox: one without options has no program in it. */
  readonly options: Writable
  /** Whether its command comes with the options as well. */
  readonly forAnyone: boolean
}

/** Standard streams, seccomp program; then a channel to us where the command has a network, then its options. */
const CHANNEL_FD = 4
const optionsFd = (request: StartRequest | undefined): number => (request?.confinement?.domains === undefined ? CHANNEL_FD : CHANNEL_FD + 1)

/** The end of what it was given: a sandbox whose options were cut short, as by our death, must not run anything. */
const COMPLETE = 'METONA_COMPLETE'
/** Words for the shell that waits inside. */
const SCRIPT = 'METONA_SCRIPT'
const FROM_OPTIONS = `[ "$${COMPLETE}" = yes ] || exit 125; eval "$${SCRIPT}"`
const FROM_ARGUMENTS = `[ "$${COMPLETE}" = yes ] || exit 125; unset ${COMPLETE}; exec "$@"`
/** One variable may have 128 KiB. */
const MOST_BYTES = 100_000

export class SandboxStarter {
  private readonly hostMarker: string
  private readonly guard: OrphanGuard
  private readonly folder: string
  private ahead: { readonly program: string; readonly sandbox: Promise<WaitingSandbox | undefined> } | undefined
  /** In base64; the same for all commands of a machine. */
  private seccomp: string | undefined
  private counter = 0
  private closed = false

  /** @param folder private to this host. */
  constructor(hostMarker: string, guard: OrphanGuard, folder: string) {
    this.hostMarker = hostMarker
    this.guard = guard
    this.folder = folder
  }

  /**
   * @param env the whole environment of the command.
   * @param wanted asked once more before anything runs in it.
   * @returns undefined when it is no longer wanted.
   * @throws with the system's code when `bwrap` cannot be started, with that of `spawn` when no program could be handed this.
   */
  async start(
    request: StartRequest,
    env: Readonly<Record<string, string>>,
    wanted: () => boolean = () => true,
  ): Promise<StartedSandbox | undefined> {
    const at = request.confinement?.commandAt ?? request.argv.length
    const [program = '', ...options] = request.argv.slice(0, at - 1)
    const words = request.argv.slice(at)
    this.seccomp ??= request.confinement?.seccomp
    refuseNul([...request.argv, ...Object.entries(env).flat()])
    const text = scriptOf(words)
    const fits = !request.stdin && request.confinement?.domains === undefined && Buffer.byteLength(text) < MOST_BYTES
    const sandbox = (fits ? await this.takeAhead(program) : undefined) ?? (await this.make(program, request, { words, env }))
    if (!wanted()) {
      await this.discard(sandbox)
      return undefined
    }
    try {
      sandbox.group?.limit(2 * (request.confinement?.limits.processes ?? 0))
    } catch (error) {
      await this.discard(sandbox)
      throw error
    }
    const environment = Object.entries({ ...env, [SCRIPT]: text }).flatMap(([name, value]) => ['--setenv', name, value])
    const all = [...options, ...(sandbox.forAnyone ? ['--clearenv', ...environment] : []), '--setenv', COMPLETE, 'yes']
    const above = lastProcessId()
    sandbox.options.end(Buffer.from(all.map((option) => `${option}\0`).join('')))
    if (fits) this.prepare(program)
    return { ...sandbox, above }
  }

  /** Ends the one that waits for a command. */
  async close(): Promise<void> {
    this.closed = true
    const sandbox = await this.ahead?.sandbox
    this.ahead = undefined
    if (sandbox !== undefined) await this.discard(sandbox)
  }

  private prepare(program: string): void {
    if (this.closed || this.ahead !== undefined) return
    // What cannot be made ahead is made, or refused, when it is wanted.
    const ahead = { program, sandbox: this.make(program).catch(() => undefined) }
    this.ahead = ahead
    void ahead.sandbox.then((made) => {
      if (made === undefined) return
      whenEnded(made.child, () => {
        if (this.ahead !== ahead) return
        // Its id may soon be another's, whom the guard must not end.
        this.ahead = undefined
        void this.discard(made)
      })
    })
  }

  private async takeAhead(program: string): Promise<WaitingSandbox | undefined> {
    const { ahead } = this
    this.ahead = undefined
    const sandbox = await ahead?.sandbox
    if (sandbox === undefined) return undefined
    const { pid = -1, exitCode, signalCode } = sandbox.child
    // Its end may not have been told yet.
    const waits = exitCode === null && signalCode === null && livesOn(pid)
    if (waits && ahead?.program === program) return sandbox
    await this.discard(sandbox)
    return undefined
  }

  private async discard(sandbox: WaitingSandbox): Promise<void> {
    sandbox.child.kill('SIGKILL')
    sandbox.child.stdout?.destroy()
    sandbox.child.stderr?.destroy()
    if (sandbox.child.pid !== undefined) this.guard.groupEnded(sandbox.child.pid)
    await sandbox.group?.remove()
  }

  /** @param own absent for one that any command may get. */
  private async make(
    program: string,
    request?: StartRequest,
    own?: { readonly words: readonly string[]; readonly env: Readonly<Record<string, string>> },
  ): Promise<WaitingSandbox> {
    const fd = optionsFd(request)
    const script = own === undefined ? [FROM_OPTIONS, 'sh'] : [FROM_ARGUMENTS, 'sh', ...own.words]
    const seccomp = await this.openProgram()
    const marker = `METONA_CALL=${own?.env['METONA_CALL'] ?? `sandbox-${++this.counter}`}`
    let child: ChildProcess
    let failed: Promise<Error>
    try {
      child = spawn(program, ['--args', String(fd), '--', '/bin/sh', '-c', ...script], {
        cwd: '/',
        env: own?.env ?? environmentOf(this.hostMarker, marker),
        // Its own session: no terminal to ask on, and one group to signal.
        detached: true,
        stdio: [
          request?.stdin === true ? 'pipe' : 'ignore',
          'pipe',
          'pipe',
          seccomp?.fd ?? 'ignore',
          ...(fd === CHANNEL_FD ? [] : ['ipc' as const]),
          'pipe',
        ],
      })
      const started = child
      failed = new Promise((settle) => started.on('error', settle))
    } finally {
      await seccomp?.close()
    }
    if (child.pid === undefined) throw await failed
    const options = child.stdio[fd as 4] as Writable
    // It ended before it read them; its exit says so.
    options.on('error', () => {})
    const waiting = { child, letOutputCome: keepOutput(child), marker, options, forAnyone: own === undefined }
    this.guard.groupStarted(child.pid)
    yieldToOthers(child.pid)
    const group = await makeProcessGroup(child.pid)
    return group === undefined ? waiting : { ...waiting, group }
  }

  /** The sandbox reads the program from where the descriptor stands, so each gets a descriptor of its own. */
  private async openProgram(): Promise<FileHandle | undefined> {
    if (this.seccomp === undefined) return undefined
    const path = join(this.folder, 'seccomp')
    try {
      return await open(path, 'r')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      await writeFile(path, Buffer.from(this.seccomp, 'base64'), { mode: 0o600 })
      return open(path, 'r')
    }
  }
}

/** Of `NAME=value` entries. */
export function environmentOf(...markers: readonly string[]): Record<string, string> {
  return Object.fromEntries(markers.map((marker) => [marker.slice(0, marker.indexOf('=')), marker.slice(marker.indexOf('=') + 1)]))
}

/** What is a script for the same shell anyhow needs no second one. */
function scriptOf(words: readonly string[]): string {
  const forShell = words[0] === '/bin/sh' && words[1] === '-c' && words[2] !== undefined && words[3] === 'sh'
  const [script, parameters] = forShell ? [words[2], words.slice(4)] : ['exec "$@"', words]
  return `unset ${SCRIPT} ${COMPLETE}; set -- ${parameters.map(quote).join(' ')}\n${script}`
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}

/** It ends an option: what follows would be one of its own. */
function refuseNul(texts: readonly string[]): void {
  if (texts.some((text) => text.includes('\0')))
    throw Object.assign(new TypeError('an argument holds a NUL character'), { code: 'ERR_INVALID_ARG_VALUE' })
}
