import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { proof } from '../helpers/proof.ts'
import { logLines, newBase, openStorage, removeBase } from '../workers/storage/open-storage.ts'
import { randomFrom, sessionScript } from '../workers/storage/session-script.ts'
import { startProcess } from '../workers/storage/start-process.ts'

const KILLS = proof(200, 15)
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

let base: string
beforeEach(() => {
  base = newBase()
  process.stdout.write(`storage kills: seed ${SEED}\n`)
})
afterEach(() => removeBase(base))

describe(`${KILLS} × SIGKILL of a storage that is writing`, () => {
  it('every event it had acknowledged is in database and log, in order, and nothing is damaged', { timeout: 900_000 }, async () => {
    const random = randomFrom(SEED)
    const acknowledged = new Map<string, number>()
    for (let kill = 0; kill < KILLS; kill++) {
      const writer = startProcess([base])
      expect(await writer.next()).toMatchObject({
        opened: true,
        banners: expect.not.arrayContaining([expect.stringMatching('^DATABASE_(DAMAGED|EMPTY|MISSING)')]) as string[],
      })
      const killAfter = Math.floor(random() * 12)
      // The observer: what it saw acknowledged must be there for ever.
      const watch = (async () => {
        for (let count = 0; ; count++) {
          if (count === killAfter) setTimeout(() => writer.child.kill('SIGKILL'), random() * 10)
          const line = await writer.next()
          if (typeof line.appended === 'string') acknowledged.set(line.appended, Number(line.lastSeq))
        }
      })().catch(() => undefined)
      for (let turns = 1; turns <= 8; turns++) for (const session of ['a', 'b']) writer.tell(`append s_${session}${kill} ${turns}`)
      await writer.ended
      await watch
    }
    const storage = openStorage(base)
    await storage.open()
    for (const [sessionId, lastSeq] of acknowledged) {
      const expected = sessionScript({ sessionId, turns: 8 }).slice(0, lastSeq + 1)
      const { events } = await storage.service.readEvents({ workspace: storage.folder, sessionId, fromSeq: 0, limit: 5000 })
      expect(events.slice(0, expected.length)).toEqual(expected)
      expect(
        logLines(storage.folder, sessionId)
          .slice(0, expected.length)
          .map((line) => JSON.parse(line) as unknown),
      ).toEqual(expected)
    }
    expect(acknowledged.size).toBeGreaterThan(KILLS / 3)
    expect(storage.workspaces.get(storage.folder).database.pragma('quick_check', { simple: true })).toBe('ok')
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
    await storage.close()
  })
})

it('a storage that says so before it commits loses what it said (control)', { timeout: 300_000 }, async () => {
  const shown: string[] = []
  for (let kill = 0; kill < 3; kill++) {
    const writer = startProcess([base])
    expect(await writer.next()).toMatchObject({ opened: true })
    writer.tell(`append-late s_late${kill}`)
    shown.push(String((await writer.next()).appended))
    writer.child.kill('SIGKILL')
    await writer.ended
  }
  const storage = openStorage(base)
  await storage.open()
  const { sessions } = await storage.service.listSessions({ workspace: storage.folder })
  await storage.close()
  expect(sessions.length).toBeLessThan(shown.length)
})
