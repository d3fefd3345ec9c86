/** The lint rules bite: a breach of each is planted in a copy and must be reported, and well-formed code must not. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

const breaches: readonly (readonly [rule: string, file: string, content: string])[] = [
  ['typescript(no-explicit-any)', 'workers/llm/planted.ts', 'export const value: any = 1\n'],
  [
    'typescript(no-explicit-any)',
    'renderer/ui/planted.vue',
    '<script setup lang="ts">\nconst value = 1 as any\n</script>\n<template>{{ value }}</template>\n',
  ],
  ['eslint(no-console)', 'workers/llm/planted.ts', "console.log('x')\n"],
  ['eslint(no-console)', 'main/host/planted.ts', "console.error('x')\n"],
  ['eslint(no-empty)', 'workers/llm/planted.ts', 'try {\n  JSON.parse(String(1))\n} catch {}\n'],
  ['node(no-sync)', 'main/host/planted.ts', "import { readFileSync } from 'node:fs'\nexport const read = () => readFileSync('x')\n"],
  [
    'node(no-sync)',
    'main/command-host/planted.ts',
    "import { readFileSync } from 'node:fs'\nexport const read = () => readFileSync('x')\n",
  ],
  [
    'node(no-sync)',
    'main/electron/planted.ts',
    "import { spawnSync } from 'node:child_process'\nexport const run = () => spawnSync('x')\n",
  ],
  ['eslint(no-restricted-globals)', 'main/host/router.ts', 'export const text = JSON.stringify({ a: 1 })\n'],
  ['eslint(no-restricted-imports)', 'main/host/router.ts', "import * as z from 'zod'\nexport const schema = z.string()\n"],
  ['eslint(no-restricted-properties)', 'workers/session/domain/planted.ts', 'export const now = Date.now()\n'],
  ['eslint(no-restricted-properties)', 'workers/session/domain/planted.ts', 'export const chance = Math.random()\n'],
  ['eslint(no-restricted-properties)', 'ipc-contracts/session/planted.ts', 'export const now = Date.now()\n'],
  ['typescript(ban-ts-comment)', 'workers/llm/planted.ts', '// @ts-ignore\nexport const value = 1\n'],
  ['typescript(no-non-null-assertion)', 'workers/llm/planted.ts', 'export const first = (list: string[]) => list[0]!\n'],
  ['vitest(no-focused-tests)', 'tests/planted.test.ts', "import { expect, test } from 'vitest'\ntest.only('x', () => expect(1).toBe(1))\n"],
]

const allowed: readonly (readonly [what: string, file: string, content: string])[] = [
  ['the terminal prints', 'main/cli/planted.ts', "console.log('x')\n"],
  ['a worker parses JSON', 'workers/llm/planted.ts', "export const value: unknown = JSON.parse('1')\n"],
  ['a worker knows the time', 'workers/llm/planted.ts', 'export const now = Date.now()\n'],
  [
    'a domain reads a date it is given',
    'workers/session/domain/planted.ts',
    'export const year = (text: string) => new Date(text).getFullYear()\n',
  ],
  [
    'a catch that decides something',
    'workers/llm/planted.ts',
    'export function read(text: string): unknown {\n  try {\n    return JSON.parse(text)\n  } catch {\n    return undefined\n  }\n}\n',
  ],
]

let copy = ''
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'metona-lint-'))
  await cp(join(root, '.oxlintrc.json'), join(copy, '.oxlintrc.json'))
})
afterAll(() => rm(copy, { recursive: true, force: true }))

async function lint(file: string, content: string): Promise<string[]> {
  await mkdir(dirname(join(copy, file)), { recursive: true })
  await writeFile(join(copy, file), content)
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [join(root, 'node_modules/oxlint/bin/oxlint'), '--format', 'json', file], { cwd: copy }, (_error, stdout) =>
      resolve(stdout),
    )
  })
  await rm(join(copy, file))
  const report = JSON.parse(output) as { diagnostics: { code: string }[]; number_of_files: number }
  expect(report.number_of_files).toBe(1)
  return report.diagnostics.map((found) => found.code)
}

test.each(breaches)('%s in %s', async (rule, file, content) => {
  expect(await lint(file, content)).toContain(rule)
})

test.each(allowed)('%s', async (_what, file, content) => {
  expect(await lint(file, content)).toEqual([])
})
