/**
 * Calls one path-taking tool with many generated paths, without ever approving anything, and prints
 * how many calls were carried out. Run under strace by path-fuzz.test.ts, which looks at what was opened.
 */
import { MessageChannel } from 'node:worker_threads'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { catalog } from '#workers/tools/catalog/index.ts'
import { createToolServices } from '#workers/tools/create-services.ts'
import { createToolsHandlers } from '#workers/tools/service.ts'

const COMMAND_HOST = new URL('../../../main/command-host/entry.ts', import.meta.url).pathname
const [workspace, profile, tool, count, seedText] = process.argv.slice(2) as [string, string, string, string, string]
let seed = Number(seedText)
const random = (): number => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 4294967296
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T

const NAMES = [
  'a.txt',
  'sub',
  'sub/b.txt',
  'deep/er',
  'out',
  'out-file',
  'in-link',
  'in-file-link',
  'dangling',
  'loop',
  '..foo',
  'a..b',
  '..%5cx',
  '..∕x',
  ' spaced ',
  '😀',
  '-rf',
  '.git',
  '.metona',
  '.METONA',
  '.metona.',
  '．metona',
  '.git/config',
  'hard.txt',
  'new',
]
const STEPS = [
  '.',
  '..',
  '',
  '../ws',
  '../ws-evil',
  'sub/..',
  'sub/../..',
  'out/..',
  'in-link/..',
  '~',
  'a\0b',
  'C:',
  'NUL',
  'x:y',
  '\\..\\',
  '%2e%2e',
  '．．',
]
const WHOLES = [
  '/etc/passwd',
  '/proc/self/environ',
  '/dev/stdin',
  '/proc/self/cwd/a.txt',
  '/proc/self/root/etc/passwd',
  'file:///etc/passwd',
  '//srv/share',
  `${workspace}-evil/secret.txt`,
  `${workspace}/../ws-evil/secret.txt`,
  `${workspace}/sub/b.txt`,
  `${workspace}-link/a.txt`,
  `${workspace}-link/out-file`,
]

/** Ways that lead to a file inside; tools that need one there would refuse nearly everything else. */
const INSIDE = [
  'a.txt',
  'sub/b.txt',
  'in-link/b.txt',
  'in-file-link',
  '..foo',
  'a..b',
  '..%5cx',
  '..∕x',
  ' spaced ',
  '😀',
  '-rf',
  'hard.txt',
  'deep/er/a.txt',
  'sub/../a.txt',
  './deep/../sub/b.txt',
  '../ws/a.txt',
  `${workspace}/sub/b.txt`,
]
const INSIDE_SHARE: Record<string, number> = { edit_file: 0.45, write_file: 0.3 }

function generate(): string {
  if (random() < (INSIDE_SHARE[tool] ?? 0)) return pick(INSIDE)
  if (random() < 0.06) return pick(WHOLES)
  const parts: string[] = []
  const length = 1 + Math.floor(random() * 3)
  for (let index = 0; index < length; index++) parts.push(random() < 0.22 ? pick(STEPS) : pick(NAMES))
  return (random() < 0.15 ? `${workspace}/` : '') + parts.join('/')
}

/** Every call that is carried out makes or reads something; a missing file is neither. */
function argumentsFor(path: string, index: number): Record<string, unknown> {
  switch (tool) {
    case 'write_file':
      return { file_path: path, content: `written ${index}\n` }
    case 'edit_file':
      return { file_path: path, old_text: 'line', new_text: 'line ' }
    case 'list_directory':
      return { path }
    case 'find_files':
      return { pattern: '*', path }
    case 'search_text':
      return { pattern: '[S]ECRET|line', path }
    default:
      return { file_path: path }
  }
}

// Searching runs a program through the command host; it is traced with everything else.
let host: LaunchedCommandHost | undefined
const services = createToolServices({
  profile,
  commandHost: async () => (host ??= await launchCommandHost({ entry: COMMAND_HOST, execPath: process.execPath })),
})
const handlers = createToolsHandlers(catalog, services)
// Paths are what is tried here; that a file must have been read first would refuse most of them for another reason.
services.guard.check = () => ({ kind: 'unchanged' })
const context = { signal: new AbortController().signal }
const place = { workspace, sessionId: 's_fuzz000001', sandbox: 'off' as const }
let accepted = 0
const leaks: string[] = []
for (let index = 0; index < Number(count); index++) {
  const path = generate()
  const call = { id: `tc_fuzz${String(index).padStart(8, '0')}`, name: tool, args: argumentsFor(path, index), iteration: 1, timestamp: 1 }
  const prepared = await handlers.prepare({ place, call }, context)
  if (!prepared.ok || prepared.mustAsk !== undefined) continue
  accepted++
  const { port1, port2 } = new MessageChannel()
  const answer = await handlers.run({ place, call, argumentsHash: prepared.argumentsHash, port: port2 as never }, context)
  port1.close()
  if (JSON.stringify(answer).includes('SECRET')) leaks.push(path)
}
await services.pool.close()
services.commands.close()
await host?.stop()
process.stdout.write(JSON.stringify({ accepted, leaks }))
