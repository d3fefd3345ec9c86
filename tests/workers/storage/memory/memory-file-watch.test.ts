/** Saves of other programs are noticed, in every run of the app and also where MEMORY.md is a link. */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#tests/helpers/eventually.ts'
import { MemoryFileStore } from '#workers/storage/memory/memory-file-store.ts'
import { newBase, openStorage, removeBase, type TestStorage } from '../open-storage.ts'

let storage: TestStorage
let file: string
beforeEach(async () => {
  storage = openStorage(newBase())
  await storage.open()
  file = join(storage.folder, 'MEMORY.md')
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})
const add = (text: string) =>
  storage.service.memoryFileChange({ workspace: storage.folder, operation: { kind: 'add', section: 'todo', text: `[pending] ${text}` } })
const theirs = (buffer: string): string => `${buffer}- 问题 | 处处 | 无\n`
const bothThere = (): boolean => ['ours', '处处'].every((word) => readFileSync(file, 'utf8').includes(word))

it('a save between two runs is merged soon after the folder is opened again, and later ones too, with nothing asked of us', async () => {
  const buffer = readFileSync(file, 'utf8')
  await add('ours')
  await storage.close()
  writeFileSync(file, theirs(buffer))
  storage = storage.again()
  await storage.open()
  await eventually('both lines', bothThere)
  writeFileSync(file, `${theirs(buffer)}- 另一个 | 处 | 无\n`)
  await eventually('all three', () => bothThere() && readFileSync(file, 'utf8').includes('另一个'))
  expect((await storage.service.banners({})).banners.map(({ code }) => code)).toContain('MEMORY_MERGED')
})

describe('where MEMORY.md is a link inside the folder', () => {
  let store: MemoryFileStore
  let real: string
  beforeEach(async () => {
    // Without the app, which looks at the file by itself after a while.
    await storage.close()
    mkdirSync(join(storage.folder, 'notes'))
    real = join(storage.folder, 'notes', 'real.md')
    store = new MemoryFileStore({
      layout: { root: storage.folder, internals: join(storage.folder, '.metona') },
      profile: storage.profile,
      now: () => '2027-07-01T00:00:00.000Z',
      onMerged: () => undefined,
    })
  })
  afterEach(() => store.close())
  const change = (text: string) => store.change({ kind: 'add', section: 'todo', text: `[pending] ${text}` })

  it.each([
    ['written in place', (path: string, text: string) => writeFileSync(path, text)],
    [
      'put in place of it',
      (path: string, text: string) => {
        writeFileSync(`${path}~`, text)
        renameSync(`${path}~`, path)
      },
    ],
  ])('a save of the file it leads to is noticed: %s', async (_how, save) => {
    renameSync(file, real)
    symlinkSync(join('notes', 'real.md'), file)
    const buffer = readFileSync(real, 'utf8')
    await change('ours')
    save(real, theirs(buffer))
    await eventually('both lines', bothThere)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
  })

  it('a name that becomes a link later is followed', async () => {
    await change('ours')
    const present = readFileSync(file, 'utf8')
    writeFileSync(real, present)
    rmSync(file)
    symlinkSync(join('notes', 'real.md'), file)
    await change('more')
    writeFileSync(real, theirs(present))
    await eventually('all lines', () => bothThere() && readFileSync(real, 'utf8').includes('more'))
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
  })
})
