import { readFileSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { parse, sep } from 'node:path'

export type SpecialFolder = 'root' | 'home' | 'network'

const NETWORK_TYPES: ReadonlySet<string> = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  '9p',
  'afs',
  'ceph',
  'glusterfs',
  'lustre',
  'fuse.sshfs',
  'fuse.rclone',
  'fuse.gvfsd-fuse',
  'fuse.davfs2',
  'davfs',
  'ncpfs',
  'coda',
])

/** Folders that hold too much, or belong to another machine, to be a workspace by accident. `path` is a real path. */
export function specialFolder(path: string): SpecialFolder | undefined {
  if (parse(path).root === path) return 'root'
  const home = realHome()
  if (home !== undefined && (home === path || home.startsWith(path.endsWith(sep) ? path : `${path}${sep}`))) return 'home'
  return isNetworkPath(path) ? 'network' : undefined
}

function realHome(): string | undefined {
  try {
    return realpathSync(homedir())
  } catch {
    // A home folder that does not exist cannot be opened either.
    return undefined
  }
}

function isNetworkPath(path: string): boolean {
  if (process.platform === 'win32') return path.startsWith('\\\\')
  if (process.platform === 'darwin') return /^\/(?:net|Network)\//.test(path)
  try {
    return NETWORK_TYPES.has(fileSystemType(path, readFileSync('/proc/self/mountinfo', 'utf8')))
  } catch {
    // No /proc: nothing is known of mounts.
    return false
  }
}

/** Type of the file system a real path lies on, by the longest mount point that contains it (of equal ones the last). */
export function fileSystemType(path: string, mountInfo: string): string {
  let best = ''
  let type = ''
  for (const line of mountInfo.split('\n')) {
    const [left, right] = line.split(' - ')
    const point = left?.split(' ')[4]?.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    if (point === undefined || right === undefined) continue
    const contains = path === point || path.startsWith(point === '/' ? '/' : `${point}/`)
    if (contains && point.length >= best.length) {
      best = point
      type = right.split(' ')[0] ?? ''
    }
  }
  return type
}
