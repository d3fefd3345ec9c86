import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { proof } from '../helpers/proof.ts'
import { logLines, logName, must, openStorage, removeBase, type TestStorage } from '../workers/storage/open-storage.ts'
import { randomFrom, sessionScript } from '../workers/storage/session-script.ts'

const MUTATIONS = proof(500, 60)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const PAGE = 4096
const SESSIONS = ['s_one', 's_two', 's_three']
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

let original: TestStorage
let otherWal: Buffer
beforeAll(async () => {
  process.stdout.write(`damaged files: seed ${SEED}\n`)
  original = openStorage(mkdtempSync(join(PARENT, 'metona-damage-')))
  await original.open()
  for (const [index, sessionId] of SESSIONS.entries()) await original.append(sessionScript({ sessionId, seed: index, turns: 4 }))
  otherWal = await foreignWal()
  await original.close()
})
afterAll(() => removeBase(original.base))

/** A WAL of the same page size with content of its own. */
async function foreignWal(): Promise<Buffer> {
  const other = openStorage(mkdtempSync(join(PARENT, 'metona-damage-')))
  await other.open()
  await other.append(sessionScript({ sessionId: 's_foreign', seed: 99 }))
  const wal = readFileSync(join(other.folder, '.metona', 'agent.db-wal'))
  await other.close()
  removeBase(other.base)
  return wal
}

type Mutation = (bytes: Buffer, random: () => number) => Buffer

const MUTATIONS_OF_BYTES: Record<string, Mutation> = {
  'bits flipped': (bytes, random) => {
    const copy = Buffer.from(bytes)
    for (let count = 1 + Math.floor(random() * 8); count > 0; count--) {
      const at = Math.floor(random() * copy.length)
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at)
    }
    return copy
  },
  'cut at a page': (bytes, random) => bytes.subarray(0, PAGE * Math.floor((random() * bytes.length) / PAGE)),
  'cut anywhere': (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  'a page of zeros': (bytes, random) => filled(bytes, random, () => 0),
  'a page of noise': (bytes, random) => filled(bytes, random, () => Math.floor(random() * 256)),
  'a page copied over another': (bytes, random) => {
    const copy = Buffer.from(bytes)
    const pages = bytes.length / PAGE
    bytes.copy(copy, PAGE * Math.floor(random() * pages), PAGE * Math.floor(random() * pages), PAGE * Math.floor(random() * pages) + PAGE)
    return copy
  },
  'a changed header': (bytes, random) => {
    const copy = Buffer.from(bytes)
    copy.writeUInt8(Math.floor(random() * 256), Math.floor(random() * 100))
    return copy
  },
  empty: () => Buffer.alloc(0),
  'all noise': (bytes, random) => Buffer.from(bytes.map(() => Math.floor(random() * 256))),
  'text instead': () => Buffer.from('this is no database\n'.repeat(300)),
}

function filled(bytes: Buffer, random: () => number, byte: () => number): Buffer {
  const copy = Buffer.from(bytes)
  const page = PAGE * Math.floor(random() * (bytes.length / PAGE))
  for (let at = page; at < page + PAGE; at++) copy.writeUInt8(byte(), at)
  return copy
}

function copyOf(storage: TestStorage): TestStorage {
  const copy = openStorage(mkdtempSync(join(PARENT, 'metona-damage-')))
  cpSync(storage.folder, copy.folder, { recursive: true })
  // The copy's own snapshot would hide whether the logs alone suffice; every second case has none.
  return copy
}

