/** A process that runs commands in the sandbox, as the user of the test or as an ordinary one made for it. */
import { execFileSync, spawn } from 'node:child_process'
import { chmod, chown, copyFile, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join, resolve } from 'node:path'
import type { NetworkRefusal } from '#contracts/tools/allowed-domains.ts'
import type { SandboxState } from '#contracts/tools/sandbox-state.ts'
import type { MadeUpNetwork } from './made-up-network-entry.ts'
import { buildTarget } from '#main/build/build-target.ts'
import type { CommandExit } from '#workers/tools/commands/command-runner.ts'

export interface BenchPlace {
  readonly workspace: string
  readonly profile: string
  readonly commandHost: string
  readonly memoryBytes: number
}
export interface BenchCommand {
  readonly id: string
  readonly command: string
  readonly sandboxed: boolean
  readonly timeoutMs?: number
  readonly bare?: boolean
  readonly secrets?: readonly string[]
  readonly domains?: readonly string[]
}
export type BenchEvent =
  | { kind: 'ready'; uid: number; state: SandboxState }
  | { kind: 'host'; pid: number; socketPath: string }
  | { kind: 'started'; id: string; pid: number }
  | {
      kind: 'end'
      id: string
      exit: CommandExit
      text: string
      bytes: number
      durationMs: number
      refused: readonly NetworkRefusal[]
      because?: string | undefined
    }
  | { kind: 'bare'; id: string; durationMs: number }
  | { kind: 'refused'; id: string; message: string }

export interface BenchUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
}

export interface SandboxBench extends BenchPlace {
  /** A folder beside the workspace, of the same owner. */
  readonly outside: string
  readonly home: string
  readonly user: BenchUser
  readonly state: SandboxState
  readonly uid: number
  readonly pid: number
  readonly hosts: readonly { pid: number; socketPath: string }[]
  run(
    command: string,
    options?: { sandboxed?: boolean; timeoutMs?: number; id?: string; secrets?: readonly string[]; domains?: readonly string[] },
  ): Promise<Extract<BenchEvent, { kind: 'end' }>>
  /** @returns the id once the command runs; it is not waited for. */
  start(command: string, sandboxed?: boolean): Promise<string>
  refusal(command: string): Promise<string>
  /** Milliseconds of the same sandboxed command line, started without anything of ours around it. */
  bare(command: string): Promise<number>
  close(): Promise<void>
}

const ROOT = resolve(import.meta.dirname, '..', '..', '..', '..')
/** Less than an app allows: a limit of gigabytes takes long to reach. */
export const MEMORY_BYTES = 1_500_000_000
let counter = 0

export function currentUser(): BenchUser {
  return { name: 'current', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, home: process.env['HOME'] ?? '/' }
}

/** Root only. Remove it with `removeUser`. */
export function makeUser(): BenchUser {
  const name = `metona-t${process.pid}`
  execFileSync('/usr/sbin/useradd', ['--create-home', '--shell', '/bin/bash', name])
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid, , home] = (line ?? '').split(':')
  return { name, uid: Number(uid), gid: Number(gid), home: home as string }
}

export function removeUser(user: BenchUser): void {
  execFileSync('/usr/sbin/userdel', ['--remove', '--force', user.name], { stdio: 'ignore' })
}

/** The users the proofs are made for: as root also an ordinary one. */
export function testUsers(): BenchUser[] {
  return process.getuid?.() === 0 ? [currentUser(), makeUser()] : [currentUser()]
}

let bundles: Promise<string> | undefined
/** Another user may not be able to read the repository, so it gets bundles and a Node of its own. */
function publicBundles(): Promise<string> {
  bundles ??= (async () => {
    const folder = await mkdtemp('/tmp/metona-bundles-')
    await buildTarget(ROOT, folder, {
      kind: 'node',
      output: 'bench/entry.js',
      source: 'tests/workers/tools/sandbox/sandbox-bench-entry.ts',
      format: 'es',
    })
    await buildTarget(ROOT, folder, {
      kind: 'node',
      output: 'command-host/entry.js',
      source: 'main/command-host/entry.ts',
      format: 'es',
    })
    await buildTarget(ROOT, folder, {
      kind: 'node',
      output: 'made-up-network/entry.js',
      source: 'tests/workers/tools/sandbox/made-up-network-entry.ts',
      format: 'es',
    })
    await copyFile(process.execPath, join(folder, 'node'))
    execFileSync('chmod', ['-R', 'a+rX', folder])
    await chmod(join(folder, 'node'), 0o755)
    return folder
  })()
  return bundles
}

