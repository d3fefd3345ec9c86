/**
 * Builds the page when its sources are newer than `out/renderer`; several test files may ask at once.
 * `METONA_BUILD=never`: whoever runs the tests has built it.
 */
import { mkdir, readdir, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const project = fileURLToPath(new URL('../../', import.meta.url))
const LOCK_MS = 120_000

export async function buildRenderer(): Promise<void> {
  const lock = join(project, 'out', 'renderer.lock')
  await mkdir(join(project, 'out'), { recursive: true })
  const until = Date.now() + LOCK_MS
  while (!(await takeLock(lock))) {
    if (Date.now() > until) throw new Error(`another build holds ${lock}`)
    await wait(100)
  }
  try {
    if (await isStale()) await build()
  } finally {
    await rmdir(lock)
  }
}

/** In a process of its own, with the environment of a release: inside a test run Vue would be built with its development checks. */
async function build(): Promise<void> {
  const vite = join(project, 'node_modules', 'vite', 'bin', 'vite.js')
  await promisify(execFile)(
    process.execPath,
    [vite, 'build', '--config', join(project, 'renderer', 'vite.config.ts'), '--logLevel', 'warn'],
    {
      cwd: project,
      env: { ...process.env, NODE_ENV: 'production' },
    },
  )
}

async function takeLock(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const found = await stat(lock).catch(() => undefined)
    // Left behind by a run that was killed.
    if (found !== undefined && Date.now() - found.mtimeMs > LOCK_MS) await rmdir(lock).catch(() => undefined)
    return false
  }
}

async function isStale(): Promise<boolean> {
  const built = await stat(join(project, 'out', 'renderer', 'index.html')).catch(() => undefined)
  if (built === undefined) return true
  if (process.env['METONA_BUILD'] === 'never') return false
  const newest = Math.max(...(await Promise.all(['renderer', 'ipc-contracts'].map((folder) => newestIn(join(project, folder))))))
  return newest > built.mtimeMs
}

async function newestIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const times = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mtimeMs),
  )
  return Math.max(0, ...times)
}
