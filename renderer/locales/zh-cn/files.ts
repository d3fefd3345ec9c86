import type { Messages } from '../en/index.ts'

export const files: Messages['files'] = {
  title: '给智能体的文件',
  lead: '文件夹中的四个文件告诉会话它是谁、要注意什么。改动从下一条消息起生效。',
  noFolder: '打开一个文件夹后可编辑其中的文件。',
  folder: '文件夹',
  file: '文件',
  help: {
    agents: '在这里怎样工作：规则、命令、不要碰的东西。',
    soul: '智能体是谁：性格、语气和价值观。',
    users: '你是谁，喜欢怎样工作。',
    memory: '这个文件夹的每个会话都应记住的事。',
  },
  save: '保存',
  saving: '正在保存',
  saved: '已于 {time} 保存',
  changed: '有改动，未保存',
  asOnDisk: '与磁盘一致',
  missing: '还没有这个文件，保存时会创建。',
  revert: '恢复为文件内容',
  foreign: '{file} 被其他程序改动了。',
  foreignHint: '这是磁盘上的现状。你输入的内容在下面，没有丢失。',
  emptyFile: '（空）',
  keepMine: '保留我的',
  takeTheirs: '采用这个',
}
