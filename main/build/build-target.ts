/** Builds one target with Vite and puts its files in place. */
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { InlineConfig, Rollup } from 'vite'
import { builtinModulesWhole } from './builtin-modules.ts'
import { EXTERNAL_PACKAGES, type NodeTarget, type PageTarget, type Target } from './targets.ts'

/** A chunk of an earlier build may still be wanted by an app that runs; it is removed when this old. */
const OLD_CHUNK_MS = 60 * 60 * 1000

export interface BuiltTarget {
  /** Sources of this repository that went into it, relative, `/` on every system. */
  readonly inputs: string[]
  /** Bytes of all its files. */
  readonly bytes: number
}

/** @throws Vite's own error, with file and line, when a source does not compile. */
export function buildTarget(root: string, out: string, target: Target): Promise<BuiltTarget> {
  return target.kind === 'node' ? buildNodeTarget(root, out, target) : buildPage(root, out, target)
}

async function buildNodeTarget(root: string, out: string, target: NodeTarget): Promise<BuiltTarget> {
  const name = basename(target.output)
  const config: InlineConfig = {
    root,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    mode: 'production',
    plugins: target.format === 'es' ? [builtinModulesWhole()] : [],
    ssr: { target: 'node', noExternal: true, external: [...EXTERNAL_PACKAGES] },
    build: {
      ssr: join(root, target.source),
      target: 'node24',
      minify: true,
      sourcemap: process.env['METONA_SOURCEMAPS'] === '1' ? 'hidden' : false,
      write: false,
      reportCompressedSize: false,
      rolldownOptions: {
        // On a busy machine it warns whoever starts the app for the first time.
        checks: { pluginTimings: false },
        external: (id) =>
          id.startsWith('node:') ||
          builtinModules.includes(id) ||
          EXTERNAL_PACKAGES.some((name) => id === name || id.startsWith(`${name}/`)),
        output: {
          format: target.format,
          entryFileNames: name,
          chunkFileNames: `${name.replace(/\.c?js$/, '')}-[name]-[hash].js`,
          assetFileNames: '[name]-[hash][extname]',
        },
      },
    },
  }
  const output = await runVite(config)
  const folder = dirname(join(out, target.output))
  await mkdir(folder, { recursive: true })
  // The entry last: whoever starts meanwhile gets the old one whole or the new one whole.
  const files = [...output].sort((left, right) => Number(isEntry(left)) - Number(isEntry(right)))
  let bytes = 0
  for (const file of files) {
    const content = file.type === 'chunk' ? file.code : file.source
    bytes += Buffer.byteLength(content)
    await replaceFile(join(folder, file.fileName), content)
  }
  await removeOldChunks(folder, name, new Set(files.map((file) => file.fileName)))
  return { inputs: inputsOf(root, output), bytes }
}

async function buildPage(root: string, out: string, target: PageTarget): Promise<BuiltTarget> {
  const place = join(root, dirname(target.source))
  const own = ['vite.config.ts', 'vite.config.mts'].map((name) => join(place, name)).find((path) => existsSync(path))
  const fresh = join(out, `.${target.output}-${process.pid}`)
  const config: InlineConfig = {
    root: place,
    configFile: own ?? false,
    envDir: false,
    logLevel: 'warn',
    mode: 'production',
    ...(own === undefined
      ? { plugins: [(await import('@vitejs/plugin-vue')).default(), (await import('@tailwindcss/vite')).default()] }
      : {}),
    build: { outDir: fresh, emptyOutDir: true, reportCompressedSize: false, chunkSizeWarningLimit: 2000 },
  }
  const output = await runVite(config)
  await swapFolder(fresh, join(out, target.output))
  const bytes = output.reduce((sum, file) => sum + Buffer.byteLength(file.type === 'chunk' ? file.code : file.source), 0)
  const configuration = own === undefined ? [] : [relative(root, own).split(sep).join('/')]
  return { inputs: [...new Set([...inputsOf(root, output), target.source, ...configuration])], bytes }
}

type OutputFile = Rollup.OutputChunk | Rollup.OutputAsset

/** Vite is loaded here, not at the top: a look that finds everything up to date does without it. */
async function runVite(config: InlineConfig): Promise<OutputFile[]> {
  const { build } = await import('vite')
  // Vite takes the mode of the libraries from the environment where it is set; what people start is always for production.
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  const result = await build(config).finally(() => {
    if (before === undefined) delete process.env['NODE_ENV']
    else process.env['NODE_ENV'] = before
  })
  const results = (Array.isArray(result) ? result : [result]) as Rollup.RollupOutput[]
  return results.flatMap((one) => one.output)
}

function isEntry(file: OutputFile): boolean {
  return file.type === 'chunk' && file.isEntry
}

function inputsOf(root: string, output: readonly OutputFile[]): string[] {
  const inputs = new Set<string>()
  for (const file of output) {
    if (file.type !== 'chunk') continue
    for (const id of file.moduleIds) {
      const path = relative(root, resolve(id.replace(/^\0/, '').replace(/\?.*$/, '')))
      const own = path.split(sep).join('/')
      if (!own.startsWith('..') && !own.startsWith('node_modules/') && existsSync(join(root, own))) inputs.add(own)
    }
  }
  return [...inputs].sort()
}

async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`
  await writeFile(draft, content)
  await rename(draft, path)
}

async function swapFolder(fresh: string, place: string): Promise<void> {
  const old = `${place}.${process.pid}.old`
  await rename(place, old).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  await rename(fresh, place)
  await rm(old, { recursive: true, force: true })
}

async function removeOldChunks(folder: string, entry: string, keep: ReadonlySet<string>): Promise<void> {
  const prefix = `${entry.replace(/\.c?js$/, '')}-`
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.js') || keep.has(name) || /^(?:[a-z-]+-)?entry\.js$/.test(name)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > OLD_CHUNK_MS) await rm(path, { force: true })
  }
}
