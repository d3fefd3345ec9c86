import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createToolBench, type ToolBench } from './tool-bench.ts'

let bench: ToolBench
beforeEach(async () => {
  bench = await createToolBench()
})
afterEach(() => bench.close())

const SESSION = 's_test000001'
const context = { signal: new AbortController().signal }
const undo = (callIds?: string[], sessionId = SESSION) =>
  bench.handlers.undo({ workspace: bench.workspace, sessionId, ...(callIds === undefined ? {} : { callIds }) }, context)
const content = (name: string): string | undefined =>
  existsSync(join(bench.workspace, name)) ? readFileSync(join(bench.workspace, name), 'utf8') : undefined

test('a call, then the whole session, is taken back; a made file is removed', async () => {
  await bench.file('a.txt', 'one\n')
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'one', new_text: 'two' }, { callId: 'tc_1' })
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'two', new_text: 'three' }, { callId: 'tc_2' })
  await bench.call('write_file', { file_path: 'new.txt', content: 'x' }, { callId: 'tc_3' })
  expect(await undo(['tc_2'])).toEqual({ restored: [{ path: 'a.txt', callId: 'tc_2', removed: false }], refused: [] })
  expect(content('a.txt')).toBe('two\n')
  expect(await undo()).toEqual({
    restored: [
      { path: 'new.txt', callId: 'tc_3', removed: true },
      { path: 'a.txt', callId: 'tc_1', removed: false },
    ],
    refused: [],
  })
  expect([content('a.txt'), content('new.txt')]).toEqual(['one\n', undefined])
  expect(await undo()).toEqual({ restored: [], refused: [] })
})

test('a file changed since is refused by itself, with its older changes; the others are taken back', async () => {
  await bench.file('a.txt', 'one\n')
  await bench.file('b.txt', 'one\n')
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'one', new_text: 'two' }, { callId: 'tc_1' })
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'two', new_text: 'three' }, { callId: 'tc_2' })
  await bench.call('edit_file', { file_path: 'b.txt', old_text: 'one', new_text: 'two' }, { callId: 'tc_3' })
  writeFileSync(join(bench.workspace, 'a.txt'), 'by the user\n')
  expect(await undo()).toEqual({
    restored: [{ path: 'b.txt', callId: 'tc_3', removed: false }],
    refused: [
      { path: 'a.txt', callId: 'tc_2', reason: 'it was changed since' },
      { path: 'a.txt', callId: 'tc_1', reason: 'a later change of this file could not be taken back' },
    ],
  })
  expect([content('a.txt'), content('b.txt')]).toEqual(['by the user\n', 'one\n'])
})

test('another session’s later change is not undone under it', async () => {
  await bench.file('a.txt', 'one\n')
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'one', new_text: 'two' }, { callId: 'tc_1' })
  const other = { sessionId: 's_other00001', callId: 'tc_2' }
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'two', new_text: 'three' }, other)
  expect(await undo()).toMatchObject({ restored: [], refused: [{ path: 'a.txt', reason: 'it was changed since' }] })
  expect(content('a.txt')).toBe('three\n')
})

test('an undo does not follow a folder that became a link out of the workspace', async () => {
  await bench.file('sub/a.txt', 'one\n')
  await bench.call('edit_file', { file_path: 'sub/a.txt', old_text: 'one', new_text: 'two' }, { callId: 'tc_1' })
  renameSync(join(bench.workspace, 'sub'), join(bench.workspace, 'moved'))
  mkdirSync(join(bench.outside, 'sub'))
  writeFileSync(join(bench.outside, 'sub/a.txt'), 'two\n')
  symlinkSync(join(bench.outside, 'sub'), join(bench.workspace, 'sub'))
  expect(await undo()).toMatchObject({ restored: [], refused: [{ path: 'sub/a.txt', reason: 'its path leads somewhere else now' }] })
  expect(readFileSync(join(bench.outside, 'sub/a.txt'), 'utf8')).toBe('two\n')
})

test('changes are listed, survive a new worker, and a torn last line is left out', async () => {
  await bench.file('a.txt', 'one\n')
  await bench.call('edit_file', { file_path: 'a.txt', old_text: 'one', new_text: 'two' }, { callId: 'tc_1' })
  const listed = await bench.handlers.listChanges({ workspace: bench.workspace, sessionId: SESSION }, context)
  expect(listed.changes).toMatchObject([{ callId: 'tc_1', path: 'a.txt', created: false }])
  const { CheckpointStore } = await import('#workers/tools/files/checkpoint-store.ts')
  expect((await new CheckpointStore(bench.profile).list(bench.workspace, SESSION)).map((change) => change.callId)).toEqual(['tc_1'])
})

test('when the content before cannot be kept, the file is not changed', async () => {
  await bench.file('a.txt', 'one\n')
  writeFileSync(join(bench.profile, 'checkpoints'), 'a file where the folder should be')
  const answer = await bench.call('edit_file', { file_path: 'a.txt', old_text: 'one', new_text: 'two' })
  expect(answer.result.success).toBe(false)
  expect(content('a.txt')).toBe('one\n')
})
