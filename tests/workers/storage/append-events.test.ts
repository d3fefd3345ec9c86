import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logLines, must, openStorage, removeBase, type TestStorage } from './open-storage.ts'
import { sessionScript } from './session-script.ts'

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage()
  await storage.open()
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

const events = sessionScript({ sessionId: 's_one' })

describe('appendEvents', () => {
  it('gives events back as they were stored, in order', async () => {
    await storage.append(events)
    const read = await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })
    expect(read.events).toEqual(events)
  })

  it('writes each event as one log line, field by field in the order of the contract', async () => {
    await storage.append(events)
    expect(logLines(storage.folder, 's_one')[0]).toBe(
      '{"seq":0,"ts":"2026-06-25T12:00:00.000Z","event":"session_start","sessionId":"s_one","workspace":"/somewhere","model":"demo/scripted","agentVersion":"0.0.0","eventId":"e_s_one_0"}',
    )
    expect(logLines(storage.folder, 's_one').map((line) => JSON.parse(line) as unknown)).toEqual(events)
  })

  it('takes a repeated batch without a second row', async () => {
    await storage.append(events.slice(0, 4))
    expect(await storage.append(events.slice(2, 6))).toEqual({ lastSeq: 5 })
    expect(logLines(storage.folder, 's_one')).toHaveLength(6)
  })

  it('refuses a gap and leaves nothing of the batch behind', async () => {
    await storage.append(events.slice(0, 3))
    await expect(storage.append(events.slice(4, 6))).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
    expect(await storage.append(events.slice(3, 4))).toEqual({ lastSeq: 3 })
  })

  it('refuses another event under a number that is taken', async () => {
    await storage.append(events.slice(0, 3))
    const other = { ...must(events[2]), eventId: 'another' }
    await expect(storage.append([other])).rejects.toMatchObject({ code: 'SEQ_CONFLICT', params: { sessionId: 's_one', seq: 2 } })
  })

  it('refuses a session id that could become a path', async () => {
    const hostile = { ...must(events[0]), sessionId: 's_../../etc' }
    await expect(storage.append([hostile])).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })

  it('commits what arrives together in one transaction, across sessions', async () => {
    const before = (await storage.service.health({})).commits
    await Promise.all(Array.from({ length: 20 }, (_, index) => storage.append(sessionScript({ sessionId: `s_many${index}`, turns: 1 }))))
    expect((await storage.service.health({})).commits - before).toBe(1)
    expect((await storage.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(20)
  })

  it('does not let the conflict of one session fail another in the same transaction', async () => {
    const bad = storage.append(sessionScript({ sessionId: 's_bad' }).slice(1))
    const good = storage.append(events)
    await expect(bad).rejects.toMatchObject({ code: 'SEQ_CONFLICT' })
    await expect(good).resolves.toEqual({ lastSeq: events.length - 1 })
  })

  it('keeps text that SQLite and JSON find hard', async () => {
    const content = 'null \0 lone \ud800 quote " back \\ line \u2028 emoji 😀 \u202e'
    const message = { ...must(events[1]), content } as (typeof events)[number]
    await storage.append([must(events[0]), message])
    const read = await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 1, limit: 1 })
    expect(read.events[0]).toMatchObject({ content })
    await storage.close()
    storage = storage.again()
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('stores a tool result without a result', async () => {
    const index = events.findIndex((event) => event.event === 'tool_result')
    const result = { ...must(events[index]), result: undefined } as (typeof events)[number]
    await storage.append([...events.slice(0, index), result])
    const read = await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: index, limit: 1 })
    expect(read.events[0]).toMatchObject({ event: 'tool_result', result: null })
  })
})
