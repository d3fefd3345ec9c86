/** Files of the workspace that reading by a tool asks about: a command sees them only when it names them. */
import { createHash } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { protectionOf } from '../domain/protected-paths.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { holdsToken, nameMayHoldToken } from '../files/holds-token.ts'

export interface MaskedSecrets {
  /** Real paths. */
  readonly files: string[]
  readonly folders: string[]
}

const MAX_DEPTH = 4
const MAX_FOLDERS = 400
/** Each costs a mount. */
const MAX_MASKS = 100
const MAX_BYTES = 1024 * 1024
/** A command can write one of any size. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024
/** Others' files, many of them. */
const PASSED_OVER = new Set(['.git', '.metona', 'node_modules', 'vendor', 'target', 'dist', 'build', '.venv', 'venv', '__pycache__'])

/**
 * @param root the workspace, free of links.
 * @param shown real paths that stay to be seen.
 */
export async function findMaskedSecrets(root: string, shown: readonly string[]): Promise<MaskedSecrets> {
  const [files, folders] = [new Set<string>(), new Set<string>()]
  let queue: string[][] = [[]]
  for (let depth = 0, looked = 0; depth < MAX_DEPTH && queue.length > 0; depth++) {
    const next: string[][] = []
    const level = queue.slice(0, MAX_FOLDERS - looked)
    looked += level.length
    // Side by side: a command waits for all of them.
    const listings = await Promise.all(level.map((segments) => readdir(join(root, ...segments), { withFileTypes: true }).catch(() => [])))
    for (const [index, segments] of level.entries())
      for (const entry of listings[index] ?? []) {
        const kind = kindOf(segments.at(-1) ?? '', entry.name)
        if (kind === 'plain' && !entry.isDirectory()) continue
        const inner = [...segments, entry.name]
        if (kind !== 'secret') {
          if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) next.push(inner)
          if (kind === 'plain' || !(await holdsToken(join(root, ...inner), inner))) continue
        }
        const path = await realpath(join(root, ...inner)).catch(() => undefined)
        if (path === undefined || files.size + folders.size >= MAX_MASKS || shown.includes(path)) continue
        const state = await stat(path).catch(() => undefined)
        // A folder elsewhere than in the workspace is hidden already, or it is not ours to cover.
        if (state?.isDirectory() === true && path.startsWith(`${root}/`)) folders.add(path)
        else if (state?.isFile() === true) files.add(path)
      }
    queue = next
  }
  return { files: files.size === 0 ? [] : await withoutCommitted(root, [...files]), folders: [...folders] }
}

type NameKind = 'secret' | 'may hold a token' | 'plain'
const kinds = new Map<string, NameKind>()
const MOST_KINDS = 20_000

/** By the name and that of its folder, which is none that is protected itself: nothing else of a path counts. Thousands are asked for each command. */
function kindOf(folder: string, name: string): NameKind {
  const key = `${folder}/${name}`
  const known = kinds.get(key)
  if (known !== undefined) return known
  const segments = folder === '' ? [name] : [folder, name]
  const kind = protectionOf(segments, 'read') !== undefined ? 'secret' : nameMayHoldToken(segments) ? 'may hold a token' : 'plain'
  if (kinds.size >= MOST_KINDS) kinds.clear()
  kinds.set(key, kind)
  return kind
}

/**
 * What git has under its hash can be read there anyway, and a masked file would be committed as deleted. A command can
 * write git's index, but not the hash of what it cannot read.
 */
async function withoutCommitted(root: string, files: string[]): Promise<string[]> {
  const index = await readIndex(root)
  if (index === undefined) return files
  const masked = await Promise.all(
    files.map(async (path) => {
      const content = await readRegularFile(path, MAX_BYTES)
      if (content === undefined) return [path]
      const blob = Buffer.concat([Buffer.from(`blob ${content.length}\0`), content])
      return ['sha1', 'sha256'].some((name) => index.includes(createHash(name).update(blob).digest())) ? [] : [path]
    }),
  )
  return masked.flat()
}

async function readIndex(root: string): Promise<Buffer | undefined> {
  const pointer = (await readRegularFile(join(root, '.git'), MAX_BYTES))?.toString() ?? ''
  const named = /^gitdir: (.+)$/m.exec(pointer)?.[1]
  return readRegularFile(join(named === undefined ? join(root, '.git') : resolve(root, named.trim()), 'index'), MAX_INDEX_BYTES)
}
