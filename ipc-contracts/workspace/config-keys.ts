/**
 * Every configuration key: schema, category, default, description. `metona config` and the settings page
 * are made from this table. `scope: 'profile'` keys are authority and are never read from a workspace.
 */
import * as z from 'zod'
import { PermissionRuleSchema } from '../tools/permission-rule.ts'
import { SandboxNetworkSchema } from '../tools/sandbox-network.ts'

export const ConfigCategorySchema = z.enum(['llm', 'agent', 'tools', 'security', 'logging', 'mcp', 'ui'])

export interface ConfigKey {
  readonly schema: z.ZodType
  readonly category: z.infer<typeof ConfigCategorySchema>
  readonly scope: 'profile' | 'both'
  readonly defaultValue: unknown
  readonly description: { readonly en: string; readonly zh: string }
}

const key = (
  schema: z.ZodType,
  category: ConfigKey['category'],
  scope: ConfigKey['scope'],
  defaultValue: unknown,
  en: string,
  zh: string,
): ConfigKey => ({ schema, category, scope, defaultValue, description: { en, zh } })

/** One family by its name; nothing that could end a CSS string. */
const FontFamilySchema = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u)
  .nullable()

export const configKeys: Readonly<Record<string, ConfigKey>> = {
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
  'security.permission': key(
    z.enum(['plan', 'ask', 'auto_edit', 'full_access']),
    'security',
    'profile',
    'ask',
    'Permission mode of new sessions',
    '新会话的权限模式',
  ),
  'security.sandbox': key(z.enum(['auto', 'off']), 'security', 'profile', 'auto', 'Sandbox for commands', '命令沙箱'),
  'security.sandboxNetwork': key(
    SandboxNetworkSchema,
    'security',
    'profile',
    [],
    'Domains that commands in the sandbox may reach: everywhere, or in one folder',
    '沙箱中的命令可以访问的域名：在所有文件夹，或仅在某个文件夹',
  ),
  'security.rules': key(
    z.array(PermissionRuleSchema).max(500),
    'security',
    'profile',
    [],
    'Rules for tool calls: allow, ask or deny; deny wins',
    '工具调用规则：allow 允许、ask 询问、deny 禁止；禁止优先',
  ),
  'security.harmlessCommands': key(
    z.enum(['ask', 'allow']),
    'security',
    'profile',
    'ask',
    'Commands that only look inside the folder: ask before them, or let them run',
    '只在文件夹内查看的命令：先询问，还是直接运行',
  ),
  'security.approvalTimeoutSeconds': key(
    z.number().positive(),
    'security',
    'profile',
    600,
    'How long a question waits before it counts as unanswered',
    '审批问题的等待时间（秒）',
  ),
  'logging.traces': key(z.boolean(), 'logging', 'both', true, 'Write one trace file per iteration', '每次迭代写一个 trace 文件'),
  'logging.traceQuotaMiB': key(
    z.number().positive(),
    'logging',
    'both',
    200,
    'Oldest trace files are removed above this size',
    '超出后删除最旧的 trace 文件（MiB）',
  ),
  'ui.language': key(z.enum(['system', 'zh-CN', 'en']), 'ui', 'profile', 'system', 'Language', '语言'),
  'ui.theme': key(z.enum(['system', 'light', 'dark', 'hc']), 'ui', 'profile', 'system', 'Theme', '主题'),
  'ui.fontPercent': key(z.number().min(90).max(140), 'ui', 'profile', 100, 'Font size in percent', '字号（%）'),
  'ui.font': key(FontFamilySchema, 'ui', 'profile', null, 'Font of the interface', '界面字体'),
  'ui.codeFont': key(FontFamilySchema, 'ui', 'profile', null, 'Font of code', '代码字体'),
}

export const ConfigEntrySchema = z.object({
  key: z.string(),
  value: z.unknown(),
  category: ConfigCategorySchema,
  source: z.enum(['default', 'profile', 'workspace']),
  description: z.object({ en: z.string(), zh: z.string() }),
  /** JSON schema of the value, for the settings form. */
  schema: z.record(z.string(), z.unknown()).optional(),
})
export type ConfigEntry = z.infer<typeof ConfigEntrySchema>
