/** What the pictures show: folders, sessions and conversations of a made-up person, in both languages. */
import type { ConfigEntry } from '#contracts/workspace/config-keys.ts'
import { configKeys } from '#contracts/workspace/config-keys.ts'
import type { ProviderDescriptor } from '#contracts/llm/provider-descriptor.ts'
import type { MetonaModelInfo } from '#contracts/metona/metona-adapter.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import * as z from 'zod'
import { pipelineAtWork } from './pipeline-scene.ts'
import { ScriptedHost } from '../helpers/scripted-host.ts'
import { answerRecords } from './screenshot-records.ts'

export type Language = 'zh-CN' | 'en'
export const NOW = new Date('2026-10-15T10:31:12+08:00')
const ago = (seconds: number): string => new Date(NOW.getTime() - seconds * 1000).toISOString()

export const REFUNDS = '/home/ada/projects/refunds'
export const SITE = '/home/ada/projects/site-copy'
export const GATEWAY = '/home/ada/projects/payments-gateway'

const text = {
  en: {
    spike: 'Find the August refund spike',
    tests: 'Fill in reconciliation tests',
    guide: 'Rewrite the settlement guide',
    sales: 'September sales by channel',
    links: 'Check for broken links',
    images: 'Compress home page images',
    translate: 'Translate the release notes',
    ask: 'The refund rate jumped in the second week of August. Find the reason by channel; if the code counts wrong, fix it and add a test.',
    thinking:
      'First group by channel and week, to see whether all of it rises or one channel alone.\nThe rate of one shop is almost exactly twice that of the four weeks before. That looks like double counting, not like more refunds.',
    answer:
      'Only **Douyin Shop** stands out: its refunds are almost exactly twice the usual number. The cause is in `reconcile.ts`: the shop sends two notices per refund and both are counted.\n\n| Channel | Orders | Refunds | Rate |\n| --- | ---: | ---: | ---: |\n| Mini program | 41,208 | 1,854 | 4.50% |\n| Douyin Shop | 27,305 | 3,549 | 13.00% |\n\nI count each refund once and run the refund tests. Background: [how the shop sends notices](https://example.com/notices).',
    queued: 'When it is done, write the result to docs/refund.md',
    push: 'pushes 1 commit to a remote server',
    grant: 'git push origin fix/refund-double-count',
    stream:
      'Three rules have no test yet:\n\n1. **Month boundary**: a refund paid out on the 1st belongs to the new month\n2. **Partial refunds**: several per order\n3. **Late notices**: arrive after the day is closed\n\nI start with `settle()` and write one test per rule:\n\n```ts\ntest("books a refund on the payout date", () => {\n  expect(settle(refund)).toEqual({ month: "2026-10" })\n})\n```\n\nThe **second rule',
    steer: 'Use the fixtures in tests/fixtures, not the live data',
  },
  'zh-CN': {
    spike: '查 8 月退款率异常',
    tests: '补齐对账单元测试',
    guide: '重写结算流程说明',
    sales: '按渠道汇总 9 月销售额',
    links: '检查失效链接',
    images: '压缩首页图片',
    translate: '翻译发布说明（英译中）',
    ask: '8 月第二周的退款率突然升高。帮我按渠道找出原因；如果是代码算错了，直接修好并补测试。',
    thinking:
      '先按渠道和周聚合，看是整体上升还是某个渠道单独上升。\n抖音小店的退款率几乎正好是前四周的两倍，像是重复计数，不像真实退款变多。',
    answer:
      '只有**抖音小店**异常：退款数恰好约为正常值的两倍。原因在 `reconcile.ts`：抖店对同一笔退款会推送两次，而代码两次都计入了。\n\n| 渠道 | 订单数 | 退款数 | 退款率 |\n| --- | ---: | ---: | ---: |\n| 微信小程序 | 41,208 | 1,854 | 4.50% |\n| 抖音小店 | 27,305 | 3,549 | 13.00% |\n\n我改为按“订单 + 退款单”去重，并运行退款相关测试。背景见[抖店推送说明](https://example.com/notices)。',
    queued: '跑完后把结论写进 docs/refund.md',
    push: '把 1 个提交推送到远程服务器',
    grant: 'git push origin fix/refund-double-count',
    stream:
      '还有三条规则没有测试：\n\n1. **跨月**：1 日到账的退款归入新的月份\n2. **部分退款**：一个订单可能有多笔\n3. **迟到的推送**：在当日结账之后才到\n\n先看 `settle()`，然后每条规则写一个测试：\n\n```ts\ntest("跨月退款按到账日归属", () => {\n  expect(settle(refund)).toEqual({ month: "2026-10" })\n})\n```\n\n其中**第二条',
    steer: '请用 tests/fixtures 里的数据，不要用线上数据',
  },
} as const

