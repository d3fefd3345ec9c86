import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync, appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '#contracts/wire/app-error.ts'

export interface WorkspaceLayout {
  readonly root: string
  readonly internals: string
  readonly logs: string
  readonly traces: string
  readonly database: string
  readonly snapshots: string
  readonly quarantine: string
  readonly trash: string
}

export function layoutOf(root: string): WorkspaceLayout {
  const internals = join(root, '.metona')
  return {
    root,
    internals,
    logs: join(root, 'logs'),
    traces: join(root, 'traces'),
    database: join(internals, 'agent.db'),
    snapshots: join(internals, 'snapshots'),
    quarantine: join(internals, 'quarantine'),
    trash: join(internals, 'trash'),
  }
}

/** `UNSAFE_WORKSPACE`: one of our folders is a link or a file; writing through it would leave the workspace. */
export function checkLayout(layout: WorkspaceLayout): void {
  for (const path of [layout.internals, layout.logs, layout.traces, layout.snapshots, layout.quarantine, layout.trash]) {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat !== undefined && !stat.isDirectory()) throw unsafe(path)
  }
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    const stat = lstatSync(`${layout.database}${suffix}`, { throwIfNoEntry: false })
    if (stat !== undefined && (!stat.isFile() || stat.nlink > 1)) throw unsafe(`${layout.database}${suffix}`)
  }
}

function unsafe(path: string): AppError {
  return new AppError({
    code: 'UNSAFE_WORKSPACE',
    message: `${path} is a link or of the wrong kind; nothing is written through it`,
    params: { path },
  })
}

/** Makes the folders that are missing, and keeps all of them out of version control. Throws where nothing can be written. */
export function makeFolders(layout: WorkspaceLayout): void {
  mkdirSync(layout.internals, { recursive: true, mode: 0o700 })
  ignoreInside(layout.internals)
  for (const folder of [layout.logs, layout.traces]) {
    const isNew = !existsSync(folder)
    mkdirSync(folder, { recursive: true })
    if (isNew) ignoreInside(folder)
    else if (readdirSync(folder).some((name) => isForeign(name))) excludeFromGit(layout.root)
    else ignoreInside(folder)
  }
}

/** A file of ours begins like this in `logs/` and `traces/`; anything else was there before us. */
function isForeign(name: string): boolean {
  return name !== '.gitignore' && name !== 'workspace.jsonl' && !/^(?:session_s_|trace_s_)/.test(name)
}

function ignoreInside(folder: string): void {
  try {
    writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' })
  } catch (error) {
    // There already, perhaps since a moment ago: folders are made before the lock is taken.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

const EXCLUDED = ['/logs/session_s_*.jsonl', '/logs/workspace.jsonl', '/traces/trace_s_*.json']

/** The person's own files are in there: patterns in the repository's private exclude file leave them alone. */
function excludeFromGit(root: string): void {
  const git = join(root, '.git')
  if (!statSync(git, { throwIfNoEntry: false })?.isDirectory() || lstatSync(git).isSymbolicLink()) return
  const info = join(git, 'info')
  const file = join(info, 'exclude')
  if (
    lstatSync(info, { throwIfNoEntry: false })?.isSymbolicLink() === true ||
    lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  )
    return
  mkdirSync(info, { recursive: true })
  const present = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const missing = EXCLUDED.filter((pattern) => !present.split(/\r?\n/).includes(pattern))
  if (missing.length > 0) appendFileSync(file, `${present === '' || present.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`)
}
