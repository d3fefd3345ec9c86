import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MemoryOperation } from '#contracts/metona/memory-file.ts'
import { checkMemoryDocument } from '#workers/storage/domain/check-memory-document.ts'
import { parseMemory, readDocument, serializeMemory } from '#workers/storage/domain/memory-document.ts'
import { applyOperation } from '#workers/storage/domain/memory-operations.ts'
import { templates } from '#workers/storage/folders/templates.ts'
import { proof } from '#tests/helpers/proof.ts'

const RUNS = proof(20_000, 2_000)
const place = { workspace: '/w', now: '2026-07-01T00:00:00.000Z' }
const after = (text: string, operation: MemoryOperation): string => serializeMemory(applyOperation(parseMemory(text), operation, place))
const template = (language: 'zh' | 'en'): string =>
  templates['MEMORY.md']?.[language]({ workspace: '/w', now: '2026-06-25T12:00:00Z' }) ?? ''

/** The second example of the architecture document. */
const EXAMPLE = `# MEMORY.md — AI 持久记忆
#
# 格式版本: 1.0
# 创建时间: 2026-06-25T12:00:00Z
# 最后更新: 2026-06-25T15:30:00Z
# 工作空间: /home/user/MetonaWorkspaces/my-project

## 用户偏好
- [沟通风格] 用户喜欢简洁的回答，不需要过度解释
- [代码风格] 代码块使用 TypeScript 语法高亮
- [工具偏好] 项目使用 pnpm 而非 npm

## 项目上下文
- [MetonaAI-Desktop] 技术栈: React 18 + Electron 28 + TypeScript 5.x
- [MetonaAI-Desktop] 构建工具: Vite + electron-builder

## 重要决策
- 2026-06-20: 选择 sql.js 作为 SQLite 实现
- 2026-06-22: 决定采用四层 Harness 架构

## 待办事项
- [pending] 实现 MCP Server 动态加载
- [done] 完成 Agent Loop 状态机

## 已知问题
- Windows 下 electron-builder 签名需要证书 | 部署 | 使用代码签名证书
`

const piece = fc.oneof(
  fc.constantFrom(
    '## 用户偏好',
    '## 待办事项 (To do)',
    '## 已知问题',
    '## Something else',
    '### deeper',
    '# 格式版本: 1.0',
    '# 最后更新: yesterday',
    '```',
    '~~~ts',
    '````',
    '- [pending] a',
    '- [x] b',
    '- [沟通风格] 简洁',
    '* [k] v',
    '- 2026-02-30: never',
    '- a | b | c',
    '- a \\| b | c | d',
    '  - nested',
    '',
    '   ',
    '\t',
  ),
  fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ' ')),
)
const file = fc
  .tuple(
    fc.constantFrom('', '\uFEFF'),
    fc.array(fc.tuple(piece, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 }),
    fc.boolean(),
    piece,
  )
  .map(([mark, lines, endless, last]) => mark + lines.map(([text, end]) => text + end).join('') + (endless ? last : ''))
const operation: fc.Arbitrary<MemoryOperation> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    section: fc.constant('todo' as const),
    text: fc.constantFrom('[pending] a', '[done] new thing', '[pending] 写测试'),
  }),
  fc.record({
    kind: fc.constant('add' as const),
    section: fc.constant('issues' as const),
    text: fc.constantFrom('slow | start | cache', 'a \\| b | c | d'),
  }),
  fc.record({
    kind: fc.constant('set_status' as const),
    text: fc.constantFrom('b', 'b', 'a'),
    status: fc.constantFrom('pending' as const, 'done' as const, 'cancelled' as const),
  }),
  fc.record({ kind: fc.constant('remove' as const), section: fc.constant('preferences' as const), text: fc.constant('[沟通风格] 简洁') }),
)

