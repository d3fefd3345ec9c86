import type { Messages } from '../en/index.ts'

export const models: Messages['models'] = {
  title: '模型与价格',
  lead: '列出已知的窗口和价格。过时的可以更正；你的数值优先，保存在你的个人配置中。',
  price: '每百万 token 输入 {input}、输出 {output}',
  cachePrice: '缓存 {cache}',
  unknownPrice: '价格未知',
  unknown: '未知',
  own: '你的数值',
  edit: '更改…',
  editOf: '更改 {model} 的数值',
  save: '保存',
  reset: '恢复内置数值',
  hint: '价格按每百万 token 计。留空表示未知，0 表示免费。',
  wrong: '窗口须为大于 0 的整数。价格须有 USD 这样的货币，并同时填写输入和输出。',
  fields: {
    contextWindow: '窗口（token）',
    maxOutput: '最长回答（token）',
    currency: '货币',
    inputPerMillion: '输入',
    outputPerMillion: '输出',
    cacheHitPerMillion: '来自缓存的输入',
    cacheWritePerMillion: '写入缓存',
  },
}
