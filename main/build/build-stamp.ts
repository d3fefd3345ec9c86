/**
 * `out/build.json`: which version was built, from which sources. The launcher reads it at every start, so
 * it holds all that start needs to see whether the bundles fit; nothing is scanned.
 */
import { createHash } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface TargetStamp {
  /** SHA-256 (hex) over everything the bundle was made from. */
  readonly hash: string
  readonly inputs: readonly string[]
}

export interface BuildStamp {
  /** Version in package.json. */
  readonly version: string
  /** Milliseconds since the epoch, taken before the sources were read: a source changed after it is newer. */
  readonly readAt: number
  /** By output, for example `session/entry.js`. */
  readonly targets: Readonly<Record<string, TargetStamp>>
}

export const STAMP_FILE = 'build.json'

/** The stamp, or undefined when there is none or it cannot be read as one. */
export async function readStamp(out: string): Promise<BuildStamp | undefined> {
  try {
    const stamp = JSON.parse(await readFile(join(out, STAMP_FILE), 'utf8')) as BuildStamp
    return typeof stamp.version === 'string' && typeof stamp.targets === 'object' ? stamp : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function writeStamp(out: string, stamp: BuildStamp): Promise<void> {
  const draft = join(out, `${STAMP_FILE}.${process.pid}.tmp`)
  await writeFile(draft, JSON.stringify(stamp))
  await rename(draft, join(out, STAMP_FILE))
}

/** @returns undefined when an input is gone. `seed` stands for all that is not a source file. */
export async function hashInputs(root: string, inputs: readonly string[], seed: string): Promise<string | undefined> {
  const hash = createHash('sha256').update(seed)
  try {
    for (const input of [...inputs].sort()) hash.update(`\n${input}\n`).update(await readFile(join(root, input)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return hash.digest('hex')
}