const usage = { inputTokens: 40_982, outputTokens: 1_310, totalTokens: 42_292, cacheHitTokens: 37_700, reasoningTokens: 1_284 }
const cost = { currency: 'CNY', cacheHit: 0.08, cacheMiss: 0.23, cacheWrite: 0, output: 0.53, total: 0.84 }

export function configEntries(values: Readonly<Record<string, unknown>>): ConfigEntry[] {
  return Object.entries(configKeys).map(([key, entry]) => ({
    key,
    value: values[key] ?? entry.defaultValue,
    category: entry.category,
    source: values[key] === undefined ? 'default' : 'profile',
    description: entry.description,
    schema: z.toJSONSchema(entry.schema, { unrepresentable: 'any' }) as Record<string, unknown>,
  }))
}

const provider = (id: string, displayName: string, hasKey: boolean, extra: Partial<ProviderDescriptor> = {}): ProviderDescriptor => ({
  id,
  displayName,
  keyRequired: true,
  hasKey,
  defaultBaseUrl: `https://api.${id}.example.com`,
  keyVariable: `${id.toUpperCase()}_API_KEY`,
  concurrency: 2,
  ...extra,
})
const PROVIDERS = (keys: boolean): ProviderDescriptor[] => [
  provider('deepseek', 'DeepSeek', keys, { defaultModel: 'deepseek-v4-pro', perMinute: 60 }),
  provider('anthropic', 'Anthropic', false, { defaultModel: 'claude-sonnet-5' }),
  provider('openai', 'OpenAI', keys, { defaultModel: 'gpt-5.5' }),
  provider('agnes', 'Agnes AI', false),
  provider('ollama', 'Ollama', false, { keyRequired: false, defaultBaseUrl: 'http://127.0.0.1:11434' }),
  provider('demo', 'Demo', false, { keyRequired: false, defaultBaseUrl: '' }),
]
const model = (
  providerId: string,
  id: string,
  displayName: string,
  contextWindow: number,
  extra: Partial<MetonaModelInfo> = {},
): MetonaModelInfo => ({
  id,
  providerId,
  displayName,
  contextWindow,
  maxOutput: 8192,
  supportsStreaming: true,
  supportsThinking: true,
  supportsImages: false,
  supportsToolCalling: true,
  supportsStructuredOutput: true,
  ...extra,
})
const MODELS: MetonaModelInfo[] = [
  model('deepseek', 'deepseek-v4-pro', 'DeepSeek V4 Pro', 128_000),
  model('deepseek', 'deepseek-v4-flash', 'DeepSeek V4 Flash', 128_000, { supportsThinking: false }),
  model('openai', 'gpt-5.5', 'GPT-5.5', 400_000, { supportsImages: true }),
  model('ollama', 'qwen3:8b', 'Qwen3 8B', 40_960, { supportsToolCalling: false }),
  model('demo', 'scripted', 'Scripted demonstration', 32_000, { supportsThinking: false }),
]

export interface SceneOptions {
  readonly language: Language
  readonly theme: 'light' | 'dark' | 'hc'
  readonly keys?: boolean
  readonly fontPercent?: number
}

