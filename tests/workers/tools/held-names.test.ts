// needs: bwrap
/** What the sandbox holds or hides shows in what tools answer: what happened, and what to do. */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { maskedNote } from '#workers/tools/commands/masked-note.ts'
import { createToolBench, type ToolBench } from './tool-bench.ts'

const without = missingProgram('bwrap', 'names that the sandbox holds')
let bench: ToolBench
beforeEach(async () => {
  bench = await createToolBench('auto')
})
afterEach(() => bench.close())

test.skipIf(without)('a held name: the start says it, the write says which command, and after its end it is written', async () => {
  const { result } = await bench.call('run_command', { command: 'sleep 600', background: true })
  const id = /as (cmd_\d+)/.exec(String(result.result))?.[1]
  expect(String(result.result)).toContain('.env')
  const refused = await bench.prepare('write_file', { file_path: '.env', content: 'A=1\n' })
  expect(refused.ok).toBe(false)
  expect(JSON.stringify(refused)).toContain(`Stop ${id} with stop_command, write it, and start the command again.`)
  await bench.call('stop_command', { command_id: id })
  await bench.call('write_file', { file_path: '.env', content: 'A=1\n' })
  expect(await readFile(join(bench.workspace, '.env'), 'utf8')).toBe('A=1\n')
})

test.skipIf(without)('git stopped at a masked file: the result says why and how to go on, and that works', async () => {
  execFileSync('git', ['init', '-q', '--template=', bench.workspace])
  for (const name of ['.env', 'a']) await writeFile(join(bench.workspace, name), 'text\n')
  const { result } = await bench.call('run_command', { command: 'git add -A' })
  const way = /\((git add [^)]*)\)/.exec(String(result.result))?.[1]
  expect(String(result.result)).toContain('.env may hold secrets')
  const second = await bench.call('run_command', { command: `${way} && git ls-files` })
  expect(String(second.result.result)).toMatch(/^a\n/)
})

test('a command that says nothing of the kind is not explained', () => {
  expect(maskedNote('error: pathspec .env did not match\n')).toBeUndefined()
  expect(
    maskedNote('error: a b/.env: can only add regular files, symbolic links or git-directories\nfatal: adding files failed\n'),
  ).toContain('[a b/.env may hold secrets')
  const evil = maskedNote("error: ';evil;': can only add regular files, symbolic links or git-directories")
  expect(evil).not.toContain('git add -A')
})
