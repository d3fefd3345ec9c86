import type { Messages } from '../en/index.ts'

export const permission: Messages['permission'] = {
  pick: '权限模式',
  plan: { name: '只规划', help: '只读取，修改和命令都会被拒绝。' },
  ask: { name: '每次询问', help: '每次修改和运行命令前都询问。' },
  auto_edit: { name: '自由编辑', help: '直接编辑文件夹中的文件，运行命令前询问。' },
  full_access: { name: '完全访问', help: '从不询问，拒绝规则仍然有效。' },
}
