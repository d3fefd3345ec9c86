import { describe, expect, test } from 'vitest'
import { cleanWorkspaceText, cutToLimit, languageOf } from '#workers/context/domain/workspace-text.ts'

const SOUL_TEMPLATE =
  '# SOUL.md — 用户自定义 Agent 灵魂\n\n## 身份\n# 定义 Agent 是谁：名称、角色、核心特征\n\n## 性格与语气\n# 定义 Agent 如何与用户交流：风格、语气、态度\n\n## 核心价值观\n# 定义 Agent 的行为准则和底线\n'
const USERS_TEMPLATE =
  '# USERS.md — 用户自定义画像\n\n## 基本信息\n# 称呼、角色、经验等\n\n## 技术栈\n# 熟悉的技术、工具、框架\n\n## 偏好\n# 工具偏好、沟通风格、工作习惯\n\n## 当前目标\n# 正在做什么、想要达成什么\n'
const MEMORY_TEMPLATE =
  '# MEMORY.md — AI 持久记忆\n#\n# 格式版本: 1.0\n# 最后更新: 2026-06-25T12:00:00Z\n#\n# 此文件由 Metona Agent 自动维护，用户可手动编辑。\n\n## 用户偏好\n# 格式: - [类别] 内容描述\n# 示例: - [沟通风格] 用户喜欢简洁的回答\n\n## 待办事项\n# 格式: - [状态] 任务描述 (状态: pending/done/cancelled)\n'

describe('cleanWorkspaceText', () => {
  test.each([
    ['SOUL.md', SOUL_TEMPLATE],
    ['USERS.md', USERS_TEMPLATE],
    ['MEMORY.md', MEMORY_TEMPLATE],
  ] as const)('an untouched template of %s says nothing', (file, template) => {
    expect(cleanWorkspaceText(template, file)).toBe('')
  })

  test('a template of headings and HTML comments says nothing', () => {
    expect(cleanWorkspaceText('# AGENTS.md\n\n<!-- rules go here\n## 例子\n-->\n\n## 行为准则\n<!-- 写在这里 -->\n', 'AGENTS.md')).toBe('')
  })

  test('only filled sections are kept', () => {
    expect(cleanWorkspaceText(SOUL_TEMPLATE.replace('# 定义 Agent 如何与用户交流：风格、语气、态度', '温和、简短。'), 'SOUL.md')).toBe(
      '## 性格与语气\n温和、简短。',
    )
  })

  test('the header of MEMORY.md with its changing times is not sent', () => {
    expect(cleanWorkspaceText(`${MEMORY_TEMPLATE}- [pending] 写测试\n`, 'MEMORY.md')).toBe('## 待办事项\n- [pending] 写测试')
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