/** A host with nothing but providers and settings: the first visit. */
export function emptyHost(options: SceneOptions): ScriptedHost {
  const host = new ScriptedHost()
  host.now = () => NOW.getTime()
  const values: Record<string, unknown> = {
    'ui.language': options.language,
    'ui.theme': options.theme,
    'ui.fontPercent': options.fontPercent ?? 100,
    'security.sandboxNetwork': [{ domain: 'registry.npmjs.org' }, { domain: '*.pythonhosted.org', folder: '/home/li/shop' }],
  }
  host.answer('config.list', () => ({ entries: configEntries(values) }))
  host.answer('config.set', ({ key, value }) => {
    values[key] = value
    return configEntries(values).find((entry) => entry.key === key)
  })
  host.answer('health.pipeline', () => pipelineAtWork)
  host.answer('providers.list', () => ({ providers: PROVIDERS(options.keys ?? false) }))
  host.answer('models.list', () => ({
    models: MODELS,
    problems: [{ provider: 'openai', ok: false, code: 'rate_limited', message: '429' }],
  }))
  host.answer('providers.diagnose', ({ provider: id }) =>
    id === 'openai'
      ? { provider: id, ok: false, code: 'key_refused', message: '401', details: '401 invalid_api_key' }
      : { provider: id, ok: true, code: 'ok', message: '' },
  )
  host.answer('trust.list', () => ({
    entries: [
      { path: REFUNDS, trustedAt: ago(1_000_000) },
      { path: SITE, trustedAt: ago(300_000) },
    ],
  }))
  host.answer('workspace.open', ({ path, mode }) => {
    if (path === GATEWAY && mode === 'write')
      throw new AppError({
        code: 'UNTRUSTED',
        message: path,
        params: { path },
        details: { found: ['AGENTS.md', '.metona/agent.db', '.env'], creates: ['SOUL.md', 'USERS.md', 'MEMORY.md', 'logs/', 'traces/'] },
      })
    if (path.includes('nowhere')) throw new AppError({ code: 'NOT_A_FOLDER', message: path, params: { path } })
    return { workspace: path, created: [], readOnly: mode === 'read' }
  })
  return host
}

/** As after a restart of a shell that has no place for keys. */
export function lostKeyHost(options: SceneOptions): ScriptedHost {
  const host = busyHost({ ...options, keys: false })
  host.answer('providers.list', () => ({
    providers: PROVIDERS(false).map((entry) => (entry.id === 'deepseek' ? { ...entry, keyLost: true } : entry)),
  }))
  return host
}

