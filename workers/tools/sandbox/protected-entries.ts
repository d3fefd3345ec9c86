/** What of a workspace a sandboxed command must not change: what is there, what is not there, and what is a link. */
import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { isStandInTime } from '#contracts/tools/stand-in-stamp.ts'
import { foldName, protectionOf } from '../domain/protected-paths.ts'
import { ToolError } from '../domain/tool-error.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { HELD_INFO_NAMES, RECORD_FOLDERS, SEALED_GIT_NAMES, SEALED_NAMES } from './sealed-names.ts'

export interface ProtectedEntries {
  /** Existing, to be mounted read-only onto themselves. */
  readonly readOnly: string[]
  /** Folders to be mounted onto themselves, writable, so that they cannot be moved away with what is protected in them. */
  readonly pinned: string[]
  /** Absent. */
  readonly standIns: string[]
  readonly links: { path: string; target: string }[]
  /** Absent, and cannot be held by a stand-in; must be absent afterwards. */
  readonly unwanted: string[]
}

/** Packages are added by commands; what its scripts run, runs in the sandbox as well. */
const WRITABLE = new Set(['package.json'])
/** Of a file that says where a repository is. */
const MOST_BYTES = 64 * 1024

/**
 * @param root the workspace, free of links.
 * @throws ToolError when a protected name leads to a place that cannot be held.
 */
export async function findProtectedEntries(root: string): Promise<ProtectedEntries> {
  const found: ProtectedEntries = { readOnly: [], pinned: [], standIns: [], links: [], unwanted: [] }
  const there = new Set<string>()
  const head = lstat(join(root, 'HEAD')).catch(ignoreGone)
  head.catch(() => undefined)
  const names = (await readdir(root)).filter(isProtected)
  const states = await Promise.all(names.map((name) => lstat(join(root, name)).catch(ignoreGone)))
  for (const [index, name] of names.entries()) {
    const path = join(root, name)
    const state = states[index]
    if (state === undefined || isStale(state)) continue
    there.add(name)
    if (state.isSymbolicLink()) await addLink(found, root, path)
    else if (name === '.git') await addRepository(found, root, path, state.isDirectory())
    else found.readOnly.push(path)
  }
  // With a HEAD of its own the folder itself may count as a repository; and git takes any file of that name for a revision.
  if ((await head) === undefined) found.unwanted.push(join(root, 'HEAD'))
  for (const name of SEALED_NAMES) if (!there.has(name)) found.standIns.push(join(root, name))
  return found
}

function isProtected(name: string): boolean {
  if (WRITABLE.has(foldName(name))) return false
  return protectionOf([name], 'write') !== undefined || SEALED_NAMES.includes(name) || RECORD_FOLDERS.includes(name)
}

/** Left by a host that was killed: as good as absent, and the next host takes it over. */
function isStale(state: { mtimeMs: number; isDirectory(): boolean }): boolean {
  return state.isDirectory() && isStandInTime(state.mtimeMs)
}

/** What a link leads to is held in place; the link itself cannot be, and is put back afterwards. */
async function addLink(found: ProtectedEntries, root: string, path: string): Promise<void> {
  const target = await readlink(path)
  found.links.push({ path, target })
  const real = await realpath(path).catch(() => undefined)
  if (real === undefined) {
    if (isBelow(resolve(dirname(path), target), root)) throw unheld(root, path)
    return
  }
  if (real === root || isBelow(root, real)) throw unheld(root, path)
  if (!isBelow(real, root)) return
  found.readOnly.push(real)
  pinAbove(found, root, real)
}

/** git runs what its configuration and hooks say; the rest of it has to change when files are staged and committed. */
async function addRepository(found: ProtectedEntries, root: string, path: string, isFolder: boolean): Promise<void> {
  let folder = path
  if (!isFolder) {
    found.readOnly.push(path)
    const pointer = (await readRegularFile(path, MOST_BYTES))?.toString() ?? ''
    const named = /^gitdir: (.+)$/m.exec(pointer)?.[1]
    const real = named === undefined ? undefined : await realpath(resolve(root, named.trim())).catch(() => undefined)
    if (real === undefined || !isBelow(real, root)) return
    folder = real
    pinAbove(found, root, folder)
  }
  found.pinned.push(folder)
  const states = await Promise.all(SEALED_GIT_NAMES.map((name) => lstat(join(folder, name)).catch(ignoreGone)))
  for (const [index, name] of SEALED_GIT_NAMES.entries()) {
    const inner = join(folder, name)
    const state = states[index]
    if (state !== undefined && !isStale(state)) {
      if (state.isSymbolicLink()) await addLink(found, root, inner)
      else found.readOnly.push(inner)
      // git takes the mere presence of a commondir for a different layout.
    } else if (name === 'commondir') found.unwanted.push(inner)
    else if (name !== 'modules') found.standIns.push(inner)
  }
  await addInfo(found, join(folder, 'info'))
}

/** git writes there what is its own affair (`sparse-checkout`, `refs`), and obeys the person's lists. */
async function addInfo(found: ProtectedEntries, folder: string): Promise<void> {
  if ((await lstat(folder).catch(ignoreGone))?.isDirectory() !== true) return
  found.pinned.push(folder)
  for (const name of HELD_INFO_NAMES) {
    const path = join(folder, name)
    if ((await lstat(path).catch(ignoreGone))?.isFile() === true) found.readOnly.push(path)
  }
}

function pinAbove(found: ProtectedEntries, root: string, path: string): void {
  for (let folder = dirname(path); isBelow(folder, root); folder = dirname(folder))
    if (!found.pinned.includes(folder)) found.pinned.push(folder)
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(root === sep ? root : `${root}${sep}`) && path !== root
}

function unheld(root: string, path: string): ToolError {
  return new ToolError(
    'SANDBOX_FOLDER',
    `The command was not run: ${path.slice(root.length + 1)} is a link to a place the sandbox cannot hold. Ask the person to replace the link or to turn the sandbox off for this session.`,
  )
}

function ignoreGone(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
