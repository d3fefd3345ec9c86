// needs: script
/** The launcher: any Node from 18 on, exit codes, signals, a build when the bundles are missing. No product code behind it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'

const LAUNCHER = join(import.meta.dirname, '../../../main/cli/metona.cjs')
const NODE_24 = join(import.meta.dirname, '../../../main/cli/node-24.cjs')
const BUNDLE = `
import { appendFileSync, writeFileSync } from 'node:fs'
const [command, ...rest] = process.argv.slice(2)
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
if (command === 'echo') say({ rest, major: Number(process.versions.node.split('.')[0]), cache: process.env.NODE_COMPILE_CACHE, handed: process.env.METONA_HANDED_OVER })
else if (command === 'exit') process.exit(Number(rest[0]))
else if (command === 'stdin') { let text = ''; for await (const chunk of process.stdin) text += chunk; say({ text }) }
else if (command === 'die') process.kill(process.pid, 'SIGKILL')
else if (command === 'count') {
  // Long enough for a second copy of the same signal to arrive.
  process.on('SIGINT', () => { appendFileSync(rest[0], 'SIGINT '); setTimeout(() => process.exit(130), 500) })
  say({ pid: process.pid })
  setInterval(() => {}, 1000)
}
else if (command === 'wait') {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => { writeFileSync(rest[0], signal); process.exit(signal === 'SIGINT' ? 130 : 143) })
  say({ pid: process.pid })
  setInterval(() => {}, 1000)
}
`

let root = ''
let launcher = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'metona launcher 启动-'))
  launcher = join(root, 'main/cli/metona.cjs')
  await write('package.json', JSON.stringify({ version: '1.0.0', type: 'module' }))
  await mkdir(dirname(launcher), { recursive: true })
  await copyFile(LAUNCHER, launcher)
  await copyFile(NODE_24, join(root, 'main/cli/node-24.cjs'))
  await chmod(launcher, 0o755)
  await bundle()
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), content)
}

async function bundle(stamp: object = { version: '1.0.0', readAt: Date.now() + 60_000, targets: {} }): Promise<void> {
  await write('out/cli/entry.js', BUNDLE)
  await write('out/package.json', '{"type":"module"}')
  await write('out/build.json', JSON.stringify(stamp))
}

/** A build that takes a moment, counts its runs and leaves a bundle; what the real one does is tested with the bundler. */
async function buildTools(): Promise<void> {
  await write('node_modules/vite/package.json', '{}')
  await write(
    'main/build/entry.ts',
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
const root = import.meta.dirname + '/../..'
appendFileSync(root + '/builds.txt', process.argv.slice(2).join(' ') + '\\n')
if (process.env['BREAK_BUILD'] !== undefined) { process.stderr.write('entry.ts:1: broken\\n'); process.exit(1) }
mkdirSync(root + '/out/cli', { recursive: true })
writeFileSync(root + '/out/cli/entry.js', ${JSON.stringify(BUNDLE)})
writeFileSync(root + '/out/package.json', '{"type":"module"}')
writeFileSync(root + '/out/build.json', JSON.stringify({ version: '1.0.0', readAt: Date.now(), targets: { 'cli/entry.js': { hash: '', inputs: ['source.ts'] } } }))
`,
  )
}

const builds = async (): Promise<string[]> =>
  existsSync(join(root, 'builds.txt')) ? (await readFile(join(root, 'builds.txt'), 'utf8')).trimEnd().split('\n') : []

/** Makes this Node say it is version 20 to the launcher, and only to it: the one it starts says the truth. */
async function oldNode(): Promise<string[]> {
  const file = join(root, 'old-node.cjs')
  await writeFile(
    file,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })\nObject.defineProperty(process, 'version', { value: 'v20.19.0' })\n`,
  )
  return ['--require', file]
}

/** Puts this Node where the package of this platform would have put one. */
async function bundledNode(file: string = process.execPath): Promise<void> {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  await write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '24.0.0' }))
  await mkdir(join(root, 'node_modules', name, 'bin'), { recursive: true })
  await symlink(file, join(root, 'node_modules', name, 'bin', 'node'))
}

