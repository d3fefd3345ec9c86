import type { Messages } from '../en/index.ts'

export const session: Messages['session'] = {
  untitled: '未命名会话',
  you: '你',
  steered: '运行中发送',
  showEarlier: '显示更早的 {value} 条',
  toLatest: '回到最新',
  transcript: '对话内容',
  empty: '要做什么？',
  emptyHint: 'Metona 在 {folder} 中读取和修改文件，行动前会先询问你。',
  loading: '正在打开会话',
  notOpened: '无法打开这个会话。',
  attachedImage: '附带的图片 {value}',
  copyMessage: '复制消息',
}
