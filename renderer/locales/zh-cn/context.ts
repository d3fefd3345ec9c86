import type { Messages } from '../en/index.ts'

export const context: Messages['context'] = {
  rules: '应用自身的规则',
  tools: '没有工具 | 1 个工具 | {value} 个工具',
  summary: '较早消息的摘要',
  user: '你的消息',
  assistant: '回答',
  toolResults: '工具结果',
  estimated: '合计（我们的估算）',
  reported: '供应商上次报告',
  room: '剩余空间',
  budget: '压缩起点',
  window: '模型窗口',
  exact: '精确计数，分词器为 {name}。',
  scanned: '按 {name} 的规则估算。',
  notLoaded: '应用启动后还没有向模型发送内容。',
  compact: '立即压缩',
}