interface End {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

function start(commandLine: readonly string[], nodeOptions: readonly string[] = [], env: Record<string, string> = {}): ChildProcess {
  const { METONA_BUILD: _build, NODE_COMPILE_CACHE: _cache, NODE_OPTIONS: _options, ...inherited } = process.env
  return spawn(process.execPath, [...nodeOptions, launcher, ...commandLine], {
    cwd: root,
    env: { ...inherited, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
}

async function ended(child: ChildProcess): Promise<End> {
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  return { code, signal, stdout, stderr }
}

/** Starts `wait` and gives the process that really waits. */
async function waiting(nodeOptions: readonly string[]): Promise<{ child: ChildProcess; pid: number; end: Promise<End>; told: string }> {
  const told = join(root, 'told.txt')
  const child = start(['wait', told], nodeOptions)
  let seen = ''
  child.stdout?.on('data', (chunk: Buffer) => (seen += chunk.toString()))
  const end = ended(child)
  const line = await eventually('the bundle to run', () => (seen.includes('\n') ? seen : undefined))
  return { child, pid: (JSON.parse(line) as { pid: number }).pid, end, told }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('on Node 24', () => {
  test('loads the bundle into this process, with the arguments and a compile cache', async () => {
    const end = await ended(start(['echo', 'a b', '中文', '--json']))
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(end.stdout)).toEqual({
      rest: ['a b', '中文', '--json'],
      major: Number(process.versions.node.split('.')[0]),
      cache: join(root, 'out', '.compile-cache'),
    })
    expect(existsSync(join(root, 'out', '.compile-cache'))).toBe(true)
  })

  test('hands its exit code on', async () => {
    expect(await ended(start(['exit', '5']))).toMatchObject({ code: 5, stdout: '', stderr: '' })
  })

  test('runs through a link, as npm makes one', async () => {
    await symlink(launcher, join(root, 'metona'))
    launcher = join(root, 'metona')
    expect(await ended(start(['exit', '4']))).toMatchObject({ code: 4 })
  })

  test('a bundle that does not load ends with 1 and the reason', async () => {
    await write('out/cli/entry.js', `throw new Error('broken on purpose')`)
    const end = await ended(start([]))
    expect(end.code).toBe(1)
    expect(end.stderr).toContain('broken on purpose')
  })
})

describe('on an older Node', () => {
  test('goes on with the bundled one, and nothing of how is left in the environment', async () => {
    await bundledNode()
    const end = await ended(start(['echo', 'a b', '中文'], await oldNode()))
    expect(end).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(end.stdout)).toMatchObject({ rest: ['a b', '中文'], major: Number(process.versions.node.split('.')[0]) })
    expect(JSON.parse(end.stdout)).not.toHaveProperty('handed')
  })

  test.each([0, 1, 3, 130])('exit code %i comes through', async (code) => {
    await bundledNode()
    expect(await ended(start(['exit', String(code)], await oldNode()))).toMatchObject({ code })
  })

  test('standard input comes through', async () => {
    await bundledNode()
    const child = start(['stdin'], await oldNode())
    child.stdin?.end('一行\n')
    expect((await ended(child)).stdout).toBe(`${JSON.stringify({ text: '一行\n' })}\n`)
  })

  test('without the bundled one: exit 3, in two languages, with what to do', async () => {
    const end = await ended(start(['echo'], await oldNode()))
    expect(end).toMatchObject({ code: 3, stdout: '' })
    expect(end.stderr).toMatch(/需要 Node\.js 24 或更新版本，当前为 v20\.19\.0.*npm ci/)
    expect(end.stderr).toMatch(/Node\.js 24 or newer is needed; this is v20\.19\.0.*npm ci/)
  })

  test('with one that does not start: exit 3 and the reason', async () => {
    await bundledNode(join(root, 'package.json'))
    const end = await ended(start(['echo'], await oldNode()))
    expect(end.code).toBe(3)
    expect(end.stderr).toContain('EACCES')
  })

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s sent to the launcher reaches the app, once', async (signal) => {
    await bundledNode()
    const { child, end, told } = await waiting(await oldNode())
    child.kill(signal)
    expect(await end).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143 })
    expect(await readFile(told, 'utf8')).toBe(signal)
  })

  test('Ctrl+C in a terminal reaches the app once, not twice', async () => {
    await bundledNode()
    const told = join(root, 'told.txt')
    const quoted = [process.execPath, ...(await oldNode()), launcher, 'count', told].map((word) => `'${word}'`).join(' ')
    const terminal = spawn('script', ['--quiet', '--return', '--command', quoted, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const end = ended(terminal)
    let seen = ''
    terminal.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString()))
    await eventually('the bundle to run', () => seen.includes('"pid"'))
    terminal.stdin.write('\u0003')
    expect(await end).toMatchObject({ code: 130 })
    expect(await readFile(told, 'utf8')).toBe('SIGINT ')
  })

  test('an app that was killed shows as killed', async () => {
    await bundledNode()
    expect(await ended(start(['die'], await oldNode()))).toMatchObject({ code: null, signal: 'SIGKILL' })
  })

  test('when the launcher is killed, the app is told to end', async () => {
    await bundledNode()
    const { child, pid, told } = await waiting(await oldNode())
    expect(pid).not.toBe(child.pid)
    child.kill('SIGKILL')
    await eventually('the app to end', () => !isRunning(pid))
    expect(await readFile(told, 'utf8')).toBe('SIGTERM')
  })
})

