/** What goes wrong while a command is wrapped is told to whoever wraps it, and to nobody else. */
import type * as promises from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, expect, test, vi } from 'vitest'
import type { CommandRunner } from '#workers/tools/commands/command-runner.ts'

const state = vi.hoisted(() => ({ failures: 1, failed: (): void => {}, opened: Promise.resolve() }))
vi.mock('#workers/tools/sandbox/detect-sandbox.ts', () => ({
  detectSandbox: () => Promise.resolve({ state: { kind: 'bwrap' }, program: '/usr/bin/bwrap' }),
}))
vi.mock('#workers/tools/sandbox/private-places.ts', () => ({
  findPrivatePlaces: () => {
    if (state.failures-- <= 0) return Promise.resolve({ hidden: [], visible: [], readOnly: [], masked: [] })
    setImmediate(state.failed)
    return Promise.reject(new Error('cannot be looked through'))
  },
}))
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof promises>()
  let calls = 0
  // The first is the one that `wrap` waits for.
  return { ...real, realpath: async (path: string) => (calls++ === 0 && (await state.opened), real.realpath(path)) }
})

const seen: unknown[] = []
const listen = (error: unknown): void => void seen.push(error)
afterEach(() => void process.off('unhandledRejection', listen))

test('places that cannot be looked through: one failure, told once, and looked at again the next time', async () => {
  process.on('unhandledRejection', listen)
  let open = (): void => {}
  state.opened = new Promise((settle) => (open = settle))
  const failed = new Promise<void>((settle) => (state.failed = settle))
  const { createSandbox } = await import('#workers/tools/sandbox/sandbox.ts')
  const sandbox = createSandbox({} as CommandRunner, [])
  const wrapped = sandbox.wrap({ workspace: '/usr/share', argv: ['/bin/true'], env: {} })
  wrapped.catch(() => undefined)
  await failed
  await turn()
  open()
  await expect(wrapped).rejects.toThrow('cannot be looked through')
  expect(seen).toEqual([])
  expect(await sandbox.unheld('/usr/share')).toBeUndefined()
})
