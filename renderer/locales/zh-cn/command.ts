import type { Messages } from '../en/index.ts'

export const command: Messages['command'] = {
  goal: '设定或查看这个会话的目标',
  compact: '为模型摘要较早的内容；可说明要保留什么',
  undo: '撤回上一轮改动的文件',
  retry: '重新回答上一条消息',
  fork: '带着到此为止的内容另开会话',
  clear: '用同样的模型和模式另开空会话',
  model: '选择模型',
  mode: '选择权限模式：plan、ask、auto_edit、full_access',
  stop: '停止这个会话',
  working: '正在处理',
  compacted: '已压缩：从约 {before} 到约 {after} token。对话内容仍可在此查看。',
  nothingToUndo: '这个会话没有可以撤回的文件改动。',
  undone: '没有撤回任何文件。 | 已撤回 1 个文件：{files}。 | 已撤回 {value} 个文件：{files}。',
  notUndone: '{path} 未动：{reason}',
  goalSet: '目标已设为：{goal}',
  goalIs: '当前目标：{goal}',
  goalNone: '还没有设定目标。',
}
