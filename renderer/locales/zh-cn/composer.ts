import type { Messages } from '../en/index.ts'

export const composer: Messages['composer'] = {
  label: '消息',
  placeholder: '输入消息：按 Enter 发送，按 Shift+Enter 换行',
  placeholderBusy: '会话正在运行：按 Enter 排队，按 {key} 立即引导',
  placeholderShort: '输入消息',
  placeholderBusyShort: '正在运行：消息会排队',
  placeholderNoFolder: '请先打开一个文件夹',
  placeholderReadOnly: '这个文件夹以只读方式打开',
  placeholderLost: '连接已断开：可以继续输入，内容会保留',
  send: '发送',
  queue: '排队',
  stop: '停止',
  stopping: '正在停止',
  queued: '排队：{text}',
  steering: '下一步送入：{text}',
  unqueue: '收回',
  queueList: '排队的消息',
  context: '上下文 {value}%',
  contextHint: '按我们的估算，约 {tokens} / {window} token',
  contextHigh: '接近上限',
  survivors: '已停止，但这些进程仍在运行：{pids}',
}
