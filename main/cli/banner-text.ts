/** Conditions of the workspace, in the person's language. The English text comes with the banner. */
import type { Banner } from '#contracts/session/client-protocol.ts'
import { fill } from './fill.ts'
import type { Language } from './language.ts'

const CHINESE: Readonly<Record<string, string>> = {
  DISK_FULL: '磁盘已满。发生的事情保留在内存中，一有空间就会写入。',
  DATABASE_BUSY: '其他程序占用了数据库。它一放开，写入会自动继续。',
  WORKSPACE_READ_ONLY: '工作空间目前无法写入。一旦可写，写入会自动继续。',
  DISK_FAULT: '磁盘报告错误，正在重试写入。',
  DATABASE_REPAIR: '使用中发现数据库损坏，正在重建。',
  DATABASE_NEWER: '数据库由更新版本的 Metona 创建，目前只读。请更新 Metona。',
  DATABASE_COMPLETED: '只在日志中存在的条目已补入数据库。',
  LOG_COMPLETED: '只在数据库中存在的条目已补入日志。',
  LOG_REPAIRED: '有日志文件在一行中间结束，已修复。',
  LOG_DAMAGED: '有无法读取的日志行。',
  MCP_UNREADABLE: '有无法读取的 MCP 服务器，已略过：{ids}。可用 `metona mcp remove ID` 移除。',
  MEMORY_MERGED: '另一个程序保存了较旧的 MEMORY.md；它缺少的 {count} 处更改已补回。',
  MEMORY_LEFT_OUT:
    '另一个程序保存的 MEMORY.md 不含这里最近的 {count} 处更改，现保持原样。含这些更改的文本已保留：将 {file} 复制为 MEMORY.md 即可找回。',
  LOG_BEHIND: '有日志文件暂时无法写入，之后会由数据库补齐。',
  FILES_CHANGED: '你同意之后在 Metona 之外被改动：{files}。继续使用你同意过的内容。`metona trust {folder}` 会显示改动并采用。',
  PROFILE_DAMAGED: '个人设置数据库已损坏，已另存；信任和设置重新开始。',
}

export function bannerText(banner: Banner, language: Language): string {
  const chinese = language === 'zh' ? CHINESE[banner.code] : undefined
  return chinese === undefined ? banner.message : fill(chinese, banner.params ?? {})
}
