import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync, mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.ts'
import { logLines, openStorage, removeBase, type TestStorage } from '../workers/storage/open-storage.ts'
import { sessionScript } from '../workers/storage/session-script.ts'
import { canMount, describeWith } from './needs.ts'

const run = (command: string, ...args: string[]): void => {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
}
const codes = async (storage: TestStorage): Promise<string[]> => (await storage.service.banners({})).banners.map((banner) => banner.code)

describeWith(canMount(), 'the right to mount a tmpfs', false, 'a disk of 6 MB', () => {
  let base: string
  let mount: string
  let storage: TestStorage
  beforeEach(async () => {
    base = realpathSync(mkdtempSync(join(tmpdir(), 'metona-disk-')))
    mount = join(base, 'work space 工作')
    mkdirSync(mount)
    run('mount', '-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', mount)
    storage = openStorage(base)
    await storage.open()
  })
  afterEach(async () => {
    await storage.close()
    spawnSync('umount', ['-l', mount])
    removeBase(base)
  })

  it(
    'that fills up delays what is written, keeps what was acknowledged, and takes the rest when there is room',
    { timeout: 120_000 },
    async () => {
      const events = sessionScript({ sessionId: 's_one', turns: 60, answerLength: 30_000 })
      let acknowledged = -1
      let blocked: Promise<{ lastSeq: number }> | undefined
      for (let at = 0; at < events.length && blocked === undefined; at += 8) {
        const append = storage.append(events.slice(at, at + 8))
        const outcome = await Promise.race([
          append,
          eventually('the banner', async () => (await codes(storage)).includes('DISK_FULL') && 'full'),
        ])
        if (outcome === 'full') blocked = append
        else acknowledged = (outcome as { lastSeq: number }).lastSeq
      }
      expect(blocked).toBeDefined()
      expect(acknowledged).toBeGreaterThan(10)
      // Reading still works, and no line of the log is half.
      expect((await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })).events).toEqual(
        events.slice(0, acknowledged + 1),
      )
      for (const line of logLines(storage.folder, 's_one')) expect(JSON.parse(line)).toMatchObject({ sessionId: 's_one' })

      run('mount', '-o', 'remount,size=64m', mount)
      const { lastSeq } = (await blocked) ?? { lastSeq: -1 }
      expect(lastSeq).toBeGreaterThan(acknowledged)
      expect((await codes(storage)).filter((code) => code === 'DISK_FULL')).toEqual([])
      await storage.append(events.slice(lastSeq + 1))
      await storage.service.syncLog({ workspace: storage.folder, sessionId: 's_one' })
      expect(await codes(storage)).toEqual([])
      expect(logLines(storage.folder, 's_one').map((line) => JSON.parse(line) as unknown)).toEqual(events)
      expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
    },
  )

  it('that another program fills is waited for as well', { timeout: 120_000 }, async () => {
    const events = sessionScript({ sessionId: 's_one', turns: 6, answerLength: 8000 })
    await storage.append(events.slice(0, 10))
    const filler = join(mount, 'filler')
    for (let size = 1024 * 1024; size >= 4096; size /= 2) {
      try {
        for (;;) writeFileSync(filler, Buffer.alloc(size), { flag: 'a' })
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
      }
    }
    const rest = storage.append(events.slice(10))
    await eventually('the banner', async () => (await codes(storage)).includes('DISK_FULL'))
    rmSync(filler)
    expect(await rest).toEqual({ lastSeq: events.length - 1 })
    await storage.service.syncLog({ workspace: storage.folder, sessionId: 's_one' })
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
  })

  it('that is full when the workspace is opened shows what is there', { timeout: 120_000 }, async () => {
    const events = sessionScript({ sessionId: 's_one' })
    await storage.append(events)
    await storage.close()
    try {
      for (;;) writeFileSync(join(mount, 'filler'), Buffer.alloc(4096), { flag: 'a' })
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' })
    }
    storage = storage.again()
    await storage.open()
    expect(await codes(storage)).toContain('DISK_FULL')
    expect((await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })).events).toEqual(
      events,
    )
    await storage.close()
    rmSync(join(mount, 'filler'))
    storage = storage.again()
    expect(await storage.open()).toMatchObject({ readOnly: false, banners: [] })
    await storage.append(sessionScript({ sessionId: 's_two' }))
  })

  it('that is read-only opens for reading and says so, and is written again when it can be', async () => {
    const events = sessionScript({ sessionId: 's_one' })
    await storage.append(events)
    await storage.close()
    run('mount', '-o', 'remount,ro', mount)
    storage = storage.again()
    expect(await storage.open()).toMatchObject({ readOnly: true, banners: [{ code: 'WORKSPACE_READ_ONLY' }] })
    expect((await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })).events).toEqual(
      events,
    )
    await expect(storage.append(sessionScript({ sessionId: 's_two' }))).rejects.toMatchObject({ code: 'READ_ONLY' })
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
    await storage.close()
    run('mount', '-o', 'remount,rw', mount)
    storage = storage.again()
    expect(await storage.open()).toMatchObject({ readOnly: false, banners: [] })
    await storage.append(sessionScript({ sessionId: 's_two' }))
  })

  it('that is read-only, with a WAL a crash left on it, is read whole', async () => {
    const events = sessionScript({ sessionId: 's_one' })
    await storage.append(events)
    // A copy made while it is open is what a crash leaves.
    const crashed = join(base, 'crashed')
    run('cp', '-r', mount, crashed)
    await storage.close()
    run('umount', mount)
    run('mount', '-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', mount)
    run('cp', '-r', `${crashed}/.`, mount)
    run('mount', '-o', 'remount,ro', mount)
    expect(existsSync(join(mount, '.metona', 'agent.db-wal'))).toBe(true)
    storage = storage.again()
    expect(await storage.open()).toMatchObject({ readOnly: true })
    expect((await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })).events).toEqual(
      events,
    )
  })

  it('that is unmounted under an open workspace takes what it can, and has it all when it is back', { timeout: 120_000 }, async () => {
    const events = sessionScript({ sessionId: 's_one', turns: 3 })
    await storage.append(events.slice(0, 10))
    const hold = join(base, 'hold')
    mkdirSync(hold)
    run('mount', '--bind', mount, hold)
    run('umount', '-l', mount)
    await storage.append(events.slice(10, 20))
    await storage.append(sessionScript({ sessionId: 's_two' }))
    expect(await codes(storage)).toContain('LOG_BEHIND')
    expect(readdirSync(mount)).toEqual([])
    await storage.close()
    expect(readdirSync(mount)).toEqual([])
    run('mount', '--bind', hold, mount)
    storage = storage.again()
    await storage.open()
    await storage.append(events.slice(20))
    expect((await storage.service.readEvents({ workspace: storage.folder, sessionId: 's_one', fromSeq: 0, limit: 5000 })).events).toEqual(
      events,
    )
    expect((await storage.service.listSessions({ workspace: storage.folder })).sessions).toHaveLength(2)
    expect((await storage.service.verify({ path: storage.folder })).differences).toEqual([])
    await storage.close()
    run('umount', mount)
    run('umount', hold)
  })
})

