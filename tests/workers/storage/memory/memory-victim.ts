/**
 * Changes MEMORY.md and dies at the nth call that touches the disk: `node memory-victim.ts FOLDER N [careless]`. A write gets half of its
 * bytes out first. Says `survived` when there was no nth call.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'

const [root = '', last = '1', how = ''] = process.argv.slice(2)
let calls = 0
let armed = false
const dieAt = (half: () => void): void => {
  if (!armed || ++calls !== Number(last)) return
  half()
  process.kill(process.pid, 'SIGKILL')
}
for (const name of [
  'openSync',
  'closeSync',
  'fsyncSync',
  'renameSync',
  'linkSync',
  'rmSync',
  'mkdirSync',
  'readFileSync',
  'lstatSync',
  'readdirSync',
] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown
  ;(fs as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
    dieAt(() => undefined)
    return real(...args)
  }
}
for (const name of ['writeFileSync', 'writeSync'] as const) {
  const real = fs[name] as (...args: unknown[]) => unknown
  ;(fs as unknown as Record<string, unknown>)[name] = (target: unknown, text: string, ...more: unknown[]) => {
    dieAt(() => void real(target, text.slice(0, text.length / 2)))
    return real(target, text, ...more)
  }
}
syncBuiltinESMExports()

const { MemoryFileStore } = await import('#workers/storage/memory/memory-file-store.ts')
armed = true
if (how === 'careless') fs.writeFileSync(join(root, 'MEMORY.md'), `${fs.readFileSync(join(root, 'MEMORY.md'), 'utf8')}- [pending] killed\n`)
else {
  const store = new MemoryFileStore({
    layout: { root, internals: join(root, '.metona') },
    profile: join(root, '.metona', 'profile'),
    now: () => '2026-07-01T00:00:00.000Z',
  })
  await store.change({ kind: 'add', section: 'todo', text: '[pending] killed' })
}
process.stdout.write('survived\n')
