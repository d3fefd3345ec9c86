import type { Messages } from '../en/index.ts'

export const frame: Messages['frame'] = {
  side: '会话',
  main: '对话',
  inspector: '检查器',
  status: '状态栏',
  toggleSide: '收起或展开侧栏',
  toggleInspector: '收起或展开检查器',
  theme: '切换主题',
  bottomBar: '导航',
  waitingForYou: '没有会话等你处理 | {value} 个会话等你处理 | {value} 个会话等你处理',
}
