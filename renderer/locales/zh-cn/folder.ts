import type { Messages } from '../en/index.ts'

export const folder: Messages['folder'] = {
  none: '还没有打开文件夹',
  title: '打开文件夹',
  lead: '会话在一个文件夹内工作。信任之前，其中的内容不会被读取。',
  choose: '选择文件夹…',
  path: '文件夹路径',
  pathHint: '例如 ~/projects/refunds 或 /home/me/projects/refunds',
  noDialog: '浏览器标签页没有文件夹对话框。请在下面输入路径，或选一个最近的。',
  open: '打开',
  opening: '正在打开',
  recent: '最近的文件夹',
  notTrusted: '未信任',
  created: '文件夹中新增：{files}',
}
