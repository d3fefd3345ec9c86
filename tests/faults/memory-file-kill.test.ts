/**
 * A program that changes MEMORY.md is killed at one call to the disk after the other, in the middle of it where it writes, until it gets
 * through: each time the file is the old one or the new one, whole, and the next program goes on.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MemoryFileStore } from '#workers/storage/memory/memory-file-store.ts'
import { proof } from '#tests/helpers/proof.ts'
import { newBase, removeBase } from '../workers/storage/open-storage.ts'

const victim = fileURLToPath(new URL('../workers/storage/memory/memory-victim.ts', import.meta.url))
/** Every call in the large tier; every fifth in the small one, from another place each time. */
const STRIDE = proof(1, 5)
const OLD = '# MEMORY.md\n# 格式版本: 1.0\n# 最后更新: 2026-01-01T00:00:00.000Z\n\n## 待办事项\n- [pending] old\n'
const NEW = '# MEMORY.md\n# 格式版本: 1.0\n# 最后更新: 2026-07-01T00:00:00.000Z\n\n## 待办事项\n- [pending] old\n- [pending] killed\n'

let base: string
beforeEach(() => {
  base = newBase()
})
afterEach(() => removeBase(base))

/** @returns the text left behind; undefined when there was no such call. */
function killedAt(call: number, ...how: string[]): { root: string; text: string } | undefined {
  const root = join(base, `${how.join('')}${call}`)
  mkdirSync(join(root, '.metona'), { recursive: true })
  writeFileSync(join(root, 'MEMORY.md'), OLD)
  const { signal, stdout } = spawnSync(process.execPath, [victim, root, String(call), ...how], { encoding: 'utf8', timeout: 60_000 })
  if (signal !== 'SIGKILL') expect(stdout).toBe('survived\n')
  return signal === 'SIGKILL' ? { root, text: readFileSync(join(root, 'MEMORY.md'), 'utf8') } : undefined
}

it('old or new, whole, wherever it is killed; the next change finds nothing in its way', { timeout: 600_000 }, async () => {
  const seen = { old: 0, new: 0 }
  const from = 1 + (Date.now() % STRIDE)
  for (let call = from; ; call += STRIDE) {
    const left = killedAt(call)
    if (left === undefined) break
    expect([OLD, NEW]).toContain(left.text)
    seen[left.text === OLD ? 'old' : 'new']++
    const next = new MemoryFileStore({
      layout: { root: left.root, internals: join(left.root, '.metona') },
      profile: join(left.root, '.metona', 'profile'),
      now: () => new Date().toISOString(),
    })
    await next.change({ kind: 'add', section: 'todo', text: '[done] afterwards' })
    await next.close()
    expect(readFileSync(join(left.root, 'MEMORY.md'), 'utf8')).toContain('- [pending] old\n')
    expect(readFileSync(join(left.root, 'MEMORY.md'), 'utf8')).toContain('- [done] afterwards\n')
  }
  process.stdout.write(`killed at every ${STRIDE}th call from ${from}: ${JSON.stringify(seen)}\n`)
  expect([seen.old > 0, seen.new > 0]).toEqual([true, true])
})

it('control: a file written in its place is left half written', () => {
  expect([OLD, NEW]).not.toContain(killedAt(2, 'careless')?.text)
})
