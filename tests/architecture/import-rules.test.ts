/** The rules on imports hold, and every one of them bites: a breach of each is planted in a copy and must be reported. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const FOLDERS = ['ipc-contracts', 'main', 'workers', 'renderer']
const RULES = join(import.meta.dirname, 'import-rules.cjs')

interface Breach {
  readonly rule: string
  readonly file: string
  readonly target: string
}

/** Every row of the table, at least one breach for each rule. Each is planted as a value, a type-only and a lazy import. */
const BREACHES: readonly Breach[] = [
  { rule: 'resolvable', file: 'workers/llm/planted', target: './nowhere.ts' },
  { rule: 'declared', file: 'workers/llm/planted', target: 'semver' },
  { rule: 'not-tests', file: 'main/host/planted', target: '#tests/helpers/proof.ts' },
  { rule: 'electron-only-in-electron', file: 'main/host/planted', target: 'electron' },
  { rule: 'electron-only-in-electron', file: 'main/web/planted', target: 'electron' },
  { rule: 'electron-only-in-electron', file: 'main/cli/planted', target: 'electron' },
  { rule: 'electron-only-in-electron', file: 'workers/session/planted', target: 'electron' },
  { rule: 'electron-only-in-electron', file: 'renderer/stores/planted', target: 'electron' },

  { rule: 'contracts-alone', file: 'ipc-contracts/session/planted', target: '#main/host/planted-target.ts' },
  { rule: 'contracts-alone', file: 'ipc-contracts/session/planted', target: '#workers/shared/start-worker.ts' },
  { rule: 'contracts-alone', file: 'ipc-contracts/session/planted', target: '#renderer/stores/planted-target.ts' },
  { rule: 'contracts-no-node', file: 'ipc-contracts/wire/planted', target: 'node:worker_threads' },
  { rule: 'contracts-no-node', file: 'ipc-contracts/session/planted', target: 'node:fs' },
  { rule: 'contracts-only-zod', file: 'ipc-contracts/session/planted', target: 'comlink' },
  { rule: 'contracts-only-zod', file: 'ipc-contracts/metona/planted', target: 'p-queue' },
  { rule: 'wire-only-zod-and-comlink', file: 'ipc-contracts/wire/planted', target: 'p-queue' },

  { rule: 'main-not-workers', file: 'main/host/planted', target: '#workers/shared/start-worker.ts' },
  { rule: 'main-not-workers', file: 'main/electron/planted', target: '#renderer/stores/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/electron/planted', target: '#main/web/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/electron/planted', target: '#main/cli/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/web/planted', target: '#main/electron/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/web/planted', target: '#main/cli/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/cli/planted', target: '#main/web/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/cli/planted', target: '#main/electron/planted-target.ts' },
  { rule: 'main-shells-apart', file: 'main/cli/planted', target: '#main/command-host/launch.ts' },
  { rule: 'host-alone', file: 'main/host/planted', target: '#main/cli/planted-target.ts' },
  { rule: 'host-alone', file: 'main/host/planted', target: '#main/command-host/planted-target.ts' },
  { rule: 'main-no-packages', file: 'main/host/planted', target: 'zod' },
  { rule: 'main-no-packages', file: 'main/host/planted', target: 'better-sqlite3' },
  { rule: 'main-no-packages', file: 'main/cli/planted', target: 'ws' },
  { rule: 'web-only-ws', file: 'main/web/planted', target: 'undici' },
  { rule: 'electron-only-electron', file: 'main/electron/planted', target: 'better-sqlite3' },

  { rule: 'workers-apart', file: 'workers/session/planted', target: '#workers/llm/planted-target.ts' },
  { rule: 'workers-apart', file: 'workers/tools/planted', target: '#workers/storage/planted-target.ts' },
  { rule: 'workers-apart', file: 'workers/shared/planted', target: '#workers/context/planted-target.ts' },
  { rule: 'workers-not-main', file: 'workers/tools/planted', target: '#main/host/planted-target.ts' },
  { rule: 'workers-not-main', file: 'workers/tools/planted', target: '#renderer/stores/planted-target.ts' },
  { rule: 'workers-no-build-packages', file: 'workers/tools/planted', target: 'fast-check' },
  { rule: 'shared-only-zod', file: 'workers/shared/planted', target: 'p-queue' },

  { rule: 'domain-alone', file: 'workers/session/domain/planted', target: '#workers/session/planted-target.ts' },
  { rule: 'domain-alone', file: 'workers/session/domain/planted', target: '#workers/shared/start-worker.ts' },
  { rule: 'domain-alone', file: 'workers/session/domain/planted', target: '#workers/llm/domain/planted-target.ts' },
  { rule: 'domain-no-node', file: 'workers/context/domain/planted', target: 'node:crypto' },
  { rule: 'domain-no-node', file: 'workers/context/domain/planted', target: 'worker_threads' },
  { rule: 'domain-no-packages', file: 'workers/llm/domain/planted', target: 'p-queue' },

  { rule: 'renderer-not-workers', file: 'renderer/stores/planted', target: '#workers/session/planted-target.ts' },
  { rule: 'renderer-not-workers', file: 'renderer/features/chat/Planted', target: '#main/host/planted-target.ts' },
  { rule: 'renderer-no-node', file: 'renderer/ui/Planted', target: 'node:path' },
  { rule: 'renderer-only-page-packages', file: 'renderer/ui/Planted', target: 'ws' },
  { rule: 'renderer-only-stores-use-ipc', file: 'renderer/features/chat/Planted', target: '#renderer/ipc/planted-target.ts' },
  { rule: 'renderer-only-stores-use-ipc', file: 'renderer/app/planted', target: '#renderer/ipc/planted-target.ts' },
  { rule: 'renderer-features-apart', file: 'renderer/features/chat/Planted', target: '#renderer/features/settings/planted-target.ts' },
]

