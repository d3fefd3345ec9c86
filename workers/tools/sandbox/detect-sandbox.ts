/** Tries the sandbox once, with everything a command gets, and says why when it does not work. */
import { access, constants } from 'node:fs/promises'
import type { SandboxReason, SandboxState } from '#contracts/tools/sandbox-state.ts'
import type { CommandRunner } from '../commands/command-runner.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import { limitArguments } from './limit-arguments.ts'
import { seccompFilter } from './seccomp-filter.ts'

export interface DetectedSandbox {
  readonly state: SandboxState
  /** Absolute path of the program that makes the sandbox. */
  readonly program: string | undefined
}

const TRIAL_MS = 10_000
/** Never looked up in PATH: that may lead into the workspace. */
const BWRAP_PLACES = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap', '/run/current-system/sw/bin/bwrap']
const SEATBELT = '/usr/bin/sandbox-exec'

export async function detectSandbox(commands: CommandRunner, platform: NodeJS.Platform = process.platform): Promise<DetectedSandbox> {
  if (platform === 'darwin') {
    const there = await isExecutable(SEATBELT)
    return there ? { state: { kind: 'seatbelt' }, program: SEATBELT } : none('no_program')
  }
  if (platform !== 'linux') return none('platform')
  const program = await firstExecutable(BWRAP_PLACES)
  if (program === undefined) return none('no_program')
  const { exitCode, text } = await trial(commands, program)
  if (exitCode === 0) return { state: { kind: 'bwrap' }, program }
  return none(reasonFor(text), text.trim().slice(0, 300))
}

async function trial(commands: CommandRunner, program: string): Promise<{ exitCode: number | null; text: string }> {
  const seccomp = seccompFilter()
  let text = ''
  const inside = limitArguments(['/bin/sh', '-c', ':'])
  const argv = bwrapArguments({
    program,
    workspace: undefined,
    places: { hidden: ['/tmp'], visible: [], readOnly: ['/proc/sys'], masked: [] },
    entries: undefined,
    seccompFd: seccomp === undefined ? undefined : 3,
    argv: inside,
  })
  const handle = await commands.start({
    callId: 'sandbox_trial',
    argv,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs: TRIAL_MS,
    confinement: {
      root: '/',
      commandAt: argv.length - inside.length,
      standIns: [],
      links: [],
      unwanted: [],
      limits: { memoryBytes: Number.MAX_SAFE_INTEGER, processes: Number.MAX_SAFE_INTEGER },
      ...(seccomp === undefined ? {} : { seccomp }),
    },
    onOutput: (_stream, bytes) => {
      text = (text + bytes.toString('utf8')).slice(0, 4000)
    },
  })
  const exit = await handle.exit
  return { exitCode: exit.kind === 'exit' ? exit.exitCode : null, text }
}

/** By what bwrap says; it has no codes. */
function reasonFor(text: string): SandboxReason {
  if (/unknown option/i.test(text)) return 'too_old'
  if (/user namespace|uid map|gid map|No permissions to create|Creating new namespace failed|clone/i.test(text))
    return 'namespaces_forbidden'
  if (/mount|pivot_root|remount|bind/i.test(text)) return 'mounts_forbidden'
  return 'failed'
}

function none(reason: SandboxReason, detail?: string): DetectedSandbox {
  return { state: { kind: 'none', reason, ...(detail === undefined || detail === '' ? {} : { detail }) }, program: undefined }
}

async function firstExecutable(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isExecutable(path)) return path
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
