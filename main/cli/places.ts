/** Where the program's own files are, for the bundle in `out/cli/` and for the sources in `main/cli/`. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HostOptions } from '#main/host/compose.ts'

const HERE = path.dirname(fileURLToPath(import.meta.url))
const FROM_SOURCES = import.meta.url.endsWith('.ts')

/** The folder of package.json. */
export const ROOT = path.dirname(path.dirname(HERE))
export const BUNDLES = FROM_SOURCES ? path.join(ROOT, 'out') : path.dirname(HERE)

/** The entry file of another shell, started beside this one. */
export function shellEntry(shell: 'web'): string {
  return FROM_SOURCES ? path.join(ROOT, 'main', shell, 'entry.ts') : path.join(BUNDLES, shell, 'entry.js')
}

/** What `composeHost` needs to find the workers. */
export const HOST_PLACES: Pick<HostOptions, 'bundles' | 'entryFor' | 'commandHostEntry'> = FROM_SOURCES
  ? {
      bundles: BUNDLES,
      entryFor: (name) => path.join(ROOT, 'workers', name, 'entry.ts'),
      commandHostEntry: path.join(ROOT, 'main', 'command-host', 'entry.ts'),
    }
  : { bundles: BUNDLES }
