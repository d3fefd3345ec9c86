/** Saves of others that have lost changes of ours: which are merged, which stand, and what the person is told. */
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { MemoryFileStore } from '#workers/storage/memory/memory-file-store.ts'
import { editorBase } from '#workers/storage/domain/merge-edit.ts'
import { newBase, openStorage, removeBase } from '../open-storage.ts'

const START = '# MEMORY.md\n# 格式版本: 1.0\n# 最后更新: 2026-01-01T00:00:00.000Z\n\n## 待办事项\n- [pending] first\n- [pending] second\n'

let root: string
let file: string
let store: MemoryFileStore
let told: [count: number, kept: string][]
beforeEach(() => {
  root = newBase()
  file = join(root, 'MEMORY.md')
  mkdirSync(join(root, '.metona'))
  writeFileSync(file, START)
  told = []
  store = new MemoryFileStore({
    layout: { root, internals: join(root, '.metona') },
    profile: join(root, '.metona', 'profile'),
    now: () => '2026-07-01T00:00:00.000Z',
    onLeftOut: (count, kept) => told.push([count, kept]),
  })
})
afterEach(async () => {
  await store.close()
  removeBase(root)
})
const add = (text: string) => store.change({ kind: 'add', section: 'todo', text: `[pending] ${text}` })
const read = (): string => readFileSync(file, 'utf8')
const save = (text: string): void => {
  writeFileSync(`${file}~`, text)
  renameSync(`${file}~`, file)
}

describe('an earlier text to the byte', () => {
  it('stands, and the person is told how many changes are not in it and where they are', async () => {
    await add('one')
    await add('two')
    const ours = read()
    save(START)
    expect([await store.mergeExternal(), read()]).toEqual([0, START])
    expect(told.map(([count]) => count)).toEqual([2])
    expect(readFileSync(told[0]?.[1] ?? '', 'utf8')).toBe(ours)
    // Said once.
    await store.mergeExternal()
    await add('three')
    expect(told.length).toBe(1)
  })

  it('is left again by putting the kept text back, and then nothing is missing', async () => {
    await add('one')
    const ours = read()
    save(START)
    await store.mergeExternal()
    copyFileSync(told[0]?.[1] ?? '', file)
    await store.mergeExternal()
    expect([read(), told.map(([count]) => count)]).toEqual([ours, [1, 0]])
  })
})

it('a text that is new altogether stands too, and that is told', async () => {
  await add('one')
  save('## 待办事项\n- [pending] brand new\n')
  await store.mergeExternal()
  expect([read(), told.map(([count]) => count)]).toEqual(['## 待办事项\n- [pending] brand new\n', [1]])
})

it('a short text without a header is known again, however much was written besides', async () => {
  save('## 待办事项\n- [pending] first\n')
  await add('ours')
  save(`## 待办事项\n- [pending] first\n${[1, 2, 3, 4, 5, 6, 7, 8].map((line) => `- [pending] theirs ${line}\n`).join('')}`)
  expect(await store.mergeExternal()).toBe(1)
  expect([read().includes('- [pending] ours\n'), read().includes('theirs 8'), told]).toEqual([true, true, []])
})

it('of versions without a header that one is the base whose lines are there, and the fullest of these', () => {
  const line = fc.integer({ min: 0, max: 30 }).map((number) => `- line ${number}`)
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { minLength: 8 }),
      fc.nat(),
      fc.array(fc.string({ maxLength: 8 }), { maxLength: 30 }),
      (lines, seen, more) => {
        // Each version has one line more; the editor saw one of them.
        const versions = lines.map((_line, index) => ({ hash: String(index), text: lines.slice(0, index + 1).join('\n') }))
        const from = seen % versions.length
        const text = [...lines.slice(0, from + 1), ...more.map((words) => `+ ${words}`)].join('\n')
        const journal = versions.map(({ hash }) => ({ after: hash }))
        expect(editorBase(text, journal, () => versions)).toBe(from)
      },
    ),
  )
})

it('the app says so, and stops saying so when the text is back', async () => {
  const base = newBase()
  const storage = openStorage(base)
  await storage.open()
  const path = join(storage.folder, 'MEMORY.md')
  const before = readFileSync(path, 'utf8')
  await storage.service.memoryFileChange({ workspace: storage.folder, operation: { kind: 'add', section: 'todo', text: '[pending] ours' } })
  const banner = async () => (await storage.service.banners({})).banners.find(({ code }) => code === 'MEMORY_LEFT_OUT')
  writeFileSync(path, before)
  await eventually('the notice', async () => (await banner()) !== undefined)
  const { params } = (await banner()) ?? {}
  copyFileSync(join(storage.folder, String(params?.file)), path)
  await eventually('its end', async () => (await banner()) === undefined)
  expect([params?.count, readFileSync(path, 'utf8').includes('ours')]).toEqual([1, true])
  await storage.close()
  removeBase(base)
})
