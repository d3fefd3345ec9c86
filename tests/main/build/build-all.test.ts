/** The bundler: what it makes, what it makes again, and what happens when several build at once or a source is broken. */
import { execFile } from 'node:child_process'
import { readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { EOL } from 'node:os'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildAll, type BuildOptions } from '#main/build/build-all.ts'
import { readStamp } from '#main/build/build-stamp.ts'
import { findTargets, REQUIRED_OUTPUTS } from '#main/build/targets.ts'
import { smallRepository, type SmallRepository } from './small-repository.ts'

let repository: SmallRepository
beforeEach(async () => {
  repository = await smallRepository('build 构建')
  await repository.write('ipc-contracts/greeting.ts', `export const greeting: string = 'hello'\n`)
  await repository.write(
    'workers/llm/entry.ts',
    `import { greeting } from '#contracts/greeting.ts'\nimport * as z from 'zod'\nexport const said = z.string().parse(greeting)\nexport const later = () => import('./later.ts')\n`,
  )
  await repository.write('workers/llm/later.ts', `export const text = 'loaded later'\n`)
  await repository.write('workers/tools/pool-entry.ts', `export const folder = import.meta.dirname\n`)
})
afterEach(() => repository.remove())

const build = (options: BuildOptions = {}) => buildAll({ root: repository.root, required: [], ...options })
const load = async (output: string): Promise<Record<string, unknown>> =>
  (await import(`${pathToFileURL(join(repository.out, output)).href}?${performance.now()}`)) as Record<string, unknown>

test('every entry becomes one bundle that needs nothing beside it, lazy parts in the same folder', async () => {
  expect(await build()).toEqual({ built: ['llm/entry.js', 'tools/pool-entry.js'], upToDate: [] })
  await rm(join(repository.root, 'node_modules'))
  const bundle = await load('llm/entry.js')
  expect(bundle['said']).toBe('hello')
  expect(await (bundle['later'] as () => Promise<unknown>)()).toMatchObject({ text: 'loaded later' })
  expect((await load('tools/pool-entry.js'))['folder']).toBe(join(repository.out, 'tools'))
  const files = await readdir(join(repository.out, 'llm'))
  expect(files.filter((name) => name !== 'entry.js').every((name) => /^entry-.*\.js$/.test(name))).toBe(true)
})

test('bundles are minified', async () => {
  await repository.write(
    'workers/llm/entry.ts',
    `// a comment\nexport function add(firstNumber: number, secondNumber: number) {\n  return firstNumber + secondNumber\n}\n`,
  )
  await build()
  expect(await readFile(join(repository.out, 'llm/entry.js'), 'utf8')).not.toMatch(/comment|firstNumber/)
})

