/** What is built: one self-contained bundle per thread or process, found by the name of its entry file. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

export interface NodeTarget {
  readonly kind: 'node'
  /** The bundle, relative to `out/`; `/` on every system. */
  readonly output: string
  /** The entry source, relative to the repository; `/` on every system. */
  readonly source: string
  readonly format: 'es' | 'cjs'
}

export interface PageTarget {
  readonly kind: 'page'
  readonly output: 'renderer'
  readonly source: 'renderer/index.html'
}

export type Target = NodeTarget | PageTarget

/** Bundles without which the app cannot start; the build fails when the source of one is gone. */
export const REQUIRED_OUTPUTS: readonly string[] = [
  'session/entry.js',
  'llm/entry.js',
  'tools/entry.js',
  'storage/entry.js',
  'context/entry.js',
  'command-host/entry.js',
  'cli/entry.js',
  'web/entry.js',
  'electron/main.js',
  'electron/preload.cjs',
  'renderer',
]

/** Never bundled: native, found by path at run time, or given by the shell. */
export const EXTERNAL_PACKAGES: readonly string[] = ['better-sqlite3', 'piscina', 'electron', '@vscode/ripgrep', 'web-tree-sitter']

const FOLDERS = [
  'workers/session',
  'workers/llm',
  'workers/tools',
  'workers/storage',
  'workers/context',
  'main/command-host',
  'main/cli',
  'main/web',
  'main/host',
]
const ENTRY = /^(?:[a-z-]+-)?entry\.ts$/

/** `workers/llm/entry.ts` becomes `llm/entry.js`, `workers/tools/pool-entry.ts` becomes `tools/pool-entry.js`. */
export function findTargets(root: string): Target[] {
  const targets: Target[] = []
  for (const folder of FOLDERS) {
    const thread = folder.slice(folder.indexOf('/') + 1)
    for (const file of namesIn(join(root, folder)).filter((name) => ENTRY.test(name))) {
      targets.push({ kind: 'node', output: `${thread}/${file.replace(/\.ts$/, '.js')}`, source: `${folder}/${file}`, format: 'es' })
    }
  }
  const electron = namesIn(join(root, 'main/electron'))
  if (electron.includes('index.ts'))
    targets.push({ kind: 'node', output: 'electron/main.js', source: 'main/electron/index.ts', format: 'es' })
  // A sandboxed preload script must be CommonJS.
  if (electron.includes('preload.ts'))
    targets.push({ kind: 'node', output: 'electron/preload.cjs', source: 'main/electron/preload.ts', format: 'cjs' })
  for (const file of electron.filter((name) => ENTRY.test(name))) {
    targets.push({ kind: 'node', output: `electron/${file.replace(/\.ts$/, '.js')}`, source: `main/electron/${file}`, format: 'es' })
  }
  if (namesIn(join(root, 'renderer')).includes('index.html'))
    targets.push({ kind: 'page', output: 'renderer', source: 'renderer/index.html' })
  return targets
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
