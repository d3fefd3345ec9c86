import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isAlive } from '#workers/storage/lock/workspace-lock.ts'
import { ownIdentity, startTimeOf } from '#workers/storage/lock/process-identity.ts'
import { must, newBase, openStorage, removeBase } from './open-storage.ts'
import { startProcess, type StorageProcess } from './start-process.ts'

let base: string
const processes: StorageProcess[] = []
beforeEach(() => {
  base = newBase()
})
afterEach(async () => {
  for (const { child, ended } of processes.splice(0)) {
    child.kill('SIGKILL')
    await ended
  }
  removeBase(base)
})
const start = (...args: string[]): StorageProcess => {
  const started = startProcess([base, ...args])
  processes.push(started)
  return started
}

it('a second program is refused with the name of the first', async () => {
  const first = await start().next()
  const second = await start('0').next()
  expect(second).toMatchObject({ opened: false, code: 'WORKSPACE_IN_USE', params: { pid: first.pid } })
  expect(second.message).toContain(`process ${String(first.pid)}`)
})

it('a second program with another profile is refused as well', async () => {
  await start().next()
  expect(await start('0', join(base, 'other-profile')).next()).toMatchObject({ opened: false, code: 'WORKSPACE_IN_USE' })
})

it('a program that waits gets in when the first ends', async () => {
  const first = start()
  await first.next()
  const second = start('30000')
  first.tell('end')
  expect(await second.next()).toMatchObject({ opened: true, readOnly: false })
})

it('the lock of a killed program is free at once', async () => {
  const first = start()
  await first.next()
  first.child.kill('SIGKILL')
  await first.ended
  expect(await start('0').next()).toMatchObject({ opened: true })
})

it('two storages in one process exclude each other too', async () => {
  const first = openStorage(base)
  await first.open()
  const second = openStorage(base)
  await expect(second.open()).rejects.toMatchObject({ code: 'WORKSPACE_IN_USE' })
  await first.close()
  await second.open()
  await second.close()
})

it('a holder’s note left by a program whose number now belongs to another does not lock', async () => {
  const storage = openStorage(base)
  await storage.open()
  const locks = join(base, 'profile', 'locks')
  const note = join(locks, must(readdirSync(locks).find((name) => name.endsWith('.json'))))
  expect(JSON.parse(readFileSync(note, 'utf8'))).toMatchObject({ pid: process.pid, startTime: startTimeOf(process.pid) })
  await storage.close()
  // The parent of this test is alive under that number, but did not start at that time.
  writeFileSync(note, JSON.stringify({ pid: process.ppid, host: 'here', startTime: 'another boot/1', since: '2026-01-01T00:00:00.000Z' }))
  await storage.open()
  await storage.close()
})

it('a process is the one that was noted only if it started when that one did', () => {
  const since = '2026-01-01T00:00:00.000Z'
  const parent = { pid: process.ppid, host: 'here', startTime: must(startTimeOf(process.ppid)), since }
  expect(isAlive(parent)).toBe(true)
  expect(isAlive({ ...parent, startTime: 'another boot/1' })).toBe(false)
  expect(isAlive({ ...parent, pid: 2 ** 22 + 7 })).toBe(false)
  expect(isAlive(ownIdentity(since))).toBe(false)
})

it('removing the lock’s file while it is held lets no second writer of the same profile in', async () => {
  await start().next()
  rmSync(join(base, 'work space 工作', '.metona', 'writer.lock'))
  expect(await start('0').next()).toMatchObject({ opened: false, code: 'WORKSPACE_IN_USE' })
})
