#!/usr/bin/env node
'use strict'
/*
 * Goes over to the Node 24 that `npm ci` brings, for the launcher and for the scripts in package.json:
 * `node main/cli/node-24.cjs SCRIPT …` runs SCRIPT on Node 24 whatever `node` is. npm scripts cannot rely on
 * `node_modules/.bin/node`: npm 10 leaves that link out where packages for several systems offer it.
 * CommonJS and plain enough for Node 18.
 */
const fs = require('node:fs')
const path = require('node:path')

const NEEDED_NODE = 24
const EXIT_CONFIGURATION = 3
/** Set for the process that is started by an older Node, so that it ends when its starter dies. */
const HANDED_OVER = 'METONA_HANDED_OVER'

module.exports = { handOver, endWithStarter }
if (require.main === module) runScript(path.join(__dirname, '..', '..'), process.argv[2], process.argv.slice(3))

function runScript(root, script, commandLine) {
  const file = path.resolve(root, script)
  if (Number(process.versions.node.split('.')[0]) < NEEDED_NODE) return handOver(root, __filename, [script, ...commandLine])
  if (process.env[HANDED_OVER] !== undefined) endWithStarter()
  process.argv = [process.execPath, file, ...commandLine]
  // What the script starts by name is this Node as well.
  process.env.PATH = `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH || ''}`
  import(require('node:url').pathToFileURL(file).href).catch((error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
}

/** Runs `script` on the bundled Node with this process's streams; signals and the way it ended come through. */
function handOver(root, script, commandLine) {
  const node = bundledNode(root)
  if (node === undefined) {
    fail(
      `需要 Node.js ${NEEDED_NODE} 或更新版本，当前为 ${process.version}，也没有找到随附的版本。请在 ${root} 运行 npm ci，或从 https://nodejs.org 安装 Node.js ${NEEDED_NODE}。`,
      `Node.js ${NEEDED_NODE} or newer is needed; this is ${process.version}, and the bundled one was not found. Run npm ci in ${root}, or install Node.js ${NEEDED_NODE} from https://nodejs.org.`,
    )
  }
  const { spawn } = require('node:child_process')
  const child = spawn(node, [script, ...commandLine], {
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

function bundledNode(root) {
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

/** The older Node that started this one holds the other end of a channel; should it be killed, this one ends too. */
function endWithStarter() {
  delete process.env[HANDED_OVER]
  if (process.channel === undefined) return
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel.unref()
}

function fail(chinese, english) {
  process.stderr.write(`metona: ${chinese}\nmetona: ${english}\n`)
  process.exit(EXIT_CONFIGURATION)
}
