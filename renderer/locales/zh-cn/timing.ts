import type { Messages } from '../en/index.ts'

export const timing: Messages['timing'] = {
  none: '还没有追踪记录。每次请求后写入，除非已关闭。',
  iteration: '第 {turn} 轮，第 {iteration} 次请求',
  context: '上下文',
  queue: '排队',
  model: '模型',
  approval: '等你',
  name: '片段',
  start: '开始于',
  file: '文件',
  error: '失败',
}
