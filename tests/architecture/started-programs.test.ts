/**
 * The product starts programs in few places, and git in none: a repository's configuration decides what git runs
 * (core.fsmonitor, hooks, filters, textconv, credential helpers), whatever flags it is given. What the model or the
 * person asks for goes through the command host, in the sandbox.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
/** By file: what is started there. */
const STARTERS = {
  'main/cli/commands/bench.ts': 'the measurements of a checkout',
  'main/cli/desktop-window.ts': 'Electron',
  'main/cli/metona.cjs': 'Node 24, which the app runs on',
  'main/cli/node-24.cjs': 'the same',
  'main/command-host/kill-tree.ts': 'taskkill, on Windows',
  'main/command-host/launch.ts': 'the command host',
  'main/command-host/orphan-guard.ts': 'the guard of the command host',
  'main/command-host/process-table.ts': 'ps, on macOS',
  'main/command-host/run-command-host.ts': 'setpriv, to see whether it is there',
  'main/command-host/running-command.ts': 'commands that were agreed to',
  'main/command-host/sandbox-starter.ts': 'the sandbox, and commands in it',
  'main/web/open-browser.ts': 'the browser',
}
/** By file: what is asked of the command host. */
const CLIENTS = {
  'workers/tools/commands/execute-command.ts': 'run_command',
  'workers/tools/commands/search-path.ts': 'the login shell, once, for PATH',
  'workers/tools/mcp/stdio-transport.ts': 'tool servers the person approved',
  'workers/tools/sandbox/detect-sandbox.ts': 'a trial of the sandbox',
  'workers/tools/search/run-ripgrep.ts': 'ripgrep, without configuration',
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'build' ? [] : sources(path)
    return /\.(ts|cjs|mjs)$/.test(entry.name) ? [relative(ROOT, join(ROOT, path))] : []
  })
}
const files = [...sources('main'), ...sources('workers')].map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
const containing = (pattern: RegExp): string[] =>
  files
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort()

test('only these files start a process', () => {
  expect(containing(/(from|require\() ?'(node:)?child_process'|utilityProcess\.fork/).filter((path) => !isTypeOnly(path))).toEqual(
    [...Object.keys(STARTERS), 'main/electron/host-process.ts'].sort(),
  )
})

test('only these files ask the command host for one', () => {
  expect(containing(/commands\.start\(/)).toEqual(Object.keys(CLIENTS).sort())
})

test('no file names git as a program', () => {
  expect(containing(/(argv: ?\[|spawn\(|execFile\(|start\()\s*['"`](\/usr\/bin\/)?git['"`]/)).toEqual([])
})

function isTypeOnly(path: string): boolean {
  const text = files.find((file) => file.path === path)?.text ?? ''
  return /import type [^\n]*'node:child_process'/.test(text) && !/import \{[^\n]*\} from 'node:child_process'/.test(text)
}
