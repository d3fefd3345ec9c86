/** The command line of `bwrap` for one command. Pure: what is there was looked up before. */
import type { MaskedSecrets } from './masked-secrets.ts'
import type { PrivatePlaces } from './private-places.ts'
import type { ProtectedEntries } from './protected-entries.ts'

export interface BwrapPlan {
  /** Absolute path of bwrap. */
  readonly program: string
  /** Free of links; `undefined` for a trial without one. */
  readonly workspace: string | undefined
  /** Where the command starts; default the workspace. */
  readonly folder?: string
  readonly places: PrivatePlaces
  readonly entries: ProtectedEntries | undefined
  /** Of the workspace, seen as nothing. */
  readonly secrets?: MaskedSecrets
  /** Further things to be seen: sockets and programs of ours. */
  readonly shown?: readonly { readonly source: string; readonly path: string }[]
  /** The network as the machine has it. */
  readonly network?: boolean
  /** File descriptor of a seccomp program. */
  readonly seccompFd: number | undefined
  /** Program and arguments; run as they are. */
  readonly argv: readonly string[]
}

/** In memory, so bounded: the temporary folder and the home a command sees. */
const PRIVATE_BYTES = 1024 * 1024 * 1024
/** Root outside must not look like root inside: programs would try what they are not allowed. */
const ROOTS_ID = 1000

interface Mount {
  readonly path: string
  readonly options: readonly string[]
}

export function bwrapArguments(plan: BwrapPlan): string[] {
  const asRoot = process.getuid?.() === 0
  return [
    plan.program,
    '--unshare-user',
    ...(asRoot ? ['--uid', String(ROOTS_ID), '--gid', String(ROOTS_ID)] : []),
    '--disable-userns',
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(plan.network === true ? [] : ['--unshare-net']),
    '--hostname',
    'sandbox',
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    ...orderedMounts(plan).flatMap((mount) => mount.options),
    ...(plan.seccompFd === undefined ? [] : ['--seccomp', String(plan.seccompFd)]),
    ...(plan.workspace === undefined ? [] : ['--chdir', plan.folder ?? plan.workspace]),
    '--',
    ...plan.argv,
  ]
}

/** Outer folders first: what lies deeper is mounted over them. */
function orderedMounts({ places, workspace, entries, secrets, shown }: BwrapPlan): Mount[] {
  const mounts: Mount[] = [
    ...places.hidden.map((path) => ({ path, options: ['--size', String(PRIVATE_BYTES), '--tmpfs', path] })),
    ...places.visible.map(({ source, path }) => ({ path, options: ['--ro-bind', source, path] })),
    ...places.readOnly.map((path) => ({ path, options: ['--ro-bind', path, path] })),
    ...places.masked.map((path) => ({ path, options: ['--ro-bind', '/dev/null', path] })),
  ]
  if (workspace !== undefined) mounts.push({ path: workspace, options: ['--bind', workspace, workspace] })
  for (const path of entries?.pinned ?? []) mounts.push({ path, options: ['--bind', path, path] })
  for (const path of [...(entries?.readOnly ?? []), ...(entries?.standIns ?? [])]) mounts.push({ path, options: ['--ro-bind', path, path] })
  for (const path of secrets?.files ?? []) mounts.push({ path, options: ['--ro-bind', '/dev/null', path] })
  for (const path of secrets?.folders ?? []) mounts.push({ path, options: ['--tmpfs', path, '--remount-ro', path] })
  // Also over what is held at the same place.
  for (const { source, path } of shown ?? []) mounts.push({ path, options: ['--ro-bind', source, path] })
  const depth = ({ path }: Mount): number => path.split('/').length
  // Stable: of two mounts at one place the later one counts.
  return mounts.sort((left, right) => depth(left) - depth(right))
}