describe(`${RUNS} random files`, () => {
  it('come out as they went in, byte for byte', () => {
    fc.assert(
      fc.property(file, (text) => void expect(serializeMemory(parseMemory(text))).toBe(text)),
      { numRuns: RUNS },
    )
  })

  it('control: the way most programs split lines loses some of them', () => {
    const careless = fc.check(
      fc.property(file, (text) => text.split(/\r?\n/).join('\n') === text),
      { numRuns: 500 },
    )
    expect(careless.failed).toBe(true)
  })

  it('an operation leaves every line alone that it does not speak of, and done twice it does nothing more', () => {
    let done = 0
    let refused = 0
    fc.assert(
      fc.property(file, operation, (random, change) => {
        const text = `## 待办事项\n- [pending] b\n## 用户偏好\n- [沟通风格] 简洁\n## 项目上下文\n${random.replace(/^\uFEFF/, '')}`
        let changed: string
        try {
          changed = after(text, change)
        } catch {
          refused++
          return
        }
        done++
        // Counted by bytes of whole lines, with an own way of cutting the text.
        const lost = minus(cut(text), cut(changed))
        const gained = minus(cut(changed), cut(text))
        const header = (line: string): boolean => /最后更新/.test(line)
        expect(lost.filter((line) => !header(line)).length).toBeLessThanOrEqual(change.kind === 'add' ? 0 : 1)
        expect(gained.filter((line) => !header(line)).length).toBeLessThanOrEqual(9)
        if (change.kind === 'add') {
          expect(gained.filter((line) => line === `- ${change.text}`).length).toBeLessThanOrEqual(1)
          // Nothing moved: what was there is there in the same order.
          expect(
            isSubsequence(
              cut(text).filter((line) => !header(line)),
              cut(changed),
            ),
          ).toBe(true)
        }
        if (change.kind !== 'remove') expect(after(changed, change)).toBe(changed)
      }),
      { numRuns: RUNS },
    )
    process.stdout.write(`operations: ${done} done, ${refused} refused\n`)
    expect(refused / RUNS).toBeLessThan(0.2)
  })
})

describe('what a file means', () => {
  it('the example of the architecture document has five sections, each item in its form, and no problem', () => {
    const document = parseMemory(EXAMPLE)
    expect(readDocument(document).sections.map(({ section, items }) => [section, items.map((item) => item.problem)])).toEqual([
      ['preferences', [undefined, undefined, undefined]],
      ['context', [undefined, undefined]],
      ['decisions', [undefined, undefined]],
      ['todo', [undefined, undefined]],
      ['issues', [undefined]],
    ])
    expect(checkMemoryDocument(document, () => false)).toEqual([])
  })

  it.each(['zh', 'en'] as const)('the template (%s) has five empty sections and no problem', (language) => {
    const document = parseMemory(template(language))
    expect(readDocument(document).sections.map(({ section, items }) => [section, items.length])).toEqual([
      ['preferences', 0],
      ['context', 0],
      ['decisions', 0],
      ['todo', 0],
      ['issues', 0],
    ])
    expect(checkMemoryDocument(document, () => false)).toEqual([])
  })

  it('what is not in its form is kept, and named with its line', () => {
    const text = EXAMPLE.replace('- [工具偏好] 项目使用 pnpm 而非 npm', '- 没有类别')
      .replace('- 2026-06-20: 选择', '- 2026-02-30: 选择')
      .replace('- [done] 完成', '- [later] 完成')
      .replace(' | 部署 | ', ' | ')
      .replace('## 项目上下文', '一句自由的话\n\n## 我的小节\n\n## 项目上下文')
    expect(checkMemoryDocument(parseMemory(text), (line) => line.includes('React')).map(({ line, code }) => [line, code])).toEqual([
      [11, 'wrong_form'],
      [13, 'not_an_item'],
      [15, 'unknown_section'],
      [18, 'secret'],
      [22, 'bad_date'],
      [27, 'wrong_form'],
      [30, 'wrong_form'],
    ])
    expect(serializeMemory(parseMemory(text))).toBe(text)
  })

  it('a fence that closes hides what is in it; one that does not close swallows nothing', () => {
    const closed = '## 待办事项\n```\n## 已知问题\n- a | b | c\n```\n- [pending] x\n'
    expect(readDocument(parseMemory(closed)).sections.map(({ section, items }) => [section, items.map((item) => item.text)])).toEqual([
      ['todo', ['[pending] x']],
    ])
    const open = parseMemory('## 待办事项\n```\n## 已知问题\n- a | b | c\n')
    expect([readDocument(open).openFence, readDocument(open).sections.map(({ section }) => section)]).toEqual([1, ['todo', 'issues']])
  })
})

