/** Items of several lines, fences and comments in MEMORY.md: what belongs together stays together, and what nobody is sent is not written to. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MemoryOperation } from '#contracts/metona/memory-file.ts'
import { cleanWorkspaceText } from '#workers/context/domain/workspace-text.ts'
import { parseMemory, readDocument, serializeMemory } from '#workers/storage/domain/memory-document.ts'
import { applyOperation } from '#workers/storage/domain/memory-operations.ts'
import { reapply } from '#workers/storage/domain/merge-edit.ts'
import { proof } from '#tests/helpers/proof.ts'

const RUNS = proof(20_000, 2_000)
const NOW = '2026-07-01T00:00:00.000Z'
const place = { workspace: '/w', now: NOW }
const after = (text: string, operation: MemoryOperation): string => serializeMemory(applyOperation(parseMemory(text), operation, place))
const add = (text: string): MemoryOperation => ({ kind: 'add', section: 'todo', text: `[pending] ${text}` })
const remove = (text: string): MemoryOperation => ({ kind: 'remove', section: 'todo', text: `[pending] ${text}` })
const HEADER = ['# 格式版本: 1.0', `# 最后更新: ${NOW}`, '']

/** What may stand below the first line of an item and is its own. */
const bodies = [
  [],
  ['  continued detail'],
  ['lazily continued'],
  ['  continued', 'and lazily so'],
  ['', '  behind a blank line'],
  ['', '', '\tbehind two'],
  ['  - nested', '    - deeper', '', '  - nested again'],
  ['  1. first', '  2. second'],
  ['  ```', '- [pending] in a fence', '## 待办事项', '  ```'],
  ['  ~~~sh', '', '  echo', '  ~~~', '  and on'],
  ['```sh', '- [pending] in a fence right below', '```'],
  ['  <!-- a note', '- [pending] hidden', '-->', '  and on'],
  ['> quoted'],
]
/** What may follow an item and is not its own. */
const tails = [
  [],
  [''],
  ['', 'a paragraph of the section'],
  ['# an explanation'],
  ['### deeper'],
  ['---'],
  ['1. a list of another kind'],
  [' - hardly indented'],
  ['<!--', '- [pending] commented out', '## 待办事项', '-->'],
  ['', '```', '- [pending] fenced', '```'],
  ['', ' hardly indented'],
]
interface Part {
  /** The text of the item, if it is one. */
  readonly item: string | undefined
  readonly lines: readonly string[]
}
const section = (name: string) =>
  fc.array(fc.tuple(fc.constantFrom(...bodies), fc.constantFrom(...tails)), { maxLength: 4 }).map((items): Part[] => [
    { item: undefined, lines: [`## ${name}`] },
    ...items.flatMap(([body, tail], index): Part[] => [
      { item: `${name} ${index}`, lines: [`- [pending] ${name} ${index}`, ...body] },
      { item: undefined, lines: tail },
    ]),
  ])
const file = fc
  .tuple(section('项目上下文'), section('待办事项'), section('已知问题'))
  .map((sections): Part[] => [{ item: undefined, lines: HEADER }, ...sections.flat()])
const ending = fc.tuple(fc.constantFrom('\n', '\r\n', '\r'), fc.boolean())
const join = (lines: readonly string[], [end, last]: readonly [string, boolean]): string =>
  lines.length === 0 ? '' : lines.join(end) + (last ? end : '')
const linesOf = (parts: readonly Part[]): string[] => parts.flatMap(({ lines }) => lines)

describe(`${RUNS} random files, put together from parts that are known`, () => {
  it('a new item comes behind all of the last one', () => {
    fc.assert(
      fc.property(file, ending, (parts, end) => {
        const heading = parts.findIndex(({ lines }) => lines[0] === '## 待办事项')
        const last = parts.findLastIndex(({ item }) => item?.startsWith('待办事项') === true)
        if (last < heading) return
        const expected = [...linesOf(parts.slice(0, last + 1)), '- [pending] new', ...linesOf(parts.slice(last + 1))]
        expect(after(join(linesOf(parts), end), add('new'))).toBe(join(expected, end))
      }),
      { numRuns: RUNS },
    )
  })

  it('a removed item goes with all that is its own, and nothing else', () => {
    fc.assert(
      fc.property(file, ending, fc.nat(), (parts, end, choice) => {
        const own = parts.filter(({ item }) => item?.startsWith('待办事项') === true)
        const gone = own[choice % Math.max(own.length, 1)]
        if (gone?.item === undefined) return
        const kept = linesOf(parts.filter((part) => part !== gone))
        expect(after(join(linesOf(parts), end), remove(gone.item))).toBe(join(kept, end))
      }),
      { numRuns: RUNS },
    )
  })

  it('what is written reaches the model', () => {
    fc.assert(
      fc.property(file, (parts) => {
        const sent = cleanWorkspaceText(after(linesOf(parts).join('\n'), add('new')), 'MEMORY.md').split('\n')
        expect(sent.filter((line) => line === '- [pending] new').length).toBe(1)
        const at = sent.indexOf('- [pending] new')
        expect(sent.slice(0, at).findLast((line) => line.startsWith('## '))).toBe('## 待办事项')
      }),
      { numRuns: RUNS },
    )
  })
})

