/** Reads what strace saw a program do to files: `strace -f -xx -s 100000000 -e trace=…` with the calls below. */

export type DiskOperation =
  | { readonly kind: 'open'; readonly path: string; readonly file: number; readonly created: boolean; readonly truncated: boolean }
  | { readonly kind: 'write'; readonly file: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly size: number }
  | { readonly kind: 'sync'; readonly file: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'link'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'mkdir'; readonly path: string }
  | { readonly kind: 'say'; readonly text: string }

export const TRACED_CALLS =
  'openat,open,close,write,pwrite64,writev,pwritev,lseek,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,dup,dup2,dup3,fcntl,copy_file_range,sendfile,fallocate'

interface OpenFile {
  readonly file: number
  position: number
  readonly append: boolean
}

/**
 * Operations under `root`, in the order in which they were complete; what is written to standard output is `say`.
 * @throws on a call that changes files in a way this reader does not understand, so that none is overlooked.
 */
export function readStrace(text: string, root: string): DiskOperation[] {
  const operations: DiskOperation[] = []
  const descriptors = new Map<number, OpenFile>()
  const files = new Map<string, number>()
  const sizes: number[] = []
  const unfinished = new Map<string, string>()
  const inRoot = (path: string): boolean => path === root || path.startsWith(`${root}/`)

  const write = (fd: number, bytes: Buffer, at: number | undefined): void => {
    if (fd === 1) return void operations.push({ kind: 'say', text: bytes.toString('utf8') })
    const open = descriptors.get(fd)
    if (open === undefined) return
    const offset = at ?? (open.append ? (sizes[open.file] ?? 0) : open.position)
    operations.push({ kind: 'write', file: open.file, offset, bytes })
    sizes[open.file] = Math.max(sizes[open.file] ?? 0, offset + bytes.length)
    if (at === undefined) open.position = offset + bytes.length
  }
  const open = (path: string, flags: string, fd: number): void => {
    descriptors.delete(fd)
    if (!inRoot(path)) return
    const known = files.get(path)
    const file = known ?? sizes.push(0) - 1
    files.set(path, file)
    const truncated = flags.includes('O_TRUNC')
    if (truncated) sizes[file] = 0
    operations.push({ kind: 'open', path, file, created: known === undefined && flags.includes('O_CREAT'), truncated })
    descriptors.set(fd, { file, position: 0, append: flags.includes('O_APPEND') })
  }
  const move = (from: string, to: string): void => {
    const file = files.get(from)
    if (file === undefined) return
    files.delete(from)
    files.set(to, file)
  }

  const call = (name: string, args: string, result: number): void => {
    if (result < 0) return
    const strings = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g)].map((match) => {
      if (match[2] !== undefined) throw new Error(`strace cut a string of ${name}`)
      return Buffer.from((match[1] ?? '').replaceAll('\\x', ''), 'hex')
    })
    const path = (index: number): string => strings[index]?.toString('utf8') ?? ''
    const fd = Number.parseInt(args, 10)
    const numbers = args
      .replace(/"[^"]*"(?:\.\.\.)?/g, '')
      .split(',')
      .map((part) => Number.parseInt(part, 10))
    switch (name) {
      case 'open':
      case 'openat':
        return open(path(0), args, result)
      case 'close':
        return void descriptors.delete(fd)
      case 'write':
        return write(fd, (strings[0] ?? Buffer.alloc(0)).subarray(0, result), undefined)
      case 'pwrite64':
        return write(fd, (strings[0] ?? Buffer.alloc(0)).subarray(0, result), numbers.at(-1))
      case 'writev':
      case 'pwritev':
        return write(fd, Buffer.concat(strings).subarray(0, result), name === 'pwritev' ? numbers.at(-1) : undefined)
      case 'lseek': {
        const target = descriptors.get(fd)
        if (target !== undefined) target.position = result
        return
      }
      case 'ftruncate': {
        const target = descriptors.get(fd)
        if (target === undefined) return
        sizes[target.file] = numbers[1] ?? 0
        return void operations.push({ kind: 'truncate', file: target.file, size: numbers[1] ?? 0 })
      }
      case 'fsync':
      case 'fdatasync': {
        const target = descriptors.get(fd)
        if (target !== undefined) operations.push({ kind: 'sync', file: target.file })
        return
      }
      case 'rename':
      case 'renameat':
      case 'renameat2':
        if (!inRoot(path(0))) return
        move(path(0), path(1))
        return void operations.push({ kind: 'rename', from: path(0), to: path(1) })
      case 'link':
      case 'linkat':
        if (!inRoot(path(0))) return
        files.set(path(1), files.get(path(0)) ?? -1)
        return void operations.push({ kind: 'link', from: path(0), to: path(1) })
      case 'unlink':
      case 'unlinkat':
        if (!inRoot(path(0))) return
        files.delete(path(0))
        return void operations.push({ kind: 'unlink', path: path(0) })
      case 'mkdir':
      case 'mkdirat':
        if (inRoot(path(0))) operations.push({ kind: 'mkdir', path: path(0) })
        return
      case 'dup':
      case 'dup2':
      case 'dup3':
      case 'fcntl':
        if (descriptors.has(fd) && (name !== 'fcntl' || args.includes('F_DUPFD'))) throw new Error(`${name} of a file under test`)
        return
      default:
        if (descriptors.has(fd)) throw new Error(`strace reader: ${name} is not understood`)
    }
  }

  for (const line of text.split('\n')) {
    const match = /^(\d+)\s+(.*)$/.exec(line)
    if (match === null) continue
    const [, pid = '', rest = ''] = match
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(pid, rest.slice(0, -'<unfinished ...>'.length))
      continue
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    const whole = resumed === null ? rest : `${unfinished.get(pid) ?? ''}${resumed[1] ?? ''}`
    const parsed = /^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)/s.exec(whole)
    if (parsed === null || parsed[3] === '?') continue
    call(parsed[1] ?? '', parsed[2] ?? '', Number(parsed[3]))
  }
  return operations
}
