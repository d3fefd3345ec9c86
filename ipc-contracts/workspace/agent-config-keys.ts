/** Configuration of models, turns and their budgets. */
import * as z from 'zod'
import { key, type ConfigKey } from './config-key.ts'

export const agentConfigKeys: Readonly<Record<string, ConfigKey>> = {
  'llm.model': key(
    z
      .string()
      .regex(/^[^/\s]+\/\S+$/)
      .nullable(),
    'llm',
    'both',
    null,
    'Default model as provider/model',
    '默认模型，写作 provider/model',
  ),
  'llm.thinking': key(z.boolean(), 'llm', 'both', true, 'Ask for visible reasoning where the model has it', '模型支持时请求思考过程'),
  'llm.maxTokens': key(
    z.number().int().positive().nullable(),
    'llm',
    'both',
    null,
    'Most tokens in one answer; empty leaves it to the provider',
    '单次回答的最大 token 数；留空由服务商决定',
  ),
  'llm.temperature': key(z.number().min(0).max(2).nullable(), 'llm', 'both', null, 'Sampling temperature', '采样温度'),
  'agent.maxIterations': key(
    z.number().int().min(1).max(1000),
    'agent',
    'both',
    50,
    'Most model requests in one turn',
    '单轮最多模型请求次数',
  ),
  'agent.turnTimeoutSeconds': key(
    z.number().positive().nullable(),
    'agent',
    'both',
    null,
    'Longest time for one turn',
    '单轮最长时间（秒）',
  ),
  'agent.contextBudget': key(
    z.number().int().min(8000).nullable(),
    'agent',
    'both',
    null,
    'Most input tokens of one request before older history is summarised; empty means 200,000',
    '单次请求最多使用的输入 token 数，超出前压缩较早的历史；留空为 200,000',
  ),
  'limits.turnTokens': key(
    z.number().int().positive().nullable(),
    'agent',
    'both',
    null,
    'Most tokens, input and output, of one turn; empty means no limit',
    '单轮最多使用的 token 数（输入与输出）；留空不限',
  ),
  'limits.sessionTokens': key(
    z.number().int().positive().nullable(),
    'agent',
    'both',
    null,
    'Most tokens of one session; empty means no limit',
    '单个会话最多使用的 token 数；留空不限',
  ),
  'limits.turnMoney': key(
    z.number().positive().nullable(),
    'agent',
    'both',
    null,
    'Most money for one turn, in the currency the provider bills; empty means no limit',
    '单轮最多花费的金额（按服务商的计费货币）；留空不限',
  ),
  'limits.sessionMoney': key(
    z.number().positive().nullable(),
    'agent',
    'both',
    null,
    'Most money for one session, in the currency the provider bills; empty means no limit',
    '单个会话最多花费的金额（按服务商的计费货币）；留空不限',
  ),
}
