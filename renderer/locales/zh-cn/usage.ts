import type { Messages } from '../en/index.ts'

export const usage: Messages['usage'] = {
  title: '用量与费用',
  lead: 'token 数以供应商的报告为准，按使用时已知的价格计算。统计已打开的文件夹。',
  span: '显示的天数',
  spans: { today: '今天', days14: '14 天', days90: '90 天', all: '全部' },
  refresh: '重新统计',
  empty: '这些天没有用量。',
  total: '合计',
  requests: '{value} 次请求',
  buckets: { input: '新输入', cacheHit: '来自缓存的输入', cacheWrite: '写入缓存的输入', output: '输出与思考' },
  reasoning: '输出中有 {value} token 用于思考。',
  unknown: '价格未知',
  andUnknown: '另有 {value} 次价格未知 | 另有 {value} 次价格未知 | 另有 {value} 次价格未知',
  by: { day: '按天', model: '按模型', session: '按会话' },
  columns: {
    day: '日期',
    model: '模型',
    session: '会话',
    requests: '请求',
    input: '输入',
    cached: '缓存',
    output: '输出',
    cost: '费用',
  },
  note: '已删除的会话不计入。修改价格后，只对之后的用量生效。',
}
