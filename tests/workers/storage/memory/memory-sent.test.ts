/** A memory is left out of a turn only for what the model really has before it of MEMORY.md. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cleanWorkspaceText, cutToLimit } from '#workers/context/domain/workspace-text.ts'
import { parseMemory } from '#workers/storage/domain/memory-document.ts'
import { sentItems } from '#workers/storage/domain/sent-items.ts'
import { proof } from '#tests/helpers/proof.ts'
import { newBase, openStorage, removeBase, type TestStorage } from '../open-storage.ts'

const FACT = 'The staging cluster answers on port 9443'
const filler = (count: number): string => Array.from({ length: count }, (_unused, line) => `- [note] number ${line}\n`).join('')

let storage: TestStorage
beforeEach(async () => {
  storage = openStorage(newBase())
})
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})

/** The person trusts the folder with this text in it. */
async function hits(text: string, later?: string): Promise<string[]> {
  const file = join(storage.folder, 'MEMORY.md')
  writeFileSync(file, text)
  await storage.open()
  if (later !== undefined) writeFileSync(file, later)
  await storage.service.memoryAdd({ workspace: storage.folder, item: { content: FACT, source: 'user_input' } })
  const about = {
    workspace: storage.folder,
    query: 'which port does the staging cluster answer on',
    purpose: 'relevant' as const,
    limit: 8,
  }
  return (await storage.service.memorySearch(about)).hits.map(({ content }) => content)
}

it('what is sent is not said again', async () => {
  expect(await hits(`## 项目上下文\n- [staging] ${FACT}\n`)).toEqual([])
})

it.each([
  ['is commented out', `## 项目上下文\n<!--\n- [staging] ${FACT}\n-->\n- [a] b\n`, undefined],
  ['stands behind the cut', `## 项目上下文\n${filler(210)}- [staging] ${FACT}\n`, undefined],
  ['stands behind the cut of tokens', `## 项目上下文\n- [a] ${'中文'.repeat(4_000)}\n- [staging] ${FACT}\n`, undefined],
  ['came later and was not agreed to', '## 项目上下文\n- [a] b\n', `## 项目上下文\n- [a] b\n- [staging] ${FACT}\n`],
])('what %s is', async (_what, text, later) => {
  expect(await hits(text, later)).toEqual([FACT])
})

it('what we wrote ourselves counts at once', async () => {
  await storage.open()
  const { workspace } = { workspace: storage.folder }
  await storage.service.memoryFileChange({ workspace, operation: { kind: 'add', section: 'context', text: `[staging] ${FACT}` } })
  expect(readFileSync(join(workspace, 'MEMORY.md'), 'utf8')).toContain(FACT)
  await storage.service.memoryAdd({ workspace, item: { content: FACT, source: 'user_input' } })
  const about = { workspace, query: 'which port does the staging cluster answer on', purpose: 'relevant' as const, limit: 8 }
  expect((await storage.service.memorySearch(about)).hits).toEqual([])
})

it('of any text at all, an item that counts as sent is in what the model gets', () => {
  const words = fc.oneof(
    fc.constantFrom(
      '中'.repeat(60),
      'wordsAndHumps '.repeat(6),
      '1234567890'.repeat(5),
      '()[]{};:'.repeat(8),
      '😀👍'.repeat(9),
      'Ünïcødé ключ '.repeat(4),
    ),
    fc.string({ unit: 'binary', maxLength: 80 }).map((text) => text.replace(/[\r\n\u2028\u2029]|<!--|-->|`|~/g, ' ')),
  )
  const part = fc.tuple(words, fc.integer({ min: 1, max: 120 }))
  let cut = 0
  fc.assert(
    fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
      let number = 0
      const lines = parts.flatMap(([text, times]) => Array.from({ length: times }, () => `- [k] item${number++} ${text}`.trimEnd()))
      const text = `# MEMORY.md\n\n## 项目上下文\n${lines.join('\n')}\n`
      const sent = cutToLimit(cleanWorkspaceText(text, 'MEMORY.md'), 'MEMORY.md')
      if (sent.linesCut > 0) cut++
      const known = sentItems(parseMemory(text))
      expect(known.filter((item) => !sent.text.includes(item.split(' ')[0] ?? ''))).toEqual([])
      if (lines.length > 0 && lines.length < 20) expect(known.length).toBeGreaterThan(0)
    }),
    { numRuns: proof(2_000, 200) },
  )
  expect(cut).toBeGreaterThan(20)
})
