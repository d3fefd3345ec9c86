/** Four programs that keep to the lock, an editor that does not, and somebody who reads all the time. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { MemoryFileStore } from '#workers/storage/memory/memory-file-store.ts'
import { seededRandom } from '#tests/helpers/random.ts'
import { newBase, removeBase } from '../open-storage.ts'
import { startProcess } from '../start-process.ts'

const WRITERS = 4
const OPERATIONS = 60
const SAVES = 60
const script = fileURLToPath(new URL('memory-writer.ts', import.meta.url))

let root: string
let file: string
beforeEach(() => {
  root = newBase()
  file = join(root, 'MEMORY.md')
  mkdirSync(join(root, '.metona'))
  writeFileSync(
    file,
    '# MEMORY.md\n# 格式版本: 1.0\n# 最后更新: 2026-01-01T00:00:00.000Z\n\n## 待办事项\n- [pending] first\n\n## 已知问题\n- end of file | x | y\n',
  )
})
afterEach(() => removeBase(root))

interface Outcome {
  readonly operations: number
  readonly editorLines: number
  readonly torn: number
  readonly reads: number
  readonly slowest: number
}

async function compete(name: string, without: readonly string[], editor: boolean): Promise<Outcome> {
  const random = seededRandom(name)
  const writers = Array.from({ length: WRITERS }, () => startProcess([root, ...without], { script }))
  await Promise.all(writers.map((writer) => writer.next()))
  let working = true
  let torn = 0
  let reads = 0
  const reader = (async () => {
    while (working) {
      const text = readFileSync(file, 'utf8')
      reads++
      if (!text.startsWith('# MEMORY.md\n') || !text.endsWith('- end of file | x | y\n')) torn++
      await sleep(1)
    }
  })()
  const times: number[] = []
  const written = writers.map(async (writer, index) => {
    writer.tell(`add w${index} ${OPERATIONS}`)
    for (;;) {
      const said = await writer.next()
      if (typeof said.milliseconds === 'number') times.push(said.milliseconds)
      if ('finished' in said) return
    }
  })
  if (editor) {
    // It opens the file, types a line, and saves its whole buffer, however the file looks by then. It rests for longer than the writers
    // wait for a file to come to rest; else they would only begin when it is done.
    let line = 0
    const edited = (async () => {
      while (line < SAVES) {
        const buffer = readFileSync(file, 'utf8')
        await sleep(Math.floor(random.between(10, 120)))
        const text = buffer.replace('\n## 已知问题', `- [pending] editor-${line}\n\n## 已知问题`)
        writeFileSync(`${file}~`, text)
        renameSync(`${file}~`, file)
        line++
        await sleep(Math.floor(random.between(35, 80)))
      }
    })()
    await edited
  }
  await Promise.all(written)
  // What the app that watches the file does after the last save.
  const last = new MemoryFileStore({
    layout: { root, internals: join(root, '.metona') },
    profile: join(root, '.metona', 'profile'),
    now: () => new Date().toISOString(),
    without: { lock: without.includes('lock'), compare: without.includes('compare'), journal: without.includes('journal') },
  })
  await last.mergeExternal()
  await last.close()
  working = false
  await reader
  for (const writer of writers) writer.child.kill()
  await Promise.all(writers.map((writer) => writer.ended))
  const lines = new Set(readFileSync(file, 'utf8').split('\n'))
  const count = (make: (index: number) => string, most: number): number =>
    Array.from({ length: most }, (_unused, index) => make(index)).filter((text) => lines.has(text)).length
  const outcome = {
    operations: Array.from({ length: WRITERS }, (_unused, writer) =>
      count((index) => `- [pending] w${writer}-${index}`, OPERATIONS),
    ).reduce((sum, found) => sum + found, 0),
    editorLines: count((index) => `- [pending] editor-${index}`, SAVES),
    torn,
    reads,
    slowest: Math.round(Math.max(0, ...times)),
  }
  process.stdout.write(`${name}: ${JSON.stringify(outcome)}\n`)
  return outcome
}

it(
  'every operation is in the file, all but one line of the editor at most is lost, and nobody ever reads half a file',
  { timeout: 180_000 },
  async () => {
    const outcome = await compete('writers and editor', [], true)
    expect([outcome.operations, outcome.editorLines >= SAVES - 1, outcome.torn]).toEqual([WRITERS * OPERATIONS, true, 0])
    expect(outcome.reads).toBeGreaterThan(20)
  },
)

it('control: without the comparison alone lines of the editor are lost', { timeout: 180_000 }, async () => {
  const outcome = await compete('without comparison', ['compare'], true)
  expect(outcome.editorLines).toBeLessThan(SAVES - 1)
})

it('control: without the journal alone operations are lost', { timeout: 180_000 }, async () => {
  const outcome = await compete('without journal', ['journal'], true)
  expect(outcome.operations).toBeLessThan(WRITERS * OPERATIONS)
})

it('control: without the lock operations are lost', { timeout: 180_000 }, async () => {
  const outcome = await compete('without lock', ['lock', 'compare', 'journal'], false)
  expect(outcome.operations).toBeLessThan(WRITERS * OPERATIONS)
})
