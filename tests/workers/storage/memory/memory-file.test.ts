import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { MemoryFileStore, type MemoryFileOptions } from '#workers/storage/memory/memory-file-store.ts'
import { createNew } from '#workers/storage/memory/memory-file-io.ts'
import { hashOf } from '#workers/storage/memory/memory-journal.ts'
import { newBase, openStorage, removeBase } from '../open-storage.ts'

const START = `# MEMORY.md
# 格式版本: 1.0
# 最后更新: 2026-01-01T00:00:00.000Z

## 待办事项
- [pending] first
- [pending] second
`

let root: string
let file: string
let stores: MemoryFileStore[]
beforeEach(() => {
  root = newBase()
  file = join(root, 'MEMORY.md')
  mkdirSync(join(root, '.metona'))
  writeFileSync(file, START)
  stores = []
})
afterEach(async () => {
  for (const store of stores) await store.close()
  removeBase(root)
})

function open(options: Partial<MemoryFileOptions> = {}): MemoryFileStore {
  const store = new MemoryFileStore({
    layout: { root, internals: join(root, '.metona') },
    profile: join(root, '.metona', 'profile'),
    now: () => '2026-07-01T00:00:00.000Z',
    ...options,
  })
  stores.push(store)
  return store
}
const add = (store: MemoryFileStore, text: string) => store.change({ kind: 'add', section: 'todo', text: `[pending] ${text}` })
const items = (): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => line.replace('- [pending] ', ''))
/** As editors save: the whole buffer, under the name. */
const save = (text: string): void => {
  writeFileSync(`${file}~`, text)
  renameSync(`${file}~`, file)
}

