// needs: bwrap
// long: gigabytes
/** What would take the whole machine is ended, and the result says why. */
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { MEMORY_BYTES, openSandboxBench, removeBundles, removeUser, testUsers, type SandboxBench } from './sandbox-bench.ts'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 })
const users = missingProgram('bwrap', 'limits of sandboxed commands') ? [] : testUsers()

afterAll(async () => {
  for (const user of users.slice(1)) removeUser(user)
  await removeBundles()
})

const processes = (): number => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).length
const available = (): number => Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1]) * 1024

describe.each(users.map((user) => [user.uid === 0 ? 'root' : 'an ordinary user', user] as const))('as %s', (_name, user) => {
  let bench: SandboxBench
  beforeAll(async () => {
    bench = await openSandboxBench(user)
  })
  afterAll(() => bench.close())

  /** Runs a command beside a look at the machine every 50 ms. */
  const watched = async (command: string): Promise<{ end: Awaited<ReturnType<SandboxBench['run']>>; most: number; least: number }> => {
    let [most, least] = [0, Infinity]
    const watch = setInterval(() => {
      most = Math.max(most, processes())
      least = Math.min(least, available())
    }, 50)
    const end = await bench.run(command, { timeoutMs: 120_000 })
    clearInterval(watch)
    return { end, most, least }
  }

  // It ends by itself after 2,047: a hold that fails must not take the machine with it.
  test('a fork bomb', async () => {
    const before = processes()
    const { end, most } = await watched(
      'bomb() { if [ $1 -gt 0 ]; then bomb $(($1-1)) & bomb $(($1-1)) & fi; exec sleep 20; }; (bomb 10) & wait; echo went through',
    )
    expect(end.exit).toMatchObject({ kind: 'exit', exceeded: 'processes', survivors: [] })
    expect(end.text).not.toContain('went through')
    expect(end.durationMs).toBeLessThan(20_000)
    expect(most - before).toBeLessThan(2_200)
    expect((await bench.run('echo still')).text).toBe('still\n')
  })

  test('a memory hog', async () => {
    const limit = MEMORY_BYTES
    const before = available()
    const { end, least } = await watched(`python3 -c "
hoard = []
while True: hoard.append(bytearray(50_000_000))"`)
    expect(end.exit).toMatchObject({ kind: 'exit', exceeded: 'memory', survivors: [] })
    expect(before - least).toBeLessThan(limit * 3)
  })

  if (user === users.at(-1))
    test('many processes that share in the memory', async () => {
      const share = Math.ceil(MEMORY_BYTES / 8)
      const many = await bench.run(
        `for n in 1 2 3 4 5 6 7 8 9 10; do python3 -c "x = bytearray(${share}); import time; time.sleep(60)" & done; wait`,
      )
      expect(many.exit).toMatchObject({ exceeded: 'memory', survivors: [] })
    })

  if (user === users.at(-1))
    test('four gigabytes of output, one line of 300 MB, and a gzip bomb', async () => {
      const folder = bench.workspace
      await writeFile(join(folder, 'bomb.gz'), gzipSync(Buffer.alloc(150_000_000), { level: 1 }))
      const ends = await Promise.all(
        ['yes | head -c 4000000000', `head -c 300000000 /dev/zero | tr '\\0' x`, 'zcat bomb.gz bomb.gz'].map((command) =>
          bench.run(command, { timeoutMs: 120_000 }),
        ),
      )
      for (const end of ends) {
        expect(end.because).toBe('it wrote more than 256 MiB of output')
        expect(end.text.length).toBeLessThan(40_000)
      }
      const file = await bench.run('while zcat bomb.gz; do :; done > /tmp/big; ls -l /tmp/big | cut -d" " -f5', { timeoutMs: 120_000 })
      expect(Number(file.text.split('\n').at(-2))).toBeLessThanOrEqual(1024 ** 3)
      const sparse = await bench.run('truncate -s 100G huge; echo $?')
      expect(sparse.text).not.toMatch(/^0$/m)
    })
})
