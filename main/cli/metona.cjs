#!/usr/bin/env node
'use strict'
/*
 * The command `metona`. CommonJS and plain enough for Node 18, because it has to run before the right Node is
 * found: it starts the bundled Node 24 when this one is older, builds the bundles when they are missing, and
 * hands over. It loads no native module and nothing from node_modules.
 *
 * METONA_BUILD=never skips the look at the sources (bundles are used as they are).
 */
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const NEEDED_NODE = 24
const EXIT_CONFIGURATION = 3
/** Set for the process that is started by an older Node, so that it ends when its starter dies. */
const HANDED_OVER = 'METONA_HANDED_OVER'

const root = path.join(__dirname, '..', '..')
const out = path.join(root, 'out')

if (majorVersion() >= NEEDED_NODE) start()
else handOver()

function majorVersion() {
  return Number(process.versions.node.split('.')[0])
}

function fail(chinese, english) {
  process.stderr.write(`metona: ${chinese}\nmetona: ${english}\n`)
  process.exit(EXIT_CONFIGURATION)
}

/* ---- on Node 24: load the application into this process ---- */

function start() {
  if (process.env[HANDED_OVER] !== undefined) endWithStarter()
  const bundle = path.join(out, 'cli', 'entry.js')
  const reason = process.env.METONA_BUILD === 'never' ? undefined : buildReason(bundle)
  if (reason !== undefined) build(reason)
  if (!fs.existsSync(bundle)) {
    fail(
      `缺少程序文件 ${bundle}。请在 ${root} 运行 npm ci && npm run build。`,
      `${bundle} is missing. Run npm ci && npm run build in ${root}.`,
    )
  }
  // Worker threads read the variable when they start; the call is for this thread, which has started.
  if (process.env.NODE_COMPILE_CACHE === undefined) process.env.NODE_COMPILE_CACHE = path.join(out, '.compile-cache')
  require('node:module').enableCompileCache(process.env.NODE_COMPILE_CACHE)
  import(pathToFileURL(bundle).href).catch((error) => {
    process.stderr.write(`metona: ${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
}

/** The older Node that started this one holds the other end of a channel; should it be killed, this one ends too. */
function endWithStarter() {
  delete process.env[HANDED_OVER]
  if (process.channel === undefined) return
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

/**
 * Why the bundles have to be built, or undefined. Costs one small read; in a checkout also one `stat` for each
 * source the bundles were made from, so that a change takes effect at the next start. Nothing is scanned.
 */
function buildReason(bundle) {
  let stamp
  try {
    stamp = JSON.parse(fs.readFileSync(path.join(out, 'build.json'), 'utf8'))
  } catch {
    return 'missing'
  }
  if (
    !fs.existsSync(bundle) ||
    (needsPage() && stamp.targets.renderer === undefined && fs.existsSync(path.join(root, 'renderer', 'index.html')))
  )
    return 'missing'
  const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
  if (stamp.version !== version) return 'version'
  if (!fs.existsSync(path.join(root, '.git'))) return undefined
  const seen = new Set()
  for (const [output, target] of Object.entries(stamp.targets)) {
    if (output === 'renderer' && !needsPage()) continue
    for (const input of target.inputs) {
      if (seen.has(input)) continue
      seen.add(input)
      const state = fs.statSync(path.join(root, input), { throwIfNoEntry: false })
      if (state === undefined || state.mtimeMs > stamp.readAt) return 'changed'
    }
  }
  return undefined
}

/** Commands that show the page; all others neither need it nor wait for it. */
function needsPage() {
  return process.argv[2] === 'serve' || process.argv[2] === 'start'
}

function build(reason) {
  const script = path.join(root, 'main', 'build', 'entry.ts')
  const compiler = path.join(root, 'node_modules', 'vite', 'package.json')
  if (!fs.existsSync(script) || !fs.existsSync(compiler)) {
    if (reason === 'changed') return
    fail(
      `程序文件缺失或版本不符，而此处没有构建工具。请在 ${root} 运行 npm ci。`,
      `the bundles are missing or of another version, and the build tools are not installed. Run npm ci in ${root}.`,
    )
  }
  process.stderr.write(
    reason === 'changed'
      ? 'metona: 源码有改动，正在重新构建… / sources changed, building again…\n'
      : 'metona: 首次启动，正在构建（仅一次，约数秒）… / first start, building once (a few seconds)…\n',
  )
  const { spawnSync } = require('node:child_process')
  const result = spawnSync(process.execPath, [script, '--quiet', ...(needsPage() ? [] : ['--no-page'])], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    windowsHide: true,
  })
  if (result.status !== 0) fail('构建失败，原因见上。', 'the build failed; the reason stands above.')
}

/* ---- on an older Node: run this same file on the bundled one ---- */

function handOver() {
  const node = bundledNode()
  if (node === undefined) {
    fail(
      `需要 Node.js ${NEEDED_NODE} 或更新版本，当前为 ${process.version}，也没有找到随附的版本。请在 ${root} 运行 npm ci，或从 https://nodejs.org 安装 Node.js ${NEEDED_NODE}。`,
      `Node.js ${NEEDED_NODE} or newer is needed; this is ${process.version}, and the bundled one was not found. Run npm ci in ${root}, or install Node.js ${NEEDED_NODE} from https://nodejs.org.`,
    )
  }
  const { spawn } = require('node:child_process')
  const child = spawn(node, [__filename, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [HANDED_OVER]: '1' },
  })
  child.on('error', (error) => {
    fail(
      `随附的 Node.js 无法启动（${error.message}）。请安装 Node.js ${NEEDED_NODE}。`,
      `the bundled Node.js does not start (${error.message}). Please install Node.js ${NEEDED_NODE}.`,
    )
  })
  const forward = (signal) => {
    // Ctrl+C and a closing terminal reach the whole foreground group, the child included; a second copy would mean "now".
    if (signal !== 'SIGTERM' && isTerminalForeground()) return
    child.kill(signal)
  }
  const signals = process.platform === 'win32' ? ['SIGINT', 'SIGTERM'] : ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
  for (const signal of signals) process.on(signal, forward)
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    for (const name of signals) process.removeListener(name, forward)
    // Ends as the child ended; where the signal does not end this process, by the shell's convention.
    process.exitCode = 128 + (require('node:os').constants.signals[signal] || 0)
    process.kill(process.pid, signal)
  })
}

function bundledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const file = process.platform === 'win32' ? 'node.exe' : 'node'
  try {
    const manifest = require.resolve(`node-${platform}-${process.arch}/package.json`, { paths: [root] })
    const node = path.join(path.dirname(manifest), 'bin', file)
    return fs.existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}

function isTerminalForeground() {
  try {
    // After the command name in parentheses: state, parent, group, session, terminal, foreground group of the terminal.
    const fields = fs
      .readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[5]) > 0 && fields[5] === fields[2]
  } catch {
    const { isatty } = require('node:tty')
    return isatty(0) || isatty(1) || isatty(2)
  }
}
