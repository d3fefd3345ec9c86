import type { Messages } from '../en/index.ts'

export const keys: Messages['keys'] = {
  newSession: '新会话',
  toggleSide: '侧栏',
  toggleInspector: '检查器',
  nthSession: '第 1 到 9 个会话',
  nextNeedsYou: '下一个等你处理的会话',
  stop: '停止这个会话',
  send: '发送；运行中则排队',
  newLine: '换行',
  steer: '运行中立即引导',
  allow: '允许一次（在审批卡片中）',
  deny: '拒绝并说明（在审批卡片中）',
  message: '上一条或下一条消息',
  pane: '下一个区域',
  settings: '设置',
  shortcuts: '快捷键',
  find: '在对话中查找',
}