it('any text at all: what counts as an item is sent to the model', () => {
  const line = fc.constantFrom(
    ...['<!--', '-->', '<!-- a', 'b -->', '<!-- c -->', '```', '~~~', '````', '## 待办事项', '## 已知问题', '', 'words', '- [pending] a'],
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
      const text = lines.map((each, index) => (each === '- [pending] a' ? `${each}${index}` : each)).join('\n')
      const view = readDocument(parseMemory(text))
      const items = view.sections.flatMap((found) => found.items.map((item) => item.text))
      const sent = new Set(cleanWorkspaceText(text, 'MEMORY.md').split('\n'))
      expect(items.filter((item) => !sent.has(`- ${item}`))).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

describe('a comment', () => {
  it('is not written to', () => {
    const text = '<!--\n## 待办事项\n- [pending] example\n-->\n## 待办事项\n- [pending] real\n'
    expect(after(text, add('new'))).toContain('- [pending] real\n- [pending] new\n')
    expect(readDocument(parseMemory(text)).sections.map(({ items }) => items.map((item) => item.text))).toEqual([['[pending] real']])
  })

  it('in a fence is text, and a fence in a comment is none', () => {
    const fenced = '## 待办事项\n```html\n<!--\n```\n- [pending] a\n```html\n-->\n```\n'
    expect(after(fenced, add('new'))).toContain('- [pending] a\n```html\n-->\n```\n- [pending] new\n')
    expect(cleanWorkspaceText(fenced, 'MEMORY.md')).toContain('- [pending] a')
    const commented = '## 待办事项\n<!--\n```\n-->\n- [pending] a\n'
    expect(readDocument(parseMemory(commented)).sections[0]?.items.length).toBe(1)
  })

  it('that never closes hides nothing, and nothing of ours closes it', () => {
    const text = '<!-- by and by\n## 待办事项\n- [pending] a\n'
    expect(after(text, add('new'))).toContain('- [pending] a\n- [pending] new\n')
    expect(() => after(text, add('x --> y'))).toThrow(expect.objectContaining({ code: 'MEMORY_TEXT' }))
    expect(after('## 待办事项\n', add('x --> y'))).toContain('- [pending] x --> y')
  })
})

it('an item that is changed keeps what else belongs to it', () => {
  const text = '## 待办事项\n- [pending] a\n  detail\n'
  expect(after(text, { kind: 'set_status', text: 'a', status: 'done' })).toContain('- [done] a\n  detail\n')
  expect(after(text, { kind: 'replace', section: 'todo', oldText: 'a', newText: '[pending] b' })).toContain('- [pending] b\n  detail\n')
})

it('a removal that is done again takes no line away that somebody wrote since', () => {
  const base = '## 待办事项\n- [pending] a\n  detail\n- [pending] b\n'
  const journal = [{ after: 'base' }, { operation: remove('a'), after: 'ours' }]
  const again = (text: string, known?: string): string => serializeMemory(reapply(parseMemory(text), 0, journal, place, known).document)
  expect(again(base, base)).not.toContain('detail')
  expect(again(base.replace('detail', 'detail\n  and a note of mine'), base)).toContain('- [pending] a\n  detail\n  and a note of mine\n')
  expect(again(base)).toContain('detail')
})

it('a large file of marks that never close is read in good time', () => {
  const text = '## 待办事项\n' + '```\n<!-- \n'.repeat(2) + '~~~ x\n<!--\n'.repeat(50_000)
  const before = performance.now()
  readDocument(parseMemory(text))
  cleanWorkspaceText(text, 'MEMORY.md')
  expect(performance.now() - before).toBeLessThan(5_000)
})
