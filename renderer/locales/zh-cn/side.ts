import type { Messages } from '../en/index.ts'

export const side: Messages['side'] = {
  newSession: '新会话',
  openFolder: '打开文件夹…',
  sessions: '会话',
  settings: '设置',
  nextNeedsYou: '下一个等你处理的会话',
  empty: '还没有会话。',
  emptyAction: '开始一个',
  noFolder: '还没有打开文件夹。',
  readOnly: '只读',
  unread: '未读',
}
