import type { Messages } from '../en/index.ts'

export const app: Messages['app'] = {
  name: 'Metona',
  titleWith: '{title} · Metona',
  close: '关闭',
  cancel: '取消',
  dismiss: '收起',
  copied: '已复制',
  retry: '重试',
  loading: '正在载入',
  reload: '刷新页面',
}
