/** Builds what is missing or out of date, under a lock; what is up to date costs one read of its sources. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { takeBuildLock } from './build-lock.ts'
import { hashInputs, readStamp, writeStamp, type TargetStamp } from './build-stamp.ts'
import { buildTarget } from './build-target.ts'
import { findTargets, REQUIRED_OUTPUTS, type Target } from './targets.ts'

export interface BuildOptions {
  /** The repository; default: the one this file is in. */
  readonly root?: string
  /** Where the bundles go; default: `out/` in the repository. */
  readonly out?: string
  /** Build every target, whatever the stamp says. */
  readonly force?: boolean
  /** Also the page; default true. A command in the terminal does without. */
  readonly page?: boolean
  /** Outputs without which the build fails; default: all an installed app needs. */
  readonly required?: readonly string[]
  /** One line per target that was built. */
  readonly report?: (line: string) => void
}

export interface BuildReport {
  readonly built: readonly string[]
  readonly upToDate: readonly string[]
}

/** Files that are no module of any bundle and yet decide what comes out. */
const SHARED_INPUTS = ['package-lock.json', 'main/build/targets.ts', 'main/build/build-target.ts']
const DESCRIBE_TOOLS = 'workers/tools/describe-tools.ts'

/** @throws when a required entry is missing or a source does not compile; everything that does compile is in place then. */
export async function buildAll(options: BuildOptions = {}): Promise<BuildReport> {
  const root = options.root ?? join(import.meta.dirname, '..', '..')
  const out = options.out ?? join(root, 'out')
  await mkdir(out, { recursive: true })
  const release = await takeBuildLock(join(out, '.build.lock'))
  try {
    return await buildUnderLock(root, out, options)
  } finally {
    release()
  }
}

async function buildUnderLock(root: string, out: string, options: BuildOptions): Promise<BuildReport> {
  const readAt = Date.now()
  const report = options.report ?? ((): void => {})
  const { version, imports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string; imports: unknown }
  const seed = await seedOf(root, version, imports)
  const before = (await readStamp(out))?.targets ?? {}
  const targets: Record<string, TargetStamp> = {}
  const built: string[] = []
  const upToDate: string[] = []
  const failures: unknown[] = []
  const found = findTargets(root)
  const missing = (options.required ?? REQUIRED_OUTPUTS).filter((output) => !found.some((target) => target.output === output))
  if (missing.length > 0) throw new Error(`no entry source for ${missing.join(', ')}`)
  for (const target of found) {
    const stamp = before[target.output]
    const kept = options.force ? undefined : await upToDateStamp(root, out, target, stamp, seed)
    if (kept !== undefined) {
      targets[target.output] = kept
      upToDate.push(target.output)
      continue
    }
    if (target.kind === 'page' && options.page === false) continue
    const start = performance.now()
    try {
      const { inputs, bytes } = await buildTarget(root, out, target)
      const hash = await hashInputs(root, inputs, seed)
      if (hash !== undefined) targets[target.output] = { hash, inputs }
      built.push(target.output)
      report(`${target.output}  ${(bytes / 1024).toFixed(0)} KiB  ${(performance.now() - start).toFixed(0)} ms`)
    } catch (error) {
      failures.push(error)
      report(`${target.output}  failed`)
    }
  }
  try {
    if (await needsDescriptors(root, out, built)) await writeDescriptors(root, out)
  } catch (error) {
    failures.push(error)
  }
  if (built.length > 0) await rm(join(out, '.compile-cache'), { recursive: true, force: true })
  // So that no thread looks further up for what kind of modules these are.
  await writeFile(join(out, 'package.json'), '{"type":"module"}\n')
  await writeStamp(out, { version, readAt, targets })
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, failures.map(String).join('\n'))
  return { built, upToDate }
}

async function needsDescriptors(root: string, out: string, built: readonly string[]): Promise<boolean> {
  if (!existsSync(join(root, DESCRIBE_TOOLS))) return false
  return built.includes('tools/entry.js') || !existsSync(join(out, 'tools', 'descriptors.json'))
}

async function seedOf(root: string, version: string, imports: unknown): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([process.versions.modules, version, imports]))
  for (const input of SHARED_INPUTS) if (existsSync(join(root, input))) hash.update(await readFile(join(root, input)))
  return hash.digest('hex')
}

async function upToDateStamp(
  root: string,
  out: string,
  target: Target,
  stamp: TargetStamp | undefined,
  seed: string,
): Promise<TargetStamp | undefined> {
  if (stamp === undefined || !existsSync(join(out, target.output))) return undefined
  return (await hashInputs(root, stamp.inputs, seed)) === stamp.hash ? stamp : undefined
}

/** In a process of its own: the catalog of this moment, not one this process loaded earlier. */
async function writeDescriptors(root: string, out: string): Promise<void> {
  const script = `import { describeTools } from ${JSON.stringify(`./${DESCRIBE_TOOLS}`)}\nprocess.stdout.write(JSON.stringify(await describeTools()))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  })
  const path = join(out, 'tools', 'descriptors.json')
  await mkdir(join(out, 'tools'), { recursive: true })
  await writeFile(`${path}.${process.pid}.tmp`, stdout)
  await rename(`${path}.${process.pid}.tmp`, path)
}
