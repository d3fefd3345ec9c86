import type { Messages } from '../en/index.ts'

export const status: Messages['status'] = {
  good: '一切正常',
  degraded: '降级：{what}',
  connecting: '正在连接',
  lost: '未连接',
  running: '{value} 个运行中',
  queue: '{provider} 前面还有 {value} 个',
  cost: '本会话 {amount}',
  tokens: '{value} token',
  sandboxOn: '沙箱',
  sandboxOff: '沙箱已关闭',
  noSandbox: '无沙箱',
  offline: '离线',
}