describe('an editor that saves a buffer older than our changes', () => {
  it('keeps what it added and what it removed, and gets back what it never saw', async () => {
    const store = open()
    const buffer = readFileSync(file, 'utf8')
    await add(store, 'ours')
    save(buffer.replace('- [pending] second\n', '- [pending] theirs\n'))
    expect(await store.mergeExternal()).toBe(1)
    expect(items()).toEqual(['first', 'theirs', 'ours'])
  })

  it('control: without the journal ours is gone', async () => {
    const store = open({ without: { journal: true } })
    const buffer = readFileSync(file, 'utf8')
    await add(store, 'ours')
    save(buffer)
    await store.mergeExternal()
    expect(items()).toEqual(['first', 'second'])
  })

  it('of a version before the last one loses only what came after it', async () => {
    const store = open()
    await add(store, 'one')
    const buffer = readFileSync(file, 'utf8')
    await add(store, 'two')
    await store.change({ kind: 'set_status', text: 'first', status: 'done' })
    save(buffer.replace('- [pending] one\n', ''))
    await add(store, 'three')
    expect(items()).toEqual(['- [done] first', 'second', 'two', 'three'])
  })

  it('without its header is still told by its lines', async () => {
    const store = open()
    await add(store, 'one')
    const buffer = readFileSync(file, 'utf8')
    await add(store, 'two')
    save(buffer.replace(/^# 最后更新.*\n/m, '').replace('- [pending] second\n', ''))
    await store.mergeExternal()
    expect(items()).toEqual(['first', 'one', 'two'])
  })

  it('is merged soon after it saved, without another change of ours, and somebody is told', async () => {
    let merged = 0
    const store = open({ onMerged: (count) => (merged += count) })
    const buffer = readFileSync(file, 'utf8')
    await add(store, 'ours')
    save(`${buffer}- [pending] theirs\n`)
    await eventually('the change to come back', () => items().includes('ours'))
    expect(merged).toBe(1)
  })

  it('in a later run of the app is told all the same', async () => {
    const buffer = readFileSync(file, 'utf8')
    await add(open(), 'ours')
    save(`${buffer}- [pending] theirs\n`)
    await add(open(), 'later')
    expect(items()).toEqual(['first', 'second', 'theirs', 'ours', 'later'])
  })
})

it('a version taken back to the byte stands: nothing that came after it is put back, now or later', async () => {
  const store = open()
  await add(store, 'kept')
  const committed = readFileSync(file, 'utf8')
  await add(store, 'one')
  await add(store, 'two')
  save(committed)
  expect([await store.mergeExternal(), readFileSync(file, 'utf8') === committed]).toEqual([0, true])
  await add(store, 'after')
  save(readFileSync(file, 'utf8').replace('- [pending] second\n', ''))
  await store.mergeExternal()
  expect(items()).toEqual(['first', 'kept', 'after'])
  save(START)
  expect([await store.mergeExternal(), readFileSync(file, 'utf8')]).toEqual([0, START])
})

it.each([3_600, -3_600, 1e8])('a time of change %i s from now holds nothing up', async (seconds) => {
  const at = Date.now() / 1000 + seconds
  utimesSync(file, at, at)
  const store = open()
  await add(store, 'ours')
  await store.close()
  expect(items()).toEqual(['first', 'second', 'ours'])
})

it('where the disk knows no links a new file is made whole, and never over another', () => {
  const path = join(root, 'NEW.md')
  createNew(path, START)
  expect(() => createNew(path, 'other')).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  expect(readFileSync(path, 'utf8')).toBe(START)
})

it('a file that is touched all the time is written all the same', async () => {
  const touching = setInterval(() => utimesSync(file, new Date(), new Date()), 5)
  try {
    await add(open(), 'ours')
  } finally {
    clearInterval(touching)
  }
  expect(items()).toEqual(['first', 'second', 'ours'])
})

it('what a disk that was full left behind of a text does not stand in the way', async () => {
  const store = open()
  mkdirSync(join(root, '.metona', 'memory'))
  const hash = hashOf(START)
  for (const name of [`${hash}.md`, 'journal.jsonl']) writeFileSync(join(root, '.metona', 'memory', `${name}.${process.pid}.tmp`), '# MEM')
  await add(store, 'ours')
  expect(readFileSync(join(root, '.metona', 'memory', `${hash}.md`), 'utf8')).toBe(START)
  expect(readdirSync(join(root, '.metona', 'memory')).filter((name) => name.startsWith(hash) && name.endsWith('.tmp'))).toEqual([])
})

it('a journal of 100 MiB is begun anew, unread', async () => {
  const store = open()
  await add(store, 'one')
  const journal = join(root, '.metona', 'memory', 'journal.jsonl')
  truncateSync(journal, 100 * 1024 * 1024)
  await add(store, 'two')
  expect([items(), statSync(journal).size < 10_000]).toEqual([['first', 'second', 'one', 'two'], true])
})

it('what a person removes from the newest text stays removed, also our last change', async () => {
  const store = open()
  await add(store, 'ours')
  save(readFileSync(file, 'utf8').replace('- [pending] ours\n', ''))
  expect(await store.mergeExternal()).toBe(0)
  await add(store, 'another')
  expect(items()).toEqual(['first', 'second', 'another'])
})

it('a text nothing of ours resembles stands as it is', async () => {
  const store = open()
  await add(store, 'ours')
  save('## 待办事项\n- [pending] brand new\n')
  expect(await store.mergeExternal()).toBe(0)
  expect(items()).toEqual(['brand new'])
})

it('at most 20 texts are kept, and nothing is left of temporary files', async () => {
  const store = open()
  writeFileSync(join(root, '.metona', 'left.tmp'), '')
  for (let count = 0; count < 25; count++) await add(store, `item ${count}`)
  writeFileSync(join(root, '.metona', 'memory', 'MEMORY.md.1.abc.tmp'), 'left by a kill')
  await add(store, 'last')
  const names = readdirSync(join(root, '.metona', 'memory'))
  expect([names.filter((name) => name.endsWith('.md')).length <= 20, names.filter((name) => name.endsWith('.tmp'))]).toEqual([true, []])
  expect(readdirSync(root).toSorted()).toEqual(['.metona', 'MEMORY.md'])
})

it.skipIf(process.platform === 'win32').each([0o664, 0o666, 0o640, 0o600, 0o755])('mode %o is kept, whatever the mask', async (mode) => {
  chmodSync(file, mode)
  const mask = process.umask(0o022)
  try {
    await add(open(), 'ours')
  } finally {
    process.umask(mask)
  }
  expect(statSync(file).mode & 0o777).toBe(mode)
})

it('a missing file is made; mode and a link inside the folder are kept', async () => {
  const store = open()
  mkdirSync(join(root, 'notes'))
  renameSync(file, join(root, 'notes', 'real.md'))
  chmodSync(join(root, 'notes', 'real.md'), 0o600)
  symlinkSync(join('notes', 'real.md'), file)
  await add(store, 'through the link')
  expect([readFileSync(join(root, 'notes', 'real.md'), 'utf8').includes('through the link'), statSync(file).mode & 0o777]).toEqual([
    true,
    0o600,
  ])
  renameSync(file, join(root, 'gone'))
  await add(store, 'anew')
  expect(items()).toContain('anew')
})

describe('left alone, with the reason:', () => {
  it.each([
    ['a newer format', () => save(START.replace('1.0', '2.0')), 'MEMORY_READ_ONLY'],
    ['another encoding', () => writeFileSync(file, Buffer.from([0xc4, 0xe3, 0xba, 0xc3, 10])), 'MEMORY_READ_ONLY'],
    ['a link out of the folder', () => linkTo('/etc/hostname'), 'MEMORY_FILE_UNSAFE'],
    ['a link that leads nowhere', () => linkTo('/nowhere/at/all'), 'MEMORY_FILE_UNSAFE'],
  ])('%s', async (_what, prepare, code) => {
    prepare()
    const before = existsSync(file) ? readFileSync(file) : undefined
    await expect(add(open(), 'x')).rejects.toMatchObject({ code })
    expect(existsSync(file) ? readFileSync(file) : undefined).toEqual(before)
  })

  const linkTo = (target: string): void => {
    renameSync(file, join(root, 'other'))
    symlinkSync(target, file)
  }
})

it('the service shows items, statuses and problems with their lines, and leaves out of a turn what the file says already', async () => {
  const base = newBase()
  const storage = openStorage(base)
  await storage.open()
  const workspace = storage.folder
  await storage.service.memoryFileChange({
    workspace,
    operation: { kind: 'add', section: 'preferences', text: '[style] answers must be short' },
  })
  await storage.service.memoryAdd({ workspace, item: { content: 'Answers must be short', source: 'user_input' } })
  await storage.service.memoryAdd({ workspace, item: { content: 'Answers must cite the file and the line', source: 'user_input' } })
  const { hits } = await storage.service.memorySearch({ workspace, query: 'answers', purpose: 'relevant', limit: 8 })
  expect(hits.map(({ content }) => content)).toEqual(['Answers must cite the file and the line'])
  const text = readFileSync(join(workspace, 'MEMORY.md'), 'utf8')
  writeFileSync(join(workspace, 'MEMORY.md'), text.replace('- [style] answers must be short', '- answers must be short'))
  const view = await storage.service.memoryFileRead({ workspace })
  const line = text.split('\n').indexOf('- [style] answers must be short') + 1
  expect([view.state, view.version, view.sections.map(({ section, items: list }) => [section, list]), view.problems]).toEqual([
    'ready',
    '1.0',
    [
      ['preferences', [{ line, text: 'answers must be short', valid: false }]],
      ['context', []],
      ['decisions', []],
      ['todo', []],
      ['issues', []],
    ],
    [{ line, code: 'wrong_form', text: '- answers must be short', expected: '- [类别] 内容描述' }],
  ])
  await storage.close()
  removeBase(base)
})