export async function removeBundles(): Promise<void> {
  if (bundles !== undefined) await rm(await bundles, { recursive: true, force: true })
  bundles = undefined
}

/**
 * @param env further variables of the process, as an app has them.
 * @param network where the names that commands may reach lead; default the machine's own.
 */
export async function openSandboxBench(
  user: BenchUser,
  env: Readonly<Record<string, string>> = {},
  network?: MadeUpNetwork,
): Promise<SandboxBench> {
  const folder = await publicBundles()
  if (network !== undefined) await writeFile(join(folder, 'made-up-network', 'network.json'), JSON.stringify(network))
  // Where the sandbox shows it, read-only: a hidden folder would prove less.
  const base = await realpath(await mkdtemp(process.getuid?.() === 0 ? '/srv/metona-sandbox-' : '/var/tmp/metona-sandbox-'))
  const [workspace, outside, profile] = [join(base, 'ws'), join(base, 'ws-evil'), join(base, 'profile')]
  await chmod(base, 0o755)
  for (const made of [workspace, outside, profile]) {
    await mkdir(made)
    await chown(made, user.uid, user.gid)
  }
  const place: BenchPlace = {
    workspace,
    profile,
    commandHost: join(folder, network === undefined ? 'command-host' : 'made-up-network', 'entry.js'),
    memoryBytes: MEMORY_BYTES,
  }
  const child = spawn(join(folder, 'node'), [join(folder, 'bench', 'entry.js'), JSON.stringify(place)], {
    cwd: '/',
    uid: user.uid,
    gid: user.gid,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: user.home, LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const hosts: { pid: number; socketPath: string }[] = []
  const waiting = new Map<string, (event: BenchEvent) => void>()
  const gone = new Promise<void>((settle) => child.once('close', () => settle()))
  const ready = new Promise<Extract<BenchEvent, { kind: 'ready' }>>((settle, reject) => {
    child.once('exit', (code, signal) => reject(new Error(`the bench ended (${code ?? signal})`)))
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as BenchEvent
      if (event.kind === 'ready') settle(event)
      else if (event.kind === 'host') hosts.push(event)
      else waiting.get(`${event.kind === 'started' ? 'start' : 'end'} ${event.id}`)?.(event)
    })
  })
  ready.catch(() => undefined)
  const next = (key: string): Promise<BenchEvent> =>
    new Promise((settle, reject) => {
      waiting.set(key, (event) => {
        waiting.delete(key)
        settle(event)
      })
      void gone.then(() => reject(new Error('the bench is gone')))
    })
  const send = (command: Omit<BenchCommand, 'id'>, id = `tc_bench${process.pid}x${counter++}`): string => {
    child.stdin.write(`${JSON.stringify({ id, ...command } satisfies BenchCommand)}\n`)
    return id
  }
  const { state, uid } = await ready
  return {
    ...place,
    outside,
    home: user.home,
    user,
    state,
    uid,
    pid: child.pid ?? -1,
    hosts,
    run: async (command, { sandboxed = true, timeoutMs = 60_000, id, secrets = [], domains = [] } = {}) => {
      const event = await next(`end ${send({ command, sandboxed, timeoutMs, secrets, domains }, id)}`)
      if (event.kind !== 'end') throw new Error(`${command}: ${JSON.stringify(event)}`)
      return event
    },
    start: async (command, sandboxed = true) => {
      const id = send({ command, sandboxed })
      await next(`start ${id}`)
      return id
    },
    refusal: async (command) => {
      const event = await next(`end ${send({ command, sandboxed: true })}`)
      return event.kind === 'refused' ? event.message : `not refused: ${JSON.stringify(event)}`
    },
    bare: async (command) => {
      const event = await next(`end ${send({ command, sandboxed: true, bare: true })}`)
      return event.kind === 'bare' ? event.durationMs : Number.NaN
    },
    close: async () => {
      child.stdin.end()
      const kill = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await gone
      clearTimeout(kill)
      await rm(base, { recursive: true, force: true })
    },
  }
}