describe(`${MUTATIONS} mutated database files`, () => {
  it('crash nothing, hide nothing and are told of once each', { timeout: 900_000 }, async () => {
    const random = randomFrom(SEED)
    const names = [...Object.keys(MUTATIONS_OF_BYTES), 'a WAL of another database']
    for (let index = 0; index < MUTATIONS; index++) {
      const name = must(names[index % names.length])
      const copy = copyOf(original)
      const database = join(copy.folder, '.metona', 'agent.db')
      if (index % 2 === 0) rmSync(join(copy.folder, '.metona', 'snapshots'), { recursive: true, force: true })
      const before = readFileSync(database)
      const mutate = MUTATIONS_OF_BYTES[name]
      const after = mutate === undefined ? before : mutate(before, random)
      writeFileSync(database, after)
      if (mutate === undefined) writeFileSync(`${database}-wal`, otherWal)
      const what = `${name}, number ${index}, seed ${SEED}`

      const { banners, readOnly } = await copy.open()
      const { sessions } = await copy.service.listSessions({ workspace: copy.folder })
      expect(sessions.map((session) => session.sessionId).sort(), what).toEqual([...SESSIONS].sort())
      const isChanged = mutate === undefined || !after.equals(before)
      const { differences } = await copy.service.verify({ path: copy.folder })
      if (banners.length === 0) {
        // Only damage that changes nothing that could be read may pass without a word.
        expect(differences, what).toEqual([])
        for (const [position, sessionId] of SESSIONS.entries()) {
          const { events } = await copy.service.readEvents({ workspace: copy.folder, sessionId, fromSeq: 0, limit: 5000 })
          expect(events, what).toEqual(sessionScript({ sessionId, seed: position, turns: 4 }))
        }
      } else {
        expect(isChanged, what).toBe(true)
        expect(
          banners.map((banner) => banner.code),
          what,
        ).toHaveLength(1)
        if (banners[0]?.code !== 'DATABASE_ALTERED' && !readOnly) expect(differences, what).toEqual([])
      }
      await copy.close()
      removeBase(copy.base)
    }
  })

  it('are seen at all: an unharmed copy opens without a word (control)', async () => {
    const copy = copyOf(original)
    expect((await copy.open()).banners).toEqual([])
    await copy.close()
    removeBase(copy.base)
  })
})

describe('a log cut at every byte of its last line', () => {
  it('is repaired with one notice each, and nothing is lost', { timeout: 300_000 }, async () => {
    const copy = copyOf(original)
    const log = join(copy.folder, 'logs', must(logName(copy.folder, 's_two')))
    const whole = readFileSync(log)
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1
    expect(whole.length - start).toBeGreaterThan(100)
    let storage = copy
    for (let end = start; end < whole.length; end++) {
      truncateSync(log, end)
      const { banners } = await storage.open()
      expect(
        banners.map((banner) => banner.code),
        `cut at ${end - start}`,
      ).toEqual([end === start ? 'LOG_COMPLETED' : 'LOG_REPAIRED'])
      expect(readFileSync(log).equals(whole), `cut at ${end - start}`).toBe(true)
      await storage.close()
      storage = storage.again()
    }
    removeBase(copy.base)
  })

  it('without a database costs that line alone', { timeout: 300_000 }, async () => {
    const copy = copyOf(original)
    const log = join(copy.folder, 'logs', must(logName(copy.folder, 's_two')))
    const whole = readFileSync(log)
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1
    const events = sessionScript({ sessionId: 's_two', seed: 1, turns: 4 })
    let storage = copy
    for (let end = start; end < whole.length; end += 7) {
      writeFileSync(log, whole.subarray(0, end))
      rmSync(join(copy.folder, '.metona'), { recursive: true, force: true })
      const { banners } = await storage.open()
      expect(banners.map((banner) => banner.code)).toEqual(end === start ? ['DATABASE_MISSING'] : ['DATABASE_MISSING', 'LOG_REPAIRED'])
      expect(logLines(copy.folder, 's_two')).toHaveLength(events.length - 1)
      expect((await storage.service.readEvents({ workspace: copy.folder, sessionId: 's_two', fromSeq: 0, limit: 5000 })).events).toEqual(
        events.slice(0, -1),
      )
      await storage.close()
      storage = storage.again()
    }
    expect(readdirSync(copy.folder)).toContain('logs')
    removeBase(copy.base)
  })
})
