// needs: bwrap
/** What the sandbox holds or hides shows in what tools answer: what happened, and what to do. */
import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { heldNote, ignoredNote, maskedNote } from '#workers/tools/commands/masked-note.ts'
import type { CommandToWrap, WrappedCommand } from '#workers/tools/sandbox/sandbox.ts'
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
  // All that is held and nothing else, by what is there.
  const named = /stands for each\): (.*)\. Make them before/.exec(String(result.result))?.[1]?.split(', ')
  expect(named?.toSorted()).toEqual((await readdir(bench.workspace)).toSorted())
  expect(named).toContain('.env')
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

test.skipIf(without)('git takes masked files for ignored: a command that runs it says that this is so in the sandbox only', async () => {
  execFileSync('git', ['init', '-q', bench.workspace])
  for (const name of ['.env', 'a']) await writeFile(join(bench.workspace, name), 'text\n')
  const seen = async (command: string): Promise<string> => String((await bench.call('run_command', { command })).result.result)
  const note = /^\[.*git in here counts them as ignored.*: \.env\./m
  // A file that the command names is not masked.
  const asked = "printf '.en\\166' | git check-ignore --stdin"
  expect(await seen(asked)).toMatch(note)
  expect(await seen('cd . && /usr/bin/git status --porcelain')).toMatch(note)
  expect(await seen('cat a .gitignore')).not.toMatch(note)
  // It sees the file, so what git says is true: it is not ignored.
  const named = await seen('git status --porcelain -- .env; cat .env')
  expect(named).toMatch(/^\?\? \.env$/m)
  expect(named).not.toMatch(note)
  // git has no list here that could be added to.
  await rm(join(bench.workspace, '.git', 'info', 'exclude'))
  expect(await seen(asked)).not.toMatch(note)
})

test('where the sandbox has no stand-ins and no masks, none are spoken of', async () => {
  expect(heldNote([])).toBe('')
  // As `sandbox-exec` has it.
  Object.assign(bench.services, {
    sandbox: {
      state: async () => ({ kind: 'seatbelt' }),
      unheld: async () => undefined,
      opensDomains: async () => false,
      wrap: async ({ argv, env, workspace }: CommandToWrap): Promise<WrappedCommand> => ({ argv, env, cwd: workspace }),
    },
  })
  const { result } = await bench.call('run_command', { command: 'sleep 600', background: true })
  expect(String(result.result)).toMatch(/with stop_command\.$/)
  const failed = await bench.call('run_command', {
    command: "echo 'error: .env: can only add regular files, symbolic links or git-directories'; false",
  })
  expect(String(failed.result.result)).not.toMatch(/sandbox/)
})

test('many masked names are counted, and only a command with git is told of them', () => {
  const names = Array.from({ length: 12 }, (_, index) => `${index}/.env`)
  expect(ignoredNote('git status', { names, ignored: true })).toMatch(/ 9\/\.env and 2 more\./)
  for (const command of ['cat .gitignore', 'ls .git', 'npm run git-all', 'digit', 'gitk'])
    expect([command, ignoredNote(command, { names, ignored: true })]).toEqual([command, undefined])
  for (const command of ['a;git add -A', '(git status)', 'GIT_DIR=x git log', '"/usr/bin/git" diff', 'git'])
    expect([command, ignoredNote(command, { names, ignored: true }) !== undefined]).toEqual([command, true])
})

test('a command that says nothing of the kind is not explained', () => {
  expect(maskedNote('error: pathspec .env did not match\n')).toBeUndefined()
  expect(
    maskedNote('error: a b/.env: can only add regular files, symbolic links or git-directories\nfatal: adding files failed\n'),
  ).toContain('[a b/.env may hold secrets')
  const evil = maskedNote("error: ';evil;': can only add regular files, symbolic links or git-directories")
  expect(evil).not.toContain('git add -A')
})
