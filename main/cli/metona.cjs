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

const EXIT_CONFIGURATION = 3

const root = path.join(__dirname, '..', '..')
const out = path.join(root, 'out')

// The number stands here too, so that the right Node need not read another file.
if (Number(process.versions.node.split('.')[0]) >= 24) start()
else require('./node-24.cjs').handOver(root, __filename, process.argv.slice(2))

function fail(chinese, english) {
  process.stderr.write(`metona: ${chinese}\nmetona: ${english}\n`)
  process.exit(EXIT_CONFIGURATION)
}

function start() {
  if (process.env.METONA_HANDED_OVER !== undefined) require('./node-24.cjs').endWithStarter()
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
