/** Files of the workspace that a server's command names: what is in them is part of what the person agrees to. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'

/** What is larger is told by its size and times alone. */
const READ_LIMIT = 64 * 1024 * 1024
/** No interpreter runs it, and it changes whenever the server works. */
const DATABASE = Buffer.from('SQLite format 3\0')

/**
 * @returns hashes by path as seen from the workspace, for whatever the agent could rewrite. Only what is named: what a
 * program loads by itself is not looked at.
 */
export async function launchFiles(entry: McpServerEntry, workspace: string): Promise<Record<string, string>> {
  if (entry.transport !== 'stdio') return {}
  const root = await realpath(workspace)
  const words = [entry.command ?? '', ...(entry.args ?? [])].flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
  const files: Record<string, string> = {}
  for (const word of new Set(words)) {
    const path = resolve(root, word)
    const real = await realpath(path).catch(() => undefined)
    // A link in the folder may be led elsewhere, one outside may lead into it.
    if (real === undefined || !(isInside(root, path) || isInside(root, real))) continue
    const hash = await hashOf(real).catch(() => 'cannot be read')
    if (hash !== undefined) files[relative(root, path)] = hash
  }
  return files
}

export function isSameFiles(left: Readonly<Record<string, string>> = {}, right: Readonly<Record<string, string>> = {}): boolean {
  const names = Object.keys(left)
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name])
}

async function hashOf(path: string): Promise<string | undefined> {
  const found = await stat(path, { bigint: true })
  if (!found.isFile()) return undefined
  if (found.size > READ_LIMIT) return `${found.size} bytes, inode ${found.ino}, changed ${found.ctimeNs}`
  const hash = createHash('sha256')
  let first: Buffer | undefined
  await pipeline(createReadStream(path), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      first ??= chunk
      hash.update(chunk)
    }
  })
  return first?.subarray(0, DATABASE.length).equals(DATABASE) === true ? 'a database' : `sha256 ${hash.digest('hex')}`
}

function isInside(root: string, path: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}
