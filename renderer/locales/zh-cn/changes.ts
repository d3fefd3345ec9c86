import type { Messages } from '../en/index.ts'

export const changes: Messages['changes'] = {
  none: '这个会话没有可以撤回的文件改动。',
  count: '{value} 处改动',
  turn: '第 {value} 轮',
  earlier: '更早',
  created: '新建',
  undo: '撤回',
  undoTurn: '撤回本轮',
  undoAll: '全部撤回',
  busy: '这一轮结束后才能撤回。',
  noDiff: '没有保留改动内容。',
  restored: '没有撤回任何文件。 | 已撤回 1 个文件。 | 已撤回 {value} 个文件。',
}
