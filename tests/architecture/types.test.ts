/** What must not compile does not: planted in a copy, each with the message of the compiler, and a control that compiles. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

interface Planted {
  readonly what: string
  readonly project: string
  readonly file: string
  readonly content: string
  /** Part of the compiler's message; undefined where it must compile. */
  readonly refused: string | undefined
}

const service = `import * as z from 'zod'
import { defineService, type ServiceHandlers } from '#contracts/wire/define-service.ts'
const pair = { input: z.object({ path: z.string() }), output: z.object({ size: z.number() }), deadlineMs: 1 }
const service = defineService({ name: 's', methods: { open: pair, close: pair } })
`
const domain = 'workers/session/domain'
const places = [
  ['a domain', 'workers/tsconfig.domain.json', domain],
  ['a contract', 'ipc-contracts', 'ipc-contracts/session'],
] as const

const cases: readonly Planted[] = [
  ...places.flatMap(([where, project, folder]): Planted[] => [
    {
      what: `${where} that reads the environment`,
      project,
      file: `${folder}/planted-process.ts`,
      content: 'export const home = process.env\n',
      refused: "'process'",
    },
    {
      what: `${where} that imports a module of Node`,
      project,
      file: `${folder}/planted-node.ts`,
      content: "export { readFile } from 'node:fs/promises'\n",
      refused: "'node:fs/promises'",
    },
    {
      what: `${where} that uses a Buffer`,
      project,
      file: `${folder}/planted-buffer.ts`,
      content: "export const bytes = Buffer.from('x')\n",
      refused: "'Buffer'",
    },
    {
      what: `${where} that sets a timer`,
      project,
      file: `${folder}/planted-timer.ts`,
      content: 'setTimeout(() => {}, 1)\nexport {}\n',
      refused: "'setTimeout'",
    },
    {
      what: `${where} that touches the page`,
      project,
      file: `${folder}/planted-page.ts`,
      content: 'export const title = document.title\n',
      refused: "'document'",
    },
    {
      what: `${where} that fetches`,
      project,
      file: `${folder}/planted-fetch.ts`,
      content: "export const answer = fetch('https://example.org')\n",
      refused: "'fetch'",
    },
    {
      what: `${where} that only calculates`,
      project,
      file: `${folder}/planted-pure.ts`,
      content: 'export const sum = (left: number, right: number): number => left + right\n',
      refused: undefined,
    },
  ]),
  {
    what: 'a service with all its handlers',
    project: 'workers',
    file: 'workers/session/planted-all.ts',
    content: `${service}export const handlers: ServiceHandlers<typeof service> = { open: () => ({ size: 1 }), close: ({ path }) => ({ size: path.length }) }\n`,
    refused: undefined,
  },
  {
    what: 'a service with a handler missing',
    project: 'workers',
    file: 'workers/session/planted-missing.ts',
    content: `${service}export const handlers: ServiceHandlers<typeof service> = { open: () => ({ size: 1 }) }\n`,
    refused: "Property 'close' is missing",
  },
  {
    what: 'a handler for a method that is not in the contract',
    project: 'workers',
    file: 'workers/session/planted-extra.ts',
    content: `${service}export const handlers: ServiceHandlers<typeof service> = { open: () => ({ size: 1 }), close: () => ({ size: 1 }), other: () => ({}) }\n`,
    refused: "'other'",
  },
  {
    what: 'a handler that answers against its schema',
    project: 'workers',
    file: 'workers/session/planted-answer.ts',
    content: `${service}export const handlers: ServiceHandlers<typeof service> = { open: () => ({ size: 'large' }), close: () => ({ size: 1 }) }\n`,
    refused: "Type 'string' is not assignable to type 'number'",
  },
  {
    what: 'an enum',
    project: 'workers',
    file: 'workers/session/planted-enum.ts',
    content: 'export enum Colour {\n  RED,\n}\n',
    refused: 'erasableSyntaxOnly',
  },
  {
    what: 'a page that uses Node',
    project: 'renderer',
    file: 'renderer/ui/planted-node.ts',
    content: 'export const home = process.env\n',
    refused: "'process'",
  },
]

let copy = ''
const reports = new Map<string, string>()

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'metona-types-'))
  for (const folder of ['ipc-contracts', 'main', 'workers', 'renderer'])
    await cp(join(root, folder), join(copy, folder), { recursive: true })
  await cp(join(root, 'package.json'), join(copy, 'package.json'))
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  for (const one of cases) {
    await mkdir(dirname(join(copy, one.file)), { recursive: true })
    await writeFile(join(copy, one.file), one.content)
  }
  for (const project of new Set(cases.map((one) => one.project))) reports.set(project, await compile(project))
}, 300_000)
afterAll(() => rm(copy, { recursive: true, force: true }))

function compile(project: string): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [compiler, '--project', project, '--pretty', 'false'],
      { cwd: copy, maxBuffer: 64 * 1024 * 1024 },
      (_error, stdout) => resolve(stdout),
    )
  })
}

test.each(cases)('$what ($project)', ({ project, file, refused }) => {
  const lines = (reports.get(project) ?? '').split('\n')
  const about = lines.filter((line) => line.startsWith(`${file}(`)).join('\n')
  if (refused === undefined) expect(about).toBe('')
  else expect(about).toContain(refused)
})