test('native packages stay outside', async () => {
  await repository.write('workers/storage/entry.ts', `import Database from 'better-sqlite3'\nexport { Database }\n`)
  await build()
  expect(await readFile(join(repository.out, 'storage/entry.js'), 'utf8')).toMatch(/from\s*["'`]better-sqlite3["'`]/)
})

test('a second build makes nothing, a changed source only the bundles it is in', async () => {
  await build()
  expect(await build()).toEqual({ built: [], upToDate: ['llm/entry.js', 'tools/pool-entry.js'] })
  await repository.write('ipc-contracts/greeting.ts', `export const greeting: string = 'good day'\n`)
  expect(await build()).toEqual({ built: ['llm/entry.js'], upToDate: ['tools/pool-entry.js'] })
  expect((await load('llm/entry.js'))['said']).toBe('good day')
})

test('a source that was only touched makes nothing, a bundle that was deleted is made again', async () => {
  await build()
  const later = new Date(Date.now() + 60_000)
  await utimes(join(repository.root, 'ipc-contracts/greeting.ts'), later, later)
  expect((await build()).built).toEqual([])
  await rm(join(repository.out, 'llm/entry.js'))
  expect((await build()).built).toEqual(['llm/entry.js'])
})

test('another version makes everything anew', async () => {
  await build()
  await repository.write(
    'package.json',
    JSON.stringify({ version: '1.0.1', type: 'module', imports: { '#contracts/*': './ipc-contracts/*' } }),
  )
  expect((await build()).built).toEqual(['llm/entry.js', 'tools/pool-entry.js'])
  expect((await readStamp(repository.out))?.version).toBe('1.0.1')
})

test('a broken source fails the build with its name; the others are built and the old bundle stays', async () => {
  await build()
  await repository.write('workers/llm/entry.ts', `export const said = 'half\n`)
  await repository.write('workers/tools/pool-entry.ts', `export const folder = 'new'\n`)
  await expect(build()).rejects.toThrow(/workers\/llm\/entry\.ts/)
  expect((await load('llm/entry.js'))['said']).toBe('hello')
  expect((await load('tools/pool-entry.js'))['folder']).toBe('new')
  await repository.write('workers/llm/entry.ts', `export const said = 'whole'\n`)
  expect((await build()).built).toEqual(['llm/entry.js'])
})

test('a required entry that is missing fails the build', async () => {
  await expect(build({ required: ['llm/entry.js', 'session/entry.js'] })).rejects.toThrow('no entry source for session/entry.js')
})

test('the repository has every required entry', () => {
  const found = findTargets(join(import.meta.dirname, '..', '..', '..')).map((target) => target.output)
  expect(REQUIRED_OUTPUTS.filter((output) => !found.includes(output))).toEqual([])
})

test('several processes that build at once build once', async () => {
  const script = `import { buildAll } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../main/build/build-all.ts')).href)}
process.stdout.write(JSON.stringify(await buildAll({ root: ${JSON.stringify(repository.root)}, required: [] })))`
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  const reports = (await Promise.all([run(), run(), run()])).map(({ stdout }) => JSON.parse(stdout) as { built: string[] })
  expect(reports.flatMap((report) => report.built).sort()).toEqual(['llm/entry.js', 'tools/pool-entry.js'])
})

test('the lock of a process that died is taken over', async () => {
  await build()
  const lock = join(repository.out, '.build.lock')
  const { pid } = await new Promise<{ pid: number }>((resolve) => {
    const child = execFile(process.execPath, ['--eval', ''], () => resolve({ pid: child.pid ?? 0 }))
  })
  await writeFile(lock, String(pid))
  await build()
  await expect(stat(lock)).rejects.toThrow('ENOENT')
})

test('tool descriptors are written from the catalog of the moment', async () => {
  const describe = (name: string): string => `export const describeTools = async () => ({ tools: ['${name}'] })\n`
  await repository.write('workers/tools/describe-tools.ts', describe('one'))
  await repository.write('workers/tools/entry.ts', `export { describeTools } from './describe-tools.ts'\n`)
  await build()
  const read = async (): Promise<unknown> => JSON.parse(await readFile(join(repository.out, 'tools/descriptors.json'), 'utf8'))
  expect(await read()).toEqual({ tools: ['one'] })
  await repository.write('workers/tools/describe-tools.ts', describe('two'))
  await build()
  expect(await read()).toEqual({ tools: ['two'] })
})

test('a module of Node is taken whole: what it would load only for an export nobody named stays unloaded', async () => {
  await repository.write(
    'workers/llm/entry.ts',
    `import path, { join as put } from 'node:path'\nimport * as os from 'node:os'\nimport { default as url } from 'node:url'\nimport 'node:events'\n` +
      `export const here = [path.sep, put('a', 'b'), os.EOL, url.domainToASCII('x')]\n` +
      `export const later = async () => (await import('node:zlib')).constants.Z_OK\nexport const text = 'import { x } from "node:none"'\n`,
  )
  await build()
  expect(await readFile(join(repository.out, 'llm/entry.js'), 'utf8')).not.toMatch(/(?:from|import\()\s*["'`]node:(?!none)/)
  const bundle = await load('llm/entry.js')
  expect(bundle['here']).toEqual([sep, join('a', 'b'), EOL, 'x'])
  expect(await (bundle['later'] as () => Promise<unknown>)()).toBe(0)
  expect(bundle['text']).toBe('import { x } from "node:none"')
})
