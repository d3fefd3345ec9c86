import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf } from '../database-errors.ts'

type Language = 'zh' | 'en'

export interface TemplateValues {
  readonly workspace: string
  /** ISO 8601. */
  readonly now: string
}

/** The four files of a workspace, with the headings of the architecture document; lines after `#` explain and are not read as rules. */
export const templates: Readonly<Record<string, Readonly<Record<Language, (values: TemplateValues) => string>>>> = {
  'SOUL.md': {
    zh: () => `# SOUL.md — 用户自定义 Agent 灵魂

## 身份
# 定义 Agent 是谁：名称、角色、核心特征

## 性格与语气
# 定义 Agent 如何与用户交流：风格、语气、态度

## 核心价值观
# 定义 Agent 的行为准则和底线
`,
    en: () => `# SOUL.md — who the agent is

## 身份 (Identity)
# Name, role, what it is above all

## 性格与语气 (Character and tone)
# How it talks with you: style, tone, attitude

## 核心价值观 (Core values)
# What it holds to, and where it stops
`,
  },
  'AGENTS.md': {
    zh: () => `# AGENTS.md — 用户自定义行为规则

## 行为准则
# 定义 Agent 必须遵守的规则

## 工具使用规范
# 定义哪些工具可用、何时需要确认

## 安全边界
# 定义 Agent 的行为底线

## 工作流程
# 定义 Agent 的推理和执行流程
`,
    en: () => `# AGENTS.md — how the agent behaves

## 行为准则 (Rules)
# What it must keep to

## 工具使用规范 (Use of tools)
# Which tools it may use, and when it must ask

## 安全边界 (Safety limits)
# What it must never do

## 工作流程 (Way of working)
# How it thinks and proceeds
`,
  },
  'MEMORY.md': {
    zh: (values) => `# MEMORY.md — AI 持久记忆
#
# 格式版本: 1.0
# 创建时间: ${values.now}
# 最后更新: ${values.now}
# 工作空间: ${values.workspace}
#
# 此文件由 Metona Agent 自动维护，用户可手动编辑。
# 格式规范详见文档，Agent 写入时会自动校验格式。

## 用户偏好
# 格式: - [类别] 内容描述
# 示例: - [沟通风格] 用户喜欢简洁的回答

## 项目上下文
# 格式: - [项目名] 关键信息
# 示例: - [MyApp] 技术栈: React + TypeScript

## 重要决策
# 格式: - YYYY-MM-DD: 决策内容
# 示例: - 2026-06-25: 选择 sql.js 作为数据库方案

## 待办事项
# 格式: - [状态] 任务描述 (状态: pending/done/cancelled)
# 示例: - [pending] 实现用户登录功能

## 已知问题
# 格式: - 问题描述 | 影响范围 | 解决方案
# 示例: - 首次加载慢 | 启动 | 预加载优化
`,
    // The section headings are the format itself and stay as they are; the explanations are translated.
    en: (values) => `# MEMORY.md — AI 持久记忆
#
# 格式版本: 1.0
# 创建时间: ${values.now}
# 最后更新: ${values.now}
# 工作空间: ${values.workspace}
#
# What the agent remembers across sessions. It keeps this file itself; you may edit it by hand.
# The agent checks the form of what it writes.

## 用户偏好
# Your preferences. Form: - [category] description
# Example: - [style] prefers short answers

## 项目上下文
# The project. Form: - [project] key fact
# Example: - [MyApp] stack: React + TypeScript

## 重要决策
# Decisions. Form: - YYYY-MM-DD: decision
# Example: - 2026-06-25: SQLite for storage

## 待办事项
# To do. Form: - [state] task (pending/done/cancelled)
# Example: - [pending] user login

## 已知问题
# Known problems. Form: - problem | where | solution
# Example: - slow first load | start-up | preload
`,
  },
  'USERS.md': {
    zh: () => `# USERS.md — 用户自定义画像

## 基本信息
# 称呼、角色、经验等

## 技术栈
# 熟悉的技术、工具、框架

## 偏好
# 工具偏好、沟通风格、工作习惯

## 当前目标
# 正在做什么、想要达成什么
`,
    en: () => `# USERS.md — about you

## 基本信息 (Basics)
# What to call you, your role, your experience

## 技术栈 (Technology)
# Languages, tools and frameworks you know

## 偏好 (Preferences)
# Tools, style, habits

## 当前目标 (Current goals)
# What you are working on and want to reach
`,
  },
}

/**
 * Writes the files that are missing, never over one that exists (nor through a link), and returns their names.
 * `scratch` is a folder of ours on the same disk.
 */
export function writeTemplates(root: string, scratch: string, language: Language, values: TemplateValues): string[] {
  const created: string[] = []
  for (const [name, texts] of Object.entries(templates)) {
    if (writeWhole(join(root, name), join(scratch, `${name}.${process.pid}.tmp`), texts[language](values))) created.push(name)
  }
  return created
}

/** A name appears with its whole text or not at all: a hard link, unlike a rename, refuses a name that is taken. */
function writeWhole(file: string, temporary: string, text: string): boolean {
  try {
    writeFileSync(temporary, text)
    linkSync(temporary, file)
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCodeOf(error))) throw error
    return writeDirectly(file, text)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** For file systems without hard links. */
function writeDirectly(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (errorCodeOf(error) === 'EEXIST') return false
    throw error
  }
}
