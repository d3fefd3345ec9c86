import { describe, expect, test } from 'vitest'
import { templates } from '#workers/storage/folders/templates.ts'
import { cleanWorkspaceText, cutToLimit, languageOf } from '#workers/context/domain/workspace-text.ts'

const VALUES = { workspace: '/home/me/项目', now: '2026-06-25T12:00:00Z' }
const FILES = ['SOUL.md', 'AGENTS.md', 'USERS.md', 'MEMORY.md'] as const
const SOUL_TEMPLATE = templates['SOUL.md']?.zh(VALUES) ?? ''
const MEMORY_TEMPLATE = templates['MEMORY.md']?.zh(VALUES) ?? ''

describe('cleanWorkspaceText', () => {
  test.each(FILES.flatMap((file) => [[file, 'zh'] as const, [file, 'en'] as const]))(
    'an untouched template of %s (%s) says nothing',
    (file, language) => {
      expect(cleanWorkspaceText(templates[file]?.[language](VALUES) ?? 'missing', file)).toBe('')
    },
  )

  test('a template of headings and HTML comments says nothing', () => {
    expect(cleanWorkspaceText('# AGENTS.md\n\n<!-- rules go here\n## 例子\n-->\n\n## 行为准则\n<!-- 写在这里 -->\n', 'AGENTS.md')).toBe('')
  })

  test('only filled sections are kept', () => {
    expect(cleanWorkspaceText(SOUL_TEMPLATE.replace('# 定义 Agent 如何与用户交流：风格、语气、态度', '温和、简短。'), 'SOUL.md')).toBe(
      '## 性格与语气\n温和、简短。',
    )
  })

  test('the header of MEMORY.md with its changing times is not sent', () => {
    const text = MEMORY_TEMPLATE.replace('# 示例: - [pending] 实现用户登录功能', '- [pending] 写测试')
    expect(cleanWorkspaceText(text, 'MEMORY.md')).toBe('## 待办事项\n- [pending] 写测试')
  })

  test('headings with text, and any other first-level heading, stay', () => {
    const text = '# Build\nnpm test\n\n# Style\n## Names\nwhole words'
    expect(cleanWorkspaceText(text, 'AGENTS.md')).toBe(text)
  })

  test('inside a code fence nothing is taken for a heading', () => {
    const text = '## Run\n```sh\n# Format: x\nmake\n```'
    expect(cleanWorkspaceText(text, 'AGENTS.md')).toBe(text)
  })

  test('a comment that never closes is text', () => {
    expect(cleanWorkspaceText('## A\n<!-- open\nrule', 'AGENTS.md')).toBe('## A\n<!-- open\nrule')
  })
})

describe('cutToLimit', () => {
  test('a file within its limit is whole', () => {
    expect(cutToLimit('a\nb', 'MEMORY.md')).toEqual({ text: 'a\nb', linesCut: 0 })
  })

  test('MEMORY.md is cut after 200 lines', () => {
    const { text, linesCut } = cutToLimit(Array.from({ length: 260 }, (_, index) => `- ${index}`).join('\n'), 'MEMORY.md')
    expect({ lines: text.split('\n').length, linesCut }).toEqual({ lines: 200, linesCut: 60 })
  })

  test('one endless line is cut inside', () => {
    const { text, linesCut } = cutToLimit('很长的一行'.repeat(20_000), 'SOUL.md')
    expect({ cut: text.length < 6_000 && text.length > 500, linesCut }).toEqual({ cut: true, linesCut: 1 })
  })
})

test('the language is that of the letters', () => {
  expect([languageOf('请用中文回答 please'), languageOf('Answer in English, always.'), languageOf('')]).toEqual(['zh', 'en', 'en'])
})

test('the Chinese headings of an English workspace do not make it Chinese', () => {
  const all = (language: 'zh' | 'en'): string => FILES.map((file) => templates[file]?.[language](VALUES) ?? '').join('\n')
  expect([languageOf(all('en')), languageOf(all('zh'))]).toEqual(['en', 'zh'])
})
