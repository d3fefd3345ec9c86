import type { Messages } from '../en/index.ts'

export const model: Messages['model'] = {
  pick: '模型',
  none: '选择模型',
  search: '搜索模型',
  empty: '没有匹配的模型。',
  demoName: '演示脚本',
  demo: '演示：不需要密钥，也不联网',
  window: '{value} 上下文',
  thinking: '可思考',
  images: '可看图',
  noTools: '不支持工具',
  refresh: '重新询问供应商',
  noKey: '还没有密钥',
  addKey: '添加密钥…',
  loading: '正在询问供应商',
}
