import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { proof } from '../helpers/proof.ts'
import { openStorage, type TestStorage } from '../workers/storage/open-storage.ts'
import { randomFrom, sessionScript } from '../workers/storage/session-script.ts'
import { describeWith, hasProgram } from './needs.ts'
import { imageAfterCut, writeImage } from './power-cut.ts'
import { readStrace, TRACED_CALLS, type DiskOperation } from './strace-log.ts'

const CUTS = proof(1000, 200)
const CONTROL_CUTS = proof(200, 60)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

/** In memory where there is such a place: the images are never meant to last. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
let base: string

const scripts = new Map<string, SessionEvent[]>(
  ['s_one', 's_two', 's_three'].map((sessionId, index) => [
    sessionId,
    sessionScript({ sessionId, seed: index + 1, turns: 3, answerLength: 400 }),
  ]),
)

function trace(synchronous: 'FULL' | 'NORMAL'): DiskOperation[] {
  const folder = join(base, synchronous)
  mkdirSync(folder)
  const log = join(base, `${synchronous}.strace`)
  const writer = fileURLToPath(new URL('storage-power-writer.ts', import.meta.url))
  const run = spawnSync(
    'strace',
    [
      '-f',
      '-xx',
      '-s',
      '100000000',
      '-e',
      `trace=${TRACED_CALLS}`,
      '-e',
      'signal=none',
      '-o',
      log,
      process.execPath,
      writer,
      folder,
      synchronous,
    ],
    { encoding: 'utf8', maxBuffer: 1e9 },
  )
  expect(run.stdout).toContain('done\n')
  const operations = readStrace(readFileSync(log, 'utf8'), folder)
  rmSync(log)
  return operations
}

/** Last number of each session that was acknowledged (`ack`), or whose log was said to be on disk (`synced`), before operation `count`. */
function said(word: 'ack' | 'synced', operations: readonly DiskOperation[], count: number): Map<string, number> {
  const last = new Map<string, number>()
  for (const operation of operations.slice(0, count)) {
    if (operation.kind !== 'say') continue
    for (const [, sessionId = '', seq] of operation.text.matchAll(new RegExp(`^${word} (\\S+) (\\d+)$`, 'gm')))
      last.set(sessionId, Number(seq))
  }
  return last
}

interface Outcome {
  lost: number
  damaged: string[]
}

async function missing(storage: TestStorage, expected: ReadonlyMap<string, number>): Promise<number> {
  let count = 0
  for (const [sessionId, lastSeq] of expected) {
    const { events } = await storage.service.readEvents({ workspace: storage.folder, sessionId, fromSeq: 0, limit: 5000 })
    for (const event of scripts.get(sessionId)?.slice(0, lastSeq + 1) ?? []) if (!isDeepStrictEqual(events[event.seq], event)) count++
  }
  return count
}

/** The logs as the cut left them, before anything was repaired. */
function writeLogs(image: ReadonlyMap<string, Buffer>, from: string, target: string): void {
  rmSync(join(target, 'work space 工作', 'logs'), { recursive: true, force: true })
  writeImage(new Map([...image].filter(([path]) => path.includes('/logs/'))), [], from, target)
}

async function cut(
  operations: readonly DiskOperation[],
  from: string,
  count: number,
  random: () => number,
  outcome: Outcome,
): Promise<void> {
  const target = mkdtempSync(join(base, 'image-'))
  const folders = operations.slice(0, count).flatMap((operation) => (operation.kind === 'mkdir' ? [operation.path] : []))
  const image = imageAfterCut(operations, count, random)
  writeImage(image, folders, from, target)
  const storage = openStorage(target)
  try {
    const { banners } = await storage.open()
    outcome.damaged.push(
      ...banners
        .map((banner) => banner.code)
        .filter((code) => code.startsWith('DATABASE_') && code !== 'DATABASE_COMPLETED' && code !== 'DATABASE_EMPTY'),
    )
    const { database } = storage.workspaces.get(storage.folder)
    const check = String(database.pragma('integrity_check', { simple: true }))
    if (check !== 'ok') outcome.damaged.push(check)
    outcome.lost += await missing(storage, said('ack', operations, count))
    const { differences } = await storage.service.verify({ path: storage.folder })
    outcome.damaged.push(...differences.map((difference) => difference.message))
    await storage.close()
    // The log alone holds everything up to the last turn end that was synced.
    rmSync(join(storage.folder, '.metona'), { recursive: true })
    writeLogs(image, from, target)
    const fromLogs = storage.again()
    await fromLogs.open()
    outcome.lost += await missing(fromLogs, said('synced', operations, count))
    await fromLogs.close()
  } finally {
    await storage.close()
    rmSync(target, { recursive: true, force: true })
  }
}

async function cutMany(operations: readonly DiskOperation[], from: string, cuts: number): Promise<Outcome> {
  const random = randomFrom(SEED)
  const outcome: Outcome = { lost: 0, damaged: [] }
  const first = operations.findIndex((operation) => operation.kind === 'say')
  for (let index = 0; index < cuts; index++) {
    // A tenth in the making of the workspace, the rest while events are acknowledged.
    const count = index % 10 === 0 ? 1 + Math.floor(random() * first) : first + Math.floor(random() * (operations.length - first))
    await cut(operations, from, count, random, outcome)
  }
  return outcome
}

describeWith(hasProgram('strace'), 'strace', true, 'power cuts', () => {
  beforeAll(() => {
    base = realpathSync(mkdtempSync(join(PARENT, 'metona-power-')))
    process.stdout.write(`power cuts: seed ${SEED}\n`)
  })
  afterAll(() => rmSync(base, { recursive: true, force: true }))

  it(`lose no acknowledged event and damage nothing, ${CUTS} times`, { timeout: 900_000 }, async () => {
    const operations = trace('FULL')
    const syncs = operations.filter((operation) => operation.kind === 'sync').length
    expect(syncs).toBeGreaterThan(20)
    expect(said('ack', operations, operations.length)).toEqual(
      new Map([...scripts].map(([sessionId, events]) => [sessionId, events.length - 1])),
    )
    expect(await cutMany(operations, join(base, 'FULL'), CUTS)).toEqual({ lost: 0, damaged: [] })
  })

  it('lose acknowledged events when commits are not synced (control)', { timeout: 300_000 }, async () => {
    const outcome = await cutMany(trace('NORMAL'), join(base, 'NORMAL'), CONTROL_CUTS)
    expect(outcome.lost).toBeGreaterThan(0)
  })
})
