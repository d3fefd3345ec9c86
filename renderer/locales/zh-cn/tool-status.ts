import type { Messages } from '../en/index.ts'

export const toolStatus: Messages['toolStatus'] = {
  proposed: '排队中',
  awaiting_approval: '等你处理',
  running: '运行中',
  done: '完成',
  failed: '失败',
  denied: '已拒绝',
  aborted: '已停止',
  unknown: '结果未知',
}
