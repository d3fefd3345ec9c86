// needs: bwrap
// long: hundreds of sandboxes
/** Whatever the reading of command lines lets through: in the sandbox it has no effect outside the folder. */
import { chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { missingProgram } from '#tests/helpers/missing-program.ts'
import { proof } from '#tests/helpers/proof.ts'
import { seededRandom } from '#tests/helpers/random.ts'
import { PROGRAMS, shellLines } from '../shell-lines.ts'
import { bypassLines } from './bypass-lines.ts'
import { folderState } from './folder-state.ts'
import { openSandboxBench, removeBundles, removeUser, testUsers, type SandboxBench } from './sandbox-bench.ts'

/** The same lines for every user and for the control. */
const { seed } = seededRandom('shell lines in the sandbox')
vi.setConfig({ testTimeout: 1_800_000, hookTimeout: 120_000 })
const users = missingProgram('bwrap', 'shell lines in the sandbox') ? [] : testUsers()

/** Nothing here depends on being root but the ids; in the small tier it gets every fourth line. */
const linesFor = (user: { uid: number }, lines: readonly string[]): string[] =>
  lines.filter((_line, index) => user.uid !== 0 || users.length === 1 || index % proof(1, 4) === 0)

afterAll(async () => {
  for (const user of users.slice(1)) removeUser(user)
  await removeBundles()
})

/** Lines of one command; a line that waits for its limit of three seconds then holds up few others. */
const PIECE = 250
const AT_ONCE = 4
/** Of one command: all its lines in both shells up to their limit, which a few per cent of them reach. */
const PIECE_MS = 600_000

/** Every line by itself, in bash and in the plain shell, in a fresh copy of the folder's files. */
const runner = (searchPath: string, piece: number): string => `
export HOME=/tmp GIT_CONFIG_GLOBAL=/dev/null
while IFS= read -r -d '' line; do
  for shell in ${proof('bash sh', 'bash')}; do
    rm -rf w-${piece}; mkdir w-${piece}; cd w-${piece}; echo taken > source.txt
    PATH=${searchPath} /usr/bin/timeout -k 1 3 /bin/"$shell" -c "$line" < /dev/null > /dev/null 2>&1
    cd ..
  done
done < lines-${piece}
rm -rf w-${piece}; echo all done`
const PLAIN = '/usr/local/bin:/usr/bin:/bin'

describe.each(users.map((user) => [user.uid === 0 ? 'root' : 'an ordinary user', user] as const))('as %s', (_name, user) => {
  let bench: SandboxBench
  const programs = (): string => join(bench.workspace, '..', 'bin')
  beforeAll(async () => {
    bench = await openSandboxBench(user)
    // Seen from inside, not writable there: programs that do harm wherever a line starts them.
    await mkdir(programs())
    for (const program of PROGRAMS) {
      const path = join(programs(), program)
      await writeFile(
        path,
        // Plain words of the shell and absolute paths: a program here must not start another one of these.
        `#!/bin/sh\nPATH=/usr/bin:/bin\necho ${program} > ${bench.outside}/${program}-ran\n/bin/rm -f ${bench.outside}/keep\necho x > ../.mcp.json\necho x > ../.git/hooks/pre-commit\n`,
      )
      await chmod(path, 0o755)
    }
  })
  afterAll(() => bench.close())

  const prepare = async (lines: readonly string[]): Promise<void> => {
    for (const folder of [bench.outside, bench.workspace]) {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder)
      await chown(folder, user.uid, user.gid)
    }
    await writeFile(join(bench.outside, 'keep'), 'kept')
    await chown(join(bench.outside, 'keep'), user.uid, user.gid)
    for (let from = 0; from < lines.length; from += PIECE)
      await writeFile(
        join(bench.workspace, `lines-${from / PIECE}`),
        lines
          .slice(from, from + PIECE)
          .map((line) => `${line}\0`)
          .join(''),
      )
  }
  /** Some pieces at a time; nothing outside may come of any of them. */
  const runAll = async (lines: readonly string[], searchPath: string, sandboxed = true): Promise<void> => {
    await prepare(lines)
    const pieces = Array.from({ length: Math.ceil(lines.length / PIECE) }, (_, piece) => piece).values()
    const lane = async (): Promise<void> => {
      for (const piece of pieces) {
        const { text } = await bench.run(runner(searchPath, piece), { timeoutMs: PIECE_MS, sandboxed })
        expect(text.trim()).toMatch(/all done$/)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
  }
  const state = async (): Promise<string[]> => [
    ...(await folderState(bench.outside)),
    ...(await folderState(bench.workspace, (path) => /^w-\d+(\/|$)/.test(path))),
  ]

  test('known ways round an approval: none has an effect outside', async () => {
    const lines = bypassLines((index) => `${bench.outside}/effect-${index}`, 'source.txt')
    expect(lines.length).toBeGreaterThanOrEqual(300)
    const own = linesFor(user, lines)
    await prepare(own)
    const before = await state()
    await runAll(own, PLAIN)
    expect(await state()).toEqual(before)
  })

  test('generated lines: none has an effect outside', async () => {
    const next = shellLines(seed)
    const lines = Array.from({ length: proof(5000, 300) }, next)
    const own = linesFor(user, lines)
    await prepare(own)
    const before = await state()
    await runAll(own, `${programs()}:${PLAIN}`)
    expect(await state()).toEqual(before)
  })

  if (user === users.at(-1))
    test('control: without the sandbox the same lines do their harm', async () => {
      const known = bypassLines((index) => `${bench.outside}/effect-${index}`, 'source.txt')
      const next = shellLines(seed)
      await runAll(known.filter((line) => !/PROMPT_COMMAND|chmod|LD_PRELOAD/.test(line)).slice(0, 120), PLAIN, false)
      const effects = (await folderState(bench.outside)).filter((line) => line.startsWith('effect-'))
      process.stdout.write(`without the sandbox ${effects.length} of 120 known lines had an effect\n`)
      expect(effects.length).toBeGreaterThan(60)
      await runAll(Array.from({ length: 40 }, next), `${programs()}:${PLAIN}`, false)
      expect((await folderState(bench.outside)).filter((line) => line.includes('-ran')).length).toBeGreaterThan(3)
    })
})