describe('a folder that is renamed while it is open', () => {
  it('loses nothing, leaves nothing behind at the old place, and is whole at the new one', async () => {
    const storage = openStorage()
    await storage.open()
    const events = sessionScript({ sessionId: 's_one', turns: 3 })
    await storage.append(events.slice(0, 10))
    const moved = join(storage.base, 'moved')
    renameSync(storage.folder, moved)
    await storage.append(events.slice(10))
    const others = sessionScript({ sessionId: 's_two' })
    await storage.append(others)
    expect(await codes(storage)).toContain('LOG_BEHIND')
    await storage.close()
    expect(existsSync(storage.folder)).toBe(false)

    renameSync(moved, storage.folder)
    const after = storage.again()
    const { banners } = await after.open()
    expect(banners.map((banner) => banner.code)).toEqual(['LOG_COMPLETED'])
    for (const [sessionId, expected] of [
      ['s_one', events],
      ['s_two', others],
    ] as const) {
      expect((await after.service.readEvents({ workspace: after.folder, sessionId, fromSeq: 0, limit: 5000 })).events).toEqual(expected)
    }
    expect((await after.service.verify({ path: after.folder })).differences).toEqual([])
    await after.close()
    removeBase(storage.base)
  })

  it('writes nothing into another folder that takes its place', async () => {
    const storage = openStorage()
    await storage.open()
    renameSync(storage.folder, join(storage.base, 'moved'))
    mkdirSync(join(storage.folder, 'logs'), { recursive: true })
    await storage.append(sessionScript({ sessionId: 's_one' }))
    await storage.close()
    expect(readdirSync(storage.folder, { recursive: true })).toEqual(['logs'])
    expect(readFileSync(join(storage.base, 'moved', '.metona', '.gitignore'), 'utf8')).toBe('*\n')
    removeBase(storage.base)
  })
})
