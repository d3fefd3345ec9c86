/** A repository of a few files that the bundler can build in a moment, with the real packages behind it. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const REAL = join(import.meta.dirname, '..', '..', '..')

export interface SmallRepository {
  readonly root: string
  readonly out: string
  write(path: string, content: string): Promise<void>
  remove(): Promise<void>
}

/** @param name part of the folder's name; may hold spaces and Chinese characters */
export async function smallRepository(name: string): Promise<SmallRepository> {
  const root = await mkdtemp(join(tmpdir(), `metona-${name}-`))
  const write = async (path: string, content: string): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  await symlink(join(REAL, 'node_modules'), join(root, 'node_modules'), 'dir')
  await write(
    'package.json',
    JSON.stringify({ name: 'small', version: '1.0.0', type: 'module', imports: { '#contracts/*': './ipc-contracts/*' } }),
  )
  return { root, out: join(root, 'out'), write, remove: () => rm(root, { recursive: true, force: true }) }
}
