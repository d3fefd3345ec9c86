/** A copy of the bundles whose context thread can be killed from a test: the session worker finds it by its place. */
import { cp, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtBundles } from './built-bundles.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')

export interface MortalBundles {
  readonly bundles: string
  remove(): Promise<void>
}

export async function mortalBundles(): Promise<MortalBundles> {
  const built = await builtBundles()
  const folder = await mkdtemp(path.join(os.tmpdir(), 'metona-mortal-'))
  const bundles = path.join(folder, 'out')
  for (const name of ['session', 'llm', 'tools', 'storage', 'context', 'command-host', 'package.json'])
    await cp(path.join(built, name), path.join(bundles, name), { recursive: true })
  // What is not bundled is found from here.
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  const entry = path.join(bundles, 'context', 'entry.js')
  await rename(entry, path.join(bundles, 'context', 'real-entry.js'))
  const deaths = pathToFileURL(path.join(import.meta.dirname, 'deaths.ts')).href
  await writeFile(
    entry,
    `import { listenForDeath } from ${JSON.stringify(deaths)}\nlistenForDeath('context')\nexport * from './real-entry.js'\n`,
  )
  return { bundles, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) }
}
