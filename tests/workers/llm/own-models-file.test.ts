import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ownModelsFile } from '#workers/llm/own-models-file.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'metona-models-'))
  file = path.join(folder, 'models.json')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const content = async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'))

test('a missing file has no entries, and comes with the first change', async () => {
  const models = ownModelsFile(file)
  expect(await models.read()).toEqual({})
  await models.set('a/b', { contextWindow: 4096 })
  expect(await content()).toEqual({ models: { 'a/b': { contextWindow: 4096 } } })
  expect(await models.read()).toEqual({ 'a/b': { contextWindow: 4096 } })
})

test('what the person wrote beside it is kept, and nothing is left over', async () => {
  await writeFile(file, '\uFEFF{ "currency": { "deepseek": "CNY" }, "models": { "own/one": { "maxOutput": 5 }, "broken/two": 7 } }')
  const models = ownModelsFile(file)
  await models.set('a/b', { displayName: 'B' })
  expect(await content()).toEqual({
    currency: { deepseek: 'CNY' },
    models: { 'own/one': { maxOutput: 5 }, 'broken/two': 7, 'a/b': { displayName: 'B' } },
  })
  expect(await models.read()).toEqual({ 'own/one': { maxOutput: 5 }, 'a/b': { displayName: 'B' } })
  expect(await readdir(folder)).toEqual(['models.json'])
})

test('changes made at once all count; null takes one out', async () => {
  const models = ownModelsFile(file)
  await Promise.all(['a/1', 'a/2', 'a/3'].map((model) => models.set(model, { maxOutput: 1 })))
  await Promise.all([models.set('a/2', null), models.set('a/3', { maxOutput: 2 })])
  expect(await models.read()).toEqual({ 'a/1': { maxOutput: 1 }, 'a/3': { maxOutput: 2 } })
})

test.for(['{ "models": ', '[]', '"text"'])('a damaged file (%s) is refused and left as it is; a repaired one is taken', async (damaged) => {
  await writeFile(file, damaged)
  const models = ownModelsFile(file)
  await expect(models.set('a/b', { maxOutput: 1 })).rejects.toMatchObject({ code: 'MODELS_FILE_DAMAGED' })
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual([damaged, ['models.json']])
  await writeFile(file, '{}')
  await models.set('a/b', { maxOutput: 1 })
  expect(await models.read()).toEqual({ 'a/b': { maxOutput: 1 } })
})
