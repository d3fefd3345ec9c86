import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UsageError } from '#main/cli/arguments.ts'
import { readBatchLines } from '#main/cli/batch-lines.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'metona-batch-'))
  await writeFile(path.join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true }))

const read = (content: string) => readBatchLines(content, { file: 'jobs.jsonl', folder, language: 'en' })

test('lines keep their number in the file; blank ones, a byte order mark and CRLF do not disturb', async () => {
  expect(
    await read('\uFEFF{"prompt":"one"}\r\n\n   \n{"prompt":"two","model":"demo/scripted","id":"b","session":"s_1","workspace":"/"}'),
  ).toEqual([
    { line: 1, prompt: 'one', workspace: folder, model: undefined, id: undefined, session: undefined },
    { line: 4, prompt: 'two', workspace: '/', model: 'demo/scripted', id: 'b', session: 's_1' },
  ])
})

test.each<[string, string]>([
  ['{"prompt":"ok"}\n{oops', 'it is no JSON'],
  ['{"prompt":"ok"}\n["prompt"]', 'it is no JSON object'],
  ['{"prompt":"ok"}\n{"promt":"x"}', '"prompt" is missing or empty'],
  ['{"prompt":"ok"}\n{"prompt":"  "}', '"prompt" is missing or empty'],
  ['{"prompt":"ok"}\n{"prompt":5}', '"prompt" is missing or empty'],
  ['{"prompt":"ok"}\n{"prompt":"x","session":7}', '"workspace", "model", "id" and "session" must be text'],
  ['{"prompt":"ok"}\n{"prompt":"x","model":"gpt"}', '"model" must be written PROVIDER/MODEL'],
  ['{"prompt":"ok"}\n{"prompt":"x","workspace":"/nowhere at all"}', '"workspace" is no folder'],
  ['{"prompt":"ok","id":"a"}\n{"prompt":"x","id":"a"}', 'its "id" stands in an earlier line too'],
])('%j is refused: %s', async (content, reason) => {
  await expect(read(content)).rejects.toMatchObject({ code: 'BAD_LINE', params: { file: 'jobs.jsonl', line: '2', reason } })
  await expect(read(content)).rejects.toBeInstanceOf(UsageError)
})

test('a file is no folder', async () => {
  await expect(read(`{"prompt":"x","workspace":${JSON.stringify(path.join(folder, 'file'))}}`)).rejects.toMatchObject({
    params: { reason: '"workspace" is no folder' },
  })
})

test('a file without lines is refused', async () => {
  await expect(read('\n\n')).rejects.toMatchObject({ code: 'NO_LINES' })
})