describe('bundles', () => {
  test('are built once when missing, with one line on standard error', async () => {
    await buildTools()
    await rm(join(root, 'out'), { recursive: true })
    const first = await ended(start(['exit', '0']))
    expect(first).toMatchObject({ code: 0, stdout: '' })
    expect(first.stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(/首次启动.*first start/)])
    expect(await ended(start(['exit', '0']))).toMatchObject({ code: 0, stderr: '' })
    expect(await builds()).toEqual(['--quiet --no-page'])
  })

  test('a command that shows the page has the page built too', async () => {
    await buildTools()
    await rm(join(root, 'out'), { recursive: true })
    await ended(start(['serve']))
    expect(await builds()).toEqual(['--quiet'])
  })

  test('are built again for another version', async () => {
    await buildTools()
    await bundle({ version: '0.9.0', readAt: Date.now(), targets: {} })
    expect(await ended(start(['exit', '0']))).toMatchObject({ code: 0 })
    expect(await builds()).toHaveLength(1)
  })

  const sources = { version: '1.0.0', readAt: Date.now() - 60_000, targets: { 'cli/entry.js': { hash: '', inputs: ['source.ts'] } } }

  test('in a checkout, a source changed since then has them built again', async () => {
    await buildTools()
    await mkdir(join(root, '.git'))
    await write('source.ts', '')
    await bundle(sources)
    const end = await ended(start(['exit', '0']))
    expect(end.stderr).toMatch(/^metona: 源码有改动.*sources changed/)
    expect(await builds()).toHaveLength(1)
    // The build took the change in; the next start finds nothing to do.
    const past = new Date(Date.now() - 120_000)
    await utimes(join(root, 'source.ts'), past, past)
    expect(await ended(start(['exit', '0']))).toMatchObject({ code: 0, stderr: '' })
  })

  test('installed, sources are not looked at', async () => {
    await buildTools()
    await write('source.ts', '')
    await bundle(sources)
    expect(await ended(start(['exit', '0']))).toMatchObject({ code: 0, stderr: '' })
    expect(await builds()).toEqual([])
  })

  test('METONA_BUILD=never uses them as they are', async () => {
    await buildTools()
    await mkdir(join(root, '.git'))
    await write('source.ts', '')
    await bundle(sources)
    expect(await ended(start(['exit', '0'], [], { METONA_BUILD: 'never' }))).toMatchObject({ code: 0, stderr: '' })
    expect(await builds()).toEqual([])
  })

  test('a build that fails ends with 3 and shows why', async () => {
    await buildTools()
    await rm(join(root, 'out'), { recursive: true })
    const end = await ended(start(['exit', '0'], [], { BREAK_BUILD: '1' }))
    expect(end.code).toBe(3)
    expect(end.stderr).toMatch(/entry\.ts:1: broken[^]*构建失败[^]*the build failed/)
  })

  test('missing, and no build tools: exit 3 with what to do', async () => {
    await rm(join(root, 'out'), { recursive: true })
    const end = await ended(start(['exit', '0']))
    expect(end.code).toBe(3)
    expect(end.stderr).toMatch(/npm ci[^]*Run npm ci/)
  })
})

describe('node-24.cjs, behind the scripts of package.json', () => {
  const SCRIPT = `import { execFileSync } from 'node:child_process'
const started: string = execFileSync('node', ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' }).trim()
process.stdout.write(JSON.stringify({ rest: process.argv.slice(2), major: process.versions.node.split('.')[0], started }) + '\\n')
process.exitCode = 7
`
  test.each(['this', 'an older'])('runs a TypeScript file on Node 24 from %s Node, and so what it starts', async (which) => {
    await bundledNode()
    await write('tests/script.ts', SCRIPT)
    launcher = join(root, 'main/cli/node-24.cjs')
    const end = await ended(start(['tests/script.ts', 'a b', '--c'], which === 'this' ? [] : await oldNode()))
    const major = process.versions.node.split('.')[0]
    expect([end.code, end.stderr, JSON.parse(end.stdout)]).toEqual([7, '', { rest: ['a b', '--c'], major, started: major }])
  })

  test('every script of package.json goes through it or the launcher', async () => {
    const { scripts } = JSON.parse(await readFile(join(LAUNCHER, '../../../package.json'), 'utf8')) as { scripts: Record<string, string> }
    expect(Object.entries(scripts).filter(([, command]) => !/^node main\/cli\/(?:node-24|metona)\.cjs /.test(command))).toEqual([])
  })
})

test.each([LAUNCHER, NODE_24])('%s needs no package', async (file) => {
  const source = await readFile(file, 'utf8')
  const required = [...source.matchAll(/require\('([^']+)'\)/g)].map((match) => match[1])
  expect(required.filter((name) => !/^(?:node:|\.\/)/.test(name ?? ''))).toEqual([])
})