/** Two folders and seven sessions, one in each state. */
export function busyHost(options: SceneOptions): ScriptedHost {
  const host = emptyHost({ keys: true, ...options })
  const t = text[options.language]
  answerRecords(host, REFUNDS, NOW)
  host.answer('workspace.recent', () => ({
    workspaces: [
      { path: REFUNDS, openedAt: ago(10), trusted: true },
      { path: SITE, openedAt: ago(20), trusted: true },
      { path: GATEWAY, openedAt: ago(30), trusted: false },
    ],
  }))
  const pro = { model: 'deepseek/deepseek-v4-pro' }
  const start = (id: string, workspace: string, title: string, createdSecondsAgo: number): void =>
    host.addSession(id, workspace, { title, ...pro, at: ago(createdSecondsAgo) } as object)

  start('s_spike', REFUNDS, t.spike, 700)
  emitSpike(host, t)
  start('s_tests', REFUNDS, t.tests, 800)
  emitStream(host, t)
  start('s_guide', REFUNDS, t.guide, 900)
  host.emit(
    's_guide',
    { event: 'user_message', messageId: 'm1', content: t.guide, turn: 1, at: ago(9) },
    { event: 'iteration_start', iteration: 1, turn: 1, at: ago(8) },
  )
  start('s_sales', REFUNDS, t.sales, 1000)
  host.emit(
    's_sales',
    { event: 'user_message', messageId: 'm1', content: t.sales, turn: 1, at: ago(1300) },
    { event: 'turn_end', turn: 1, reason: 'completed', iterations: 2, durationMs: 21_000, usage, cost, at: ago(1150) },
  )
  start('s_translate', SITE, t.translate, 600)
  host.emit(
    's_translate',
    { event: 'user_message', messageId: 'm1', content: t.translate, turn: 1, at: ago(40) },
    { event: 'iteration_start', iteration: 1, turn: 1, at: ago(39) },
    { delta: 'quota', provider: 'deepseek', position: 2, ended: false },
  )
  start('s_links', SITE, t.links, 5000)
  host.emit(
    's_links',
    { event: 'user_message', messageId: 'm1', content: t.links, turn: 1, at: ago(3100) },
    { event: 'iteration_start', iteration: 1, turn: 1, at: ago(3090) },
    {
      event: 'turn_end',
      turn: 1,
      reason: 'failed',
      iterations: 1,
      durationMs: 800,
      error: {
        code: 'auth_invalid',
        message: '401 invalid_api_key',
        provider: 'OpenAI',
        providerCode: 'invalid_api_key',
        retryable: false,
      },
      at: ago(3080),
    },
  )
  start('s_images', SITE, t.images, 90_000)
  host.emit(
    's_images',
    { event: 'user_message', messageId: 'm1', content: t.images, turn: 1, at: ago(86_400) },
    { event: 'iteration_start', iteration: 1, turn: 1, at: ago(86_399) },
    {
      event: 'llm_response',
      iteration: 1,
      turn: 1,
      content: '',
      finishReason: 'tool_calls',
      usage,
      requestId: 'r_1',
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      messageId: 'm2',
      durationMs: 900,
      toolCalls: [{ id: 'tc_sh', name: 'run_command', args: { command: 'npx squoosh --webp images/*.png' }, iteration: 1, timestamp: 0 }],
      at: ago(86_398),
    },
    {
      event: 'tool_call',
      iteration: 1,
      turn: 1,
      tool: 'run_command',
      args: { command: 'npx squoosh --webp images/*.png' },
      toolCallId: 'tc_sh',
      at: ago(86_397),
    },
    {
      event: 'tool_result',
      iteration: 1,
      turn: 1,
      tool: 'run_command',
      success: false,
      durationMs: 4000,
      result: '',
      toolCallId: 'tc_sh',
      outcome: 'unknown',
      at: ago(86_390),
    },
    { event: 'turn_end', turn: 1, reason: 'interrupted', iterations: 1, durationMs: 9000, usage, at: ago(86_380) },
  )
  return host
}