/** What the table allows: reporting one of these would be a fault too. */
const ALLOWED: readonly { readonly file: string; readonly target: string }[] = [
  { file: 'ipc-contracts/session/allowed', target: 'zod' },
  { file: 'ipc-contracts/wire/allowed', target: 'comlink' },
  { file: 'main/web/allowed', target: 'ws' },
  { file: 'main/web/allowed', target: '#main/host/planted-target.ts' },
  { file: 'main/electron/allowed', target: 'electron' },
  { file: 'main/host/allowed', target: '#main/command-host/launch.ts' },
  { file: 'main/cli/allowed', target: 'node:fs' },
  { file: 'main/cli/allowed', target: '#contracts/session/commands.ts' },
  { file: 'workers/llm/allowed', target: 'p-queue' },
  { file: 'workers/llm/allowed', target: 'node:worker_threads' },
  { file: 'workers/llm/allowed', target: '#workers/shared/start-worker.ts' },
  { file: 'workers/session/domain/allowed', target: '#contracts/session/session-event.ts' },
  { file: 'renderer/stores/allowed', target: '#renderer/ipc/planted-target.ts' },
  { file: 'renderer/stores/allowed', target: '#contracts/session/reduce-session.ts' },
  { file: 'renderer/features/chat/allowed', target: 'vue' },
  { file: 'renderer/features/chat/allowed', target: '#renderer/ui/planted-target.ts' },
]

/** What a planted file may import to be well-formed in itself. */
const TARGETS = [...BREACHES, ...ALLOWED].map((one) => one.target).filter((target) => target.endsWith('/planted-target.ts'))
const FORMS = {
  value: (target: string) => `import * as planted from '${target}'\nexport const seen = planted\n`,
  type: (target: string) => `import type * as planted from '${target}'\nexport type Seen = typeof planted\n`,
  named: (target: string) => `import { type Planted } from '${target}'\nexport type Seen = Planted\n`,
  again: (target: string) => `export * from '${target}'\n`,
  lazy: (target: string) => `export const load = () => import('${target}')\n`,
} as const

interface Planted {
  readonly rule: string
  readonly path: string
  readonly target: string
}

let copy = ''
const planted: Planted[] = []
let caught: ReadonlySet<string> = new Set()

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'metona-rules-'))
  for (const folder of FOLDERS) await cp(join(root, folder), join(copy, folder), { recursive: true })
  for (const file of ['package.json', 'tests/helpers/proof.ts']) await cp(join(root, file), join(copy, file))
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir')
  for (const target of TARGETS)
    await plant(target.slice(1).replace(/^contracts/, 'ipc-contracts'), 'export type Planted = 1\nexport const value = 1\n')
  for (const [index, breach] of BREACHES.entries()) {
    for (const [form, write] of Object.entries(FORMS)) {
      await breachAt(breach, `${breach.file}-${index}-${form}.ts`, write(breach.target))
      if (breach.file.startsWith('renderer/')) {
        const script = write(breach.target)
          .replaceAll('export ', '')
          .replace(/^\* from '(.*)'/, "import '$1'")
        await breachAt(
          breach,
          `${breach.file}-${index}-${form}-page.vue`,
          `<script setup lang="ts">\n${script}</script>\n<template><p>planted</p></template>\n`,
        )
      }
    }
  }
  for (const [index, one] of ALLOWED.entries()) {
    for (const [form, write] of Object.entries(FORMS)) await plant(`${one.file}-${index}-${form}.ts`, write(one.target))
  }
  await plant('workers/llm/planted-cycle-a.ts', `import { b } from './planted-cycle-b.ts'\nexport const a = () => b\n`)
  await plant('workers/llm/planted-cycle-b.ts', `import { a } from './planted-cycle-a.ts'\nexport const b = () => a\n`)
  planted.push({ rule: 'no-cycle', path: 'workers/llm/planted-cycle-a.ts', target: '' })
  caught = new Set((await breachesIn(copy)).map((found) => `${found.rule} ${found.from}`))
}, 300_000)
afterAll(() => rm(copy, { recursive: true, force: true }))

async function plant(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true })
  await writeFile(join(copy, path), content)
}

async function breachAt(breach: Breach, path: string, content: string): Promise<void> {
  await plant(path, content)
  planted.push({ rule: breach.rule, path, target: breach.target })
}

async function breachesIn(place: string): Promise<{ rule: string; from: string; to: string }[]> {
  const cruiser = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs')
  // With `--output-type json` the exit code is 0 whatever was found.
  const { stdout } = await run(process.execPath, [cruiser, '--config', RULES, '--output-type', 'json', ...FOLDERS], {
    cwd: place,
    maxBuffer: 256 * 1024 * 1024,
  })
  const report = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[]; totalCruised: number }
  }
  expect(report.summary.totalCruised).toBeGreaterThan(50)
  return report.summary.violations.map((found) => ({ rule: found.rule.name, from: found.from, to: found.to }))
}

test('every planted breach is caught by its rule, in every form of import', () => {
  expect(planted.filter((one) => !caught.has(`${one.rule} ${one.path}`))).toEqual([])
})

test('every rule has a breach planted', () => {
  const rules = (createRequire(import.meta.url)(RULES) as { forbidden: { name: string }[] }).forbidden.map((rule) => rule.name)
  expect([...new Set(planted.map((one) => one.rule))].sort()).toEqual(rules.sort())
})

test('what the table allows is not reported', () => {
  expect([...caught].filter((line) => line.includes('/allowed-'))).toEqual([])
})

test('the repository keeps its own rules', { timeout: 300_000 }, async () => {
  expect(await breachesIn(root)).toEqual([])
})
