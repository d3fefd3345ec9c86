import type { Messages } from '../en/index.ts'

export const todo: Messages['todo'] = {
  title: '步骤',
  pending: '待办',
  in_progress: '进行中',
  done: '完成',
  cancelled: '已放弃',
  none: '模型没有为这个会话列出步骤。',
  count: '{total} 步中完成 {done} 步',
}
