/** Puts a command into the sandbox of this machine. Tools and servers of other programs use the same one. */
import { realpath } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { relative, sep } from 'node:path'
import type { Confinement } from '#contracts/tools/command-host-protocol.ts'
import type { SandboxReason, SandboxState } from '#contracts/tools/sandbox-state.ts'
import type { CommandRunner } from '../commands/command-runner.ts'
import { ToolError } from '../domain/tool-error.ts'
import type { BwrapPlan } from './bwrap-arguments.ts'
import type { DetectedSandbox } from './detect-sandbox.ts'
import type { MaskedSecrets } from './masked-secrets.ts'
import type { PrivatePlaces } from './private-places.ts'
import type { ProtectedEntries } from './protected-entries.ts'

type Shown = NonNullable<BwrapPlan['shown']>[number]

export interface CommandToWrap {
  /** The folder it may write in. */
  readonly workspace: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Real paths of secrets in the folder that it sees; others are masked. */
  readonly secrets?: readonly string[]
  /** For a server that the person lets have it: the network of the machine. A command never has it. */
  readonly network?: boolean
  /** Names a command may reach nevertheless, as `ALLOWED_DOMAIN` writes them. */
  readonly domains?: readonly string[]
}

/** To be handed to `CommandRunner.start` as it is. */
export interface WrappedCommand {
  readonly argv: readonly string[]
  readonly env: Record<string, string>
  readonly cwd: string
  readonly confinement?: Confinement
  /** Secrets in the workspace that it sees as nothing; absent where none is. */
  readonly masked?: MaskedForCommand
}

export interface MaskedForCommand {
  /** Below the workspace. */
  readonly names: readonly string[]
  /** git inside takes them for ignored. */
  readonly ignored: boolean
}

export interface Sandbox {
  /** Tried at the first call, then known. Never rejects for what the machine lacks. */
  state(): Promise<SandboxState>
  /** Why commands in this folder cannot be held; undefined when they can. */
  unheld(workspace: string): Promise<SandboxReason | undefined>
  /** Whether the domains that a command may reach can be opened to it here. */
  opensDomains(): Promise<boolean>
  /**
   * The same command inside the sandbox, without network unless it is asked for.
   * @throws ToolError when there is no sandbox, or something in the folder cannot be held.
   */
  wrap(command: CommandToWrap): Promise<WrappedCommand>
}

/** Lead to programs outside: agents for keys, sockets of the session, proxies that are out of reach. */
const DROPPED = /^(SSH_AUTH_SOCK|XDG_RUNTIME_DIR|DBUS_SESSION_BUS_ADDRESS|(https?|no|all)_proxy)$/i
const TEMPORARY = ['TMPDIR', 'TEMP', 'TMP']

/**
 * @param own folders of the app that no command may see.
 * @param memoryBytes what the processes of one command may use together.
 */