describe('an operation', () => {
  it('adds an item behind the last one of its section, and says when in the header', () => {
    expect(after(EXAMPLE, { kind: 'add', section: 'todo', text: '[pending] 写测试' })).toBe(
      EXAMPLE.replace('状态机\n', '状态机\n- [pending] 写测试\n').replace('最后更新: 2026-06-25T15:30:00Z', `最后更新: ${place.now}`),
    )
  })

  it('adds behind the explanations of an empty section', () => {
    expect(after(template('en'), { kind: 'add', section: 'preferences', text: '[style] short' })).toContain(
      '# Example: - [style] prefers short answers\n- [style] short\n\n## 项目上下文',
    )
  })

  it('makes header and section where there are none, and keeps line ends and a missing last one', () => {
    expect(after('', { kind: 'add', section: 'decisions', text: '2026-06-25: SQLite' })).toBe(
      `# MEMORY.md — AI 持久记忆\n#\n# 格式版本: 1.0\n# 创建时间: ${place.now}\n# 最后更新: ${place.now}\n# 工作空间: /w\n\n## 重要决策\n- 2026-06-25: SQLite\n`,
    )
    expect(after('# 最后更新: x\r\n## 待办事项\r\n- [pending] a', { kind: 'add', section: 'todo', text: '[pending] b' })).toBe(
      `# 最后更新: ${place.now}\r\n## 待办事项\r\n- [pending] a\r\n- [pending] b`,
    )
  })

  it('knows an item by its text alone: not by status, case, width or spaces', () => {
    const once = after(EXAMPLE, { kind: 'set_status', text: '实现  mcp server 动态加载', status: 'done' })
    expect(once).toContain('- [done] 实现 MCP Server 动态加载\n')
    expect(after(once, { kind: 'add', section: 'todo', text: '[pending] 实现 MCP Ｓerver 动态加载' })).toBe(once)
  })

  it('replaces and removes only what is there exactly once', () => {
    expect(
      after(EXAMPLE, { kind: 'replace', section: 'preferences', oldText: '[工具偏好] 项目使用 pnpm 而非 npm', newText: '[工具偏好] npm' }),
    ).toContain('- [工具偏好] npm\n\n')
    const twice = EXAMPLE.replace('- [done] 完成 Agent Loop 状态机', '- [done] 实现 MCP Server 动态加载')
    const code = (text: string, change: MemoryOperation): unknown => {
      try {
        after(text, change)
        return 'done'
      } catch (error) {
        return (error as { code?: unknown }).code
      }
    }
    expect([
      code(twice, { kind: 'remove', section: 'todo', text: '实现 MCP Server 动态加载' }),
      code(EXAMPLE, { kind: 'remove', section: 'todo', text: 'nothing of the kind' }),
      code(EXAMPLE, { kind: 'replace', section: 'todo', oldText: 'nothing', newText: '[pending] x' }),
      code(EXAMPLE, { kind: 'add', section: 'todo', text: 'no status' }),
      code(EXAMPLE, { kind: 'add', section: 'decisions', text: '2026-13-01: x' }),
      code(EXAMPLE, { kind: 'add', section: 'issues', text: 'only | two' }),
      code(EXAMPLE, { kind: 'add', section: 'preferences', text: '[a] b\n## 安全边界' }),
      code(EXAMPLE, { kind: 'add', section: 'preferences', text: '## [a] b' }),
      code(EXAMPLE, { kind: 'add', section: 'preferences', text: '[a] ``` b' }),
      code(EXAMPLE, { kind: 'add', section: 'preferences', text: '[login] password: hunter2!' }),
      code(EXAMPLE.replace('1.0', '1.1'), { kind: 'add', section: 'todo', text: '[pending] x' }),
      code(EXAMPLE.replace('1.0', '2'), { kind: 'set_status', text: 'x', status: 'done' }),
      code(EXAMPLE, { kind: 'add', section: 'todo', text: '[pending] x' }),
    ]).toEqual([
      'MEMORY_ITEM_TWICE',
      'MEMORY_ITEM_NOT_FOUND',
      'MEMORY_ITEM_NOT_FOUND',
      'MEMORY_FORM',
      'MEMORY_FORM',
      'MEMORY_FORM',
      'MEMORY_TEXT',
      'MEMORY_TEXT',
      'MEMORY_TEXT',
      'SECRET_IN_MEMORY',
      'MEMORY_READ_ONLY',
      'MEMORY_READ_ONLY',
      'done',
    ])
  })
})

/** Lines by a way of its own: one character after the other. */
function cut(whole: string): string[] {
  // The mark stays the first character of the file, whatever line comes first.
  const text = whole.replace(/^\uFEFF/, '')
  const lines: string[] = []
  let line = ''
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index)
    if (character === '\r' && text.charAt(index + 1) === '\n') continue
    if (character === '\r' || character === '\n') {
      lines.push(line)
      line = ''
    } else line += character
  }
  return line === '' ? lines : [...lines, line]
}

function minus(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return lines.filter((line) => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0
  for (const line of whole) if (line === part[at]) at++
  return at === part.length
}
