// needs: bwrap
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

/** Every line by itself, in bash and in the plain shell, in a fresh copy of the folder's files. */
const runner = (searchPath: string): string => `
export HOME=/tmp GIT_CONFIG_GLOBAL=/dev/null
while IFS= read -r -d '' line; do
  for shell in ${proof('bash sh', 'bash')}; do
    rm -rf w; mkdir w; cd w; echo taken > source.txt
    PATH=${searchPath} /usr/bin/timeout -k 1 3 /bin/"$shell" -c "$line" < /dev/null > /dev/null 2>&1
    cd ..
  done
done < lines
rm -rf w; echo all done`
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
    await writeFile(join(bench.workspace, 'lines'), lines.map((line) => `${line}\0`).join(''))
  }
  const state = async (): Promise<string[]> => [
    ...(await folderState(bench.outside)),
    ...(await folderState(bench.workspace, (path) => path === 'w' || path.startsWith('w/'))),
  ]

  test('known ways round an approval: none has an effect outside', async () => {
    const lines = bypassLines((index) => `${bench.outside}/effect-${index}`, 'source.txt')
    expect(lines.length).toBeGreaterThanOrEqual(300)
    await prepare(linesFor(user, lines))
    const before = await state()
    const { text } = await bench.run(runner(PLAIN), { timeoutMs: 900_000 })
    expect(text.trim()).toBe('all done')
    expect(await state()).toEqual(before)
  })

  test('generated lines: none has an effect outside', async () => {
    const next = shellLines(seed)
    const lines = Array.from({ length: proof(5000, 300) }, next)
    await prepare(linesFor(user, lines))
    const before = await state()
    const { text } = await bench.run(runner(`${programs()}:${PLAIN}`), { timeoutMs: 1_500_000 })
    expect(text.trim()).toMatch(/all done$/)
    expect(await state()).toEqual(before)
  })

  if (user === users.at(-1))
    test('control: without the sandbox the same lines do their harm', async () => {
      const known = bypassLines((index) => `${bench.outside}/effect-${index}`, 'source.txt')
      const next = shellLines(seed)
      await prepare(known.filter((line) => !/PROMPT_COMMAND|chmod|LD_PRELOAD/.test(line)).slice(0, 120))
      await bench.run(runner(PLAIN), { sandboxed: false, timeoutMs: 900_000 })
      const effects = (await folderState(bench.outside)).filter((line) => line.startsWith('effect-'))
      process.stdout.write(`without the sandbox ${effects.length} of 120 known lines had an effect\n`)
      expect(effects.length).toBeGreaterThan(60)
      await prepare(Array.from({ length: 40 }, next))
      await bench.run(runner(`${programs()}:${PLAIN}`), { sandboxed: false, timeoutMs: 900_000 })
      expect((await folderState(bench.outside)).filter((line) => line.includes('-ran')).length).toBeGreaterThan(3)
    })
})
