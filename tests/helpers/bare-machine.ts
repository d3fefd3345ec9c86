/**
 * A machine as somebody has it who never built software: the ordinary programs of the system, an older Node and a
 * chosen npm, no compiler and no Python. Made of links in one folder, which is then the whole PATH.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
/** Of the system's programs, those a fresh machine may lack, and those that are put in by choice. */
const LEFT_OUT =
  /^(?:.*python.*|pip.*|g?make|cmake|ninja|g\+\+.*|gcc.*|cc|c\+\+|c\d\d|clang.*|cpp.*|ld.*|as|node|nodejs|npm|npx|corepack|yarn.*|pnpm.*|node-gyp|xdg-open|chromium.*|.*-linux-gnu-.*)$/
export const COMPILERS: readonly string[] = ['python3', 'python', 'make', 'gmake', 'g++', 'gcc', 'cc', 'clang']

export interface BareMachine {
  /** The only entry of PATH. */
  readonly path: string
  readonly home: string
  /** Version of the Node that comes first. */
  readonly nodeVersion: string
  readonly npmVersion: string
  readonly environment: Record<string, string>
}

/** @param folder where everything of it is put; @param npmVersion exact */
export async function bareMachine(folder: string, npmVersion: string): Promise<BareMachine> {
  const path = join(folder, 'bin')
  const home = join(folder, 'home')
  await mkdir(path, { recursive: true })
  await mkdir(home)
  const node = await oldestNode()
  for (const place of ['/bin', '/usr/bin', '/usr/local/bin']) await linkAll(place, path)
  await symlink(node.file, join(path, 'node'))
  const npmPlace = join(folder, 'npm')
  const userConfig = (await run('npm', ['config', 'get', 'userconfig'])).stdout.trim()
  const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim()
  await run('npm', ['install', '--prefix', npmPlace, '--no-save', '--no-audit', '--no-fund', `npm@${npmVersion}`], {
    env: { ...process.env, npm_config_userconfig: userConfig },
  })
  for (const command of ['npm', 'npx']) {
    const file = join(npmPlace, 'node_modules', 'npm', 'bin', `${command}-cli.js`)
    await writeFile(join(path, command), `#!/bin/sh\nexec node "${file}" "$@"\n`)
    await chmod(join(path, command), 0o755)
  }
  await writeFile(join(home, '.gitconfig'), '[safe]\n\tdirectory = *\n')
  // The registry and the cache are the machine's: where packages come from is not what is tried here.
  const environment = {
    PATH: path,
    HOME: home,
    LANG: 'C.UTF-8',
    npm_config_userconfig: userConfig,
    npm_config_cache: cache,
    npm_config_update_notifier: 'false',
  }
  return { path, home, nodeVersion: node.version, npmVersion, environment }
}

async function linkAll(place: string, into: string): Promise<void> {
  for (const name of await readdir(place).catch(() => [])) {
    if (LEFT_OUT.test(name)) continue
    await symlink(join(place, name), join(into, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** The oldest Node in PATH, leaving out the one this repository brings. */
async function oldestNode(): Promise<{ file: string; version: string }> {
  const found: { file: string; version: string }[] = []
  for (const place of (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))) {
    const file = join(place, 'node')
    const version = await run(file, ['-p', 'process.versions.node']).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    )
    if (version !== undefined) found.push({ file, version })
  }
  found.sort((left, right) => Number.parseInt(left.version, 10) - Number.parseInt(right.version, 10))
  const first = found[0]
  if (first === undefined) throw new Error('there is no Node in PATH')
  return first
}
