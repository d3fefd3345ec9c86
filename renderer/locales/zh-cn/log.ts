import type { Messages } from '../en/index.ts'

export const log: Messages['log'] = {
  none: '还没有记录。',
  earlier: '显示更早的记录',
  copy: '复制这一行',
}
