import type { Messages } from '../en/index.ts'

export const notice: Messages['notice'] = {
  compaction: '较早的消息已为模型做了摘要，在这里仍可阅读。',
  LOG_REPAIRED: '这个会话的日志已修复。',
  NO_SANDBOX: '这里没有命令沙箱：命令以你本人的权限运行。',
  memories_flushed: '在总结较早的消息之前，保留了 {count} 条记忆。',
  compaction_stopped: '再做摘要已腾不出空间。你下次发送消息时会重新尝试；新会话有完整的窗口。',
  changes_undone: '已撤销对 {count} 个文件的修改。',
  question_withdrawn: '{tool} 已不再等待回答，它的询问已关闭。',
  refusal: '模型拒绝回答。',
  model_rerouted: '请求的是 {asked}，回答来自 {served}。',
  images_left_out: '{model} 不能看图，图片没有发送。',
  parameter_ignored: '供应商不支持设置“{parameter}”，没有发送。',
  context_nearly_full: '对话已接近模型能容纳的长度，较早的消息可能被它略去。',
  no_tools: '{model} 不支持工具，将直接回答。',
  tool_call_cut: '有一个工具调用被截断，没有运行。',
  empty_answer: '模型没有给出内容。',
  fallback: '{message}',
}