function emitSpike(host: ScriptedHost, t: (typeof text)[Language]): void {
  const csv = 'channel,orders,refunds,rate\nmini,41208,1854,4.50\napp,38917,1596,4.10\ndouyin,27305,3549,13.00\nweb,12640,531,4.20'
  host.emit(
    's_spike',
    { event: 'user_message', messageId: 'm1', content: t.ask, turn: 1, at: ago(540) },
    { event: 'context_built', tokens: 41_236, ratio: 0.32, window: 128_000, turn: 1, at: ago(539) },
    { event: 'iteration_start', iteration: 1, turn: 1, at: ago(538) },
    {
      event: 'llm_response',
      iteration: 1,
      turn: 1,
      content: '',
      finishReason: 'tool_calls',
      usage,
      cost,
      requestId: 'r_1',
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      messageId: 'm2',
      durationMs: 12_400,
      thinking: { content: t.thinking, status: 'complete', durationMs: 12_400, tokensUsed: 1284 },
      toolCalls: [{ id: 'tc_csv', name: 'analyze_csv', args: { file_path: 'data/orders_2026q3.csv' }, iteration: 1, timestamp: 0 }],
      at: ago(525),
    },
    {
      event: 'tool_call',
      iteration: 1,
      turn: 1,
      tool: 'analyze_csv',
      args: { file_path: 'data/orders_2026q3.csv' },
      toolCallId: 'tc_csv',
      at: ago(524),
    },
    {
      event: 'tool_result',
      iteration: 1,
      turn: 1,
      tool: 'analyze_csv',
      success: true,
      durationMs: 913,
      result: csv,
      toolCallId: 'tc_csv',
      outcome: 'ok',
      at: ago(523),
    },
    { event: 'iteration_end', iteration: 1, durationMs: 15_000, turn: 1, at: ago(523) },
    {
      event: 'llm_response',
      iteration: 2,
      turn: 1,
      content: t.answer,
      finishReason: 'tool_calls',
      usage,
      requestId: 'r_2',
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      messageId: 'm3',
      durationMs: 8100,
      toolCalls: [
        {
          id: 'tc_edit',
          name: 'edit_file',
          args: {
            file_path: 'src/refund/reconcile.ts',
            old_text: 'byOrder.set(e.orderId, toRefund(e))',
            new_text: 'byOrder.set(key, toRefund(e))',
          },
          iteration: 2,
          timestamp: 0,
        },
        { id: 'tc_test', name: 'run_command', args: { command: 'npx vitest run refund' }, iteration: 2, timestamp: 0 },
        { id: 'tc_push', name: 'run_command', args: { command: 'git push origin fix/refund-double-count' }, iteration: 2, timestamp: 0 },
      ],
      at: ago(60),
    },
    {
      event: 'permission',
      iteration: 2,
      turn: 1,
      tool: 'edit_file',
      toolCallId: 'tc_edit',
      decision: 'allow',
      by: 'user',
      reason: '',
      scope: 'once',
      at: ago(40),
    },
    {
      event: 'tool_call',
      iteration: 2,
      turn: 1,
      tool: 'edit_file',
      args: {
        file_path: 'src/refund/reconcile.ts',
        old_text: 'byOrder.set(e.orderId, toRefund(e))',
        new_text: 'byOrder.set(key, toRefund(e))',
      },
      toolCallId: 'tc_edit',
      at: ago(39),
    },
    {
      event: 'tool_result',
      iteration: 2,
      turn: 1,
      tool: 'edit_file',
      success: true,
      durationMs: 38,
      result: 'src/refund/reconcile.ts: +5 −2',
      toolCallId: 'tc_edit',
      outcome: 'ok',
      at: ago(38),
    },
    {
      event: 'tool_call',
      iteration: 2,
      turn: 1,
      tool: 'run_command',
      args: { command: 'npx vitest run refund' },
      toolCallId: 'tc_test',
      at: ago(18),
    },
    {
      delta: 'tool_output',
      toolCallId: 'tc_test',
      text: '✓ tests/refund/reconcile.test.ts (14 tests) 212ms\n✓ tests/refund/webhook.test.ts (9 tests) 388ms\n❯ tests/refund/settlement.test.ts (3/22)\n',
    },
    { delta: 'tool_progress', toolCallId: 'tc_test', done: 26, total: 45, unit: 'tests' },
    {
      event: 'permission_request',
      iteration: 2,
      turn: 1,
      tool: 'run_command',
      toolCallId: 'tc_push',
      argumentsHash: 'h1',
      display: 'git push origin fix/refund-double-count',
      risk: 'network',
      reason: t.push,
      grantPrefix: t.grant,
      at: ago(12),
    },
    { event: 'message_queued', messageId: 'm4', content: t.queued, steering: false, turn: 1, at: ago(5) },
  )
}

function emitStream(host: ScriptedHost, t: (typeof text)[Language]): void {
  host.emit(
    's_tests',
    { event: 'user_message', messageId: 'm1', content: t.tests, turn: 1, at: ago(80) },
    { event: 'user_message', messageId: 'm1b', content: t.steer, turn: 1, steering: true, at: ago(70) },
    { event: 'iteration_start', iteration: 1, turn: 1, at: ago(67) },
    {
      event: 'llm_request',
      iteration: 1,
      turn: 1,
      provider: 'deepseek',
      model: 'deepseek-v4-pro',
      messages: [],
      requestId: 'r_1',
      messageCount: 2,
      messagesHash: '',
      at: ago(67),
    },
    { delta: 'stream', messageId: 'm2', iteration: 1, event: { type: 'thinking_start' } },
    { delta: 'stream', messageId: 'm2', iteration: 1, event: { type: 'reasoning_delta', delta: t.thinking } },
    {
      delta: 'stream',
      messageId: 'm2',
      iteration: 1,
      event: { type: 'thinking_end', thinking: { content: t.thinking, status: 'complete', durationMs: 6100, tokensUsed: 702 } },
    },
    { delta: 'stream', messageId: 'm2', iteration: 1, event: { type: 'text_delta', delta: t.stream } },
  )
}
