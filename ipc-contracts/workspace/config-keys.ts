/**
 * Every configuration key: schema, category, default, description. `metona config` and the settings page
 * are made from this table. `scope: 'profile'` keys are authority and are never read from a workspace.
 */
import * as z from 'zod'
import { PermissionRuleSchema } from '../tools/permission-rule.ts'
import { SandboxNetworkSchema } from '../tools/sandbox-network.ts'
import { agentConfigKeys } from './agent-config-keys.ts'
import { ConfigCategorySchema, key, type ConfigKey } from './config-key.ts'

/** One family by its name; nothing that could end a CSS string. */
const FontFamilySchema = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u)
  .nullable()

export const configKeys: Readonly<Record<string, ConfigKey>> = {
  ...agentConfigKeys,
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
