import type { Messages } from '../en/index.ts'

export const turn: Messages['turn'] = {
  completed: '完成',
  aborted: '已由你中断',
  failed: '失败',
  limit_reached: '达到上限',
  interrupted: '已中断',
  interruptedHint: '运行时应用或后台中断。显示过的内容都保留，不会重复运行。',
  resume: '继续',
  retry: '重试',
  fixKey: '打开设置',
}