export function createSandbox(commands: CommandRunner, own: readonly string[], memoryBytes = memoryLimit()): Sandbox {
  let detected: Promise<DetectedSandbox> | undefined
  const places = new Map<string, Promise<PrivatePlaces>>()

  const detect = (): Promise<DetectedSandbox> => {
    detected ??= import('./detect-sandbox.ts')
      .then(({ detectSandbox }) => detectSandbox(commands))
      .catch((error: unknown) => {
        detected = undefined
        throw error
      })
    return detected
  }
  /** The same for all commands of a run, as a rule. */
  const placesFor = (env: Readonly<Record<string, string>>): Promise<PrivatePlaces> => {
    const key = `${env['HOME']}\0${env['PATH']}`
    const known = places.get(key)
    if (known !== undefined) return known
    const looked = import('./private-places.ts').then(({ findPrivatePlaces }) => findPrivatePlaces(env, own))
    if (places.size > 20) places.clear()
    places.set(key, looked)
    looked.catch(() => {
      if (places.get(key) === looked) places.delete(key)
    })
    return looked
  }
  const unheld = async (workspace: string): Promise<SandboxReason | undefined> => {
    const { state, program } = await detect()
    if (program === undefined) return state.reason ?? 'failed'
    const root = await realpath(workspace).catch(() => undefined)
    // The guard of the command host is told of folders line by line.
    if (root === undefined || root.includes('\n')) return 'folder'
    const home = process.env['HOME']
    const [{ hidden }, ...profiles] = await Promise.all([
      placesFor({ PATH: '', ...(home === undefined ? {} : { HOME: home }) }),
      ...own.map((folder) => realpath(folder).catch(() => folder)),
    ])
    const holds = (folder: string): boolean => folder === root || folder.startsWith(root === sep ? sep : `${root}${sep}`)
    return hidden.some((folder) => holds(folder) && !profiles.includes(folder)) ? 'folder' : undefined
  }

  return {
    state: async () => (await detect()).state,
    unheld,
    opensDomains: async () => {
      const { networkProgram } = await import('./network-arguments.ts')
      return (await networkProgram()) !== undefined
    },
    wrap: async (command) => {
      const { state, program } = await detect()
      const reason = unheld(command.workspace)
      // Awaited below; until then nobody listens.
      reason.catch(() => undefined)
      const workspace = await realpath(command.workspace).catch(() => undefined)
      // What is there is looked up meanwhile: the command waits for each step.
      const looked = state.kind === 'bwrap' && workspace !== undefined ? lookAround(workspace, command.secrets ?? []) : undefined
      // Of no interest where there is no sandbox.
      looked?.catch(() => undefined)
      if (program === undefined || workspace === undefined || (await reason) !== undefined)
        throw new ToolError('NO_SANDBOX', 'The command was not run: it was to run in the sandbox, and there is none for it now.')
      const env = Object.fromEntries(Object.entries(command.env).filter(([name]) => !DROPPED.test(name)))
      if (looked === undefined) {
        const { seatbeltArguments } = await import('./seatbelt-arguments.ts')
        return { argv: await seatbeltArguments(program, workspace, env, own, command.argv), env, cwd: workspace }
      }
      const [{ bwrapArguments }, { limitArguments, PROCESS_LIMIT }, { seccompFilter }] = await Promise.all([
        import('./bwrap-arguments.ts'),
        import('./limit-arguments.ts'),
        import('./seccomp-filter.ts'),
      ])
      const way = (command.domains ?? []).length === 0 ? undefined : await import('./network-arguments.ts')
      const node = await way?.networkProgram()
      for (const name of TEMPORARY) if (env[name] !== undefined) env[name] = '/tmp'
      const seccomp = seccompFilter()
      const [{ entries, secrets }, seen] = await Promise.all([looked, placesFor(env)])
      const excludes = await gitExcludes(workspace, secrets, own)
      const shown = [
        ...(command.network === true ? await nameServers() : []),
        ...(node === undefined ? [] : [node]),
        ...(excludes === undefined ? [] : [excludes]),
      ]
      const inside = limitArguments(way === undefined || node === undefined ? command.argv : way.networkArguments(command.argv))
      const argv = bwrapArguments({
        program,
        workspace,
        places: seen,
        entries,
        secrets,
        shown,
        ...(command.network === true ? { network: true } : {}),
        seccompFd: seccomp === undefined ? undefined : 3,
        argv: inside,
      })
      const names = [...secrets.files, ...secrets.folders]
        .map((path) => relative(workspace, path))
        .filter((name) => !name.startsWith(`..${sep}`))
      return {
        argv,
        ...(names.length === 0 ? {} : { masked: { names, ignored: excludes !== undefined } }),
        env: node === undefined ? env : { ...env, ...way?.NETWORK_ENVIRONMENT },
        cwd: workspace,
        confinement: {
          root: workspace,
          commandAt: argv.length - inside.length,
          standIns: entries.standIns,
          links: entries.links,
          unwanted: entries.unwanted,
          limits: { memoryBytes, processes: PROCESS_LIMIT / 2 },
          ...(seccomp === undefined ? {} : { seccomp }),
          ...(node === undefined ? {} : { domains: [...(command.domains ?? [])] }),
        },
      }
    },
  }
}

async function lookAround(workspace: string, secrets: readonly string[]): Promise<{ entries: ProtectedEntries; secrets: MaskedSecrets }> {
  const [{ findProtectedEntries }, { findMaskedSecrets }] = await Promise.all([
    import('./protected-entries.ts'),
    import('./masked-secrets.ts'),
  ])
  const [entries, masked] = await Promise.all([findProtectedEntries(workspace), findMaskedSecrets(workspace, secrets)])
  return { entries, secrets: masked }
}

/** Without the list git stops at masked files, which is no reason not to run the command. */
async function gitExcludes(workspace: string, secrets: MaskedSecrets, [folder]: readonly string[]): Promise<Shown | undefined> {
  if (folder === undefined || secrets.files.length + secrets.folders.length === 0) return undefined
  const { excludesForGit } = await import('./git-excludes.ts')
  return excludesForGit(workspace, secrets, folder).catch(() => undefined)
}

/** Where names are looked up is often said in a folder that is hidden. */
async function nameServers(): Promise<Shown[]> {
  const source = await realpath('/etc/resolv.conf').catch(() => undefined)
  return source === undefined || source === '/etc/resolv.conf' ? [] : [{ source, path: source }]
}

/** Half of the machine's memory, 8 GiB at most: the rest is for the app, the model and everything else. */
function memoryLimit(): number {
  return Math.min(8 * 1024 ** 3, totalmem() / 2)
}
