/**
 * git cannot add what is masked, and stops at it: `git add -A` would fail in every folder with a `.env` that nobody has
 * committed. So a command sees the folder's own list of what git passes over (`.git/info/exclude`) with the masked names added.
 * The list on disk stays as it is, and lists of the person's own stay in force.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { readRegularFile } from '../files/read-regular-file.ts'
import type { MaskedSecrets } from './masked-secrets.ts'

const MAX_BYTES = 256 * 1024
const LINE_BREAK = 10
/** Without use; a command that sees one has it mounted by then. */
const KEPT_SECONDS = 24 * 3600

/**
 * @param root the workspace, free of links.
 * @param folder of the app, where the list to be seen is kept.
 * @returns what is to be seen where; undefined where nothing is masked or git keeps no list here.
 */
export async function excludesForGit(
  root: string,
  secrets: MaskedSecrets,
  folder: string,
): Promise<{ source: string; path: string } | undefined> {
  const patterns = [
    ...secrets.files.map((path) => patternFor(root, path, '')),
    ...secrets.folders.map((path) => patternFor(root, path, '/')),
  ].filter((pattern) => pattern !== undefined)
  if (patterns.length === 0) return undefined
  const path = join(await repositoryOf(root), 'info', 'exclude')
  // Elsewhere than in the folder nothing is covered.
  if (!path.startsWith(`${root}${sep}`)) return undefined
  // A command that still runs may exchange it, and what is read here the next one sees: it must not be another file's text.
  const list = await readRegularFile(path, MAX_BYTES, path)
  if (list === undefined) return undefined
  const end = list.length === 0 || list.at(-1) === LINE_BREAK ? '' : '\n'
  return { source: await keep(folder, Buffer.concat([list, Buffer.from(`${end}${patterns.join('\n')}\n`)])), path }
}

/** Masked files may lie elsewhere, behind a link. */
function patternFor(root: string, path: string, end: string): string | undefined {
  const below = relative(root, path)
  // A name with a line break cannot be written in such a list.
  if (below.startsWith(`..${sep}`) || /[\r\n]/.test(below)) return undefined
  return `/${below.replaceAll(/[\\*?[\]!# ]/g, '\\$&')}${end}`
}

/** In a worktree the list is the main repository's, as the names under which it is looked for there say. */
async function repositoryOf(root: string): Promise<string> {
  const own = join(root, '.git')
  const named = /^gitdir: (.+)$/m.exec(await readPointer(own))?.[1]
  if (named === undefined) return own
  const folder = resolve(root, named.trim())
  const common = (await readPointer(join(folder, 'commondir'))).trim()
  return common === '' ? folder : resolve(folder, common)
}

async function readPointer(path: string): Promise<string> {
  return (await readRegularFile(path, MAX_BYTES))?.toString() ?? ''
}

/** Named by its content, so that a list once made is never changed under a command that sees it. */
async function keep(folder: string, bytes: Buffer): Promise<string> {
  const place = join(folder, 'sandbox-excludes')
  const path = join(place, createHash('sha256').update(bytes).digest('hex').slice(0, 32))
  const now = Date.now() / 1000
  if ((await readFile(path).catch(() => undefined))?.equals(bytes) === true) {
    await utimes(path, now, now)
    return path
  }
  await mkdir(place, { recursive: true, mode: 0o700 })
  // Of its own: commands that start at once make the same list.
  const draft = `${path}.${randomUUID()}.tmp`
  await writeFile(draft, bytes, { mode: 0o600, flag: 'wx' })
  await rename(draft, path)
  for (const name of await readdir(place)) {
    const older = join(place, name)
    const state = await stat(older).catch(() => undefined)
    if (state !== undefined && now - state.mtimeMs / 1000 > KEPT_SECONDS) await rm(older, { force: true })
  }
  return path
}
