/** What is seen when all is not well or there is nothing to see: loading, unreadable, empty, offline; long names and wide windows. */
import { AppError } from '#contracts/wire/app-error.ts'
import { commands } from '#contracts/session/commands.ts'
import { testIds } from '#renderer/ui/test-ids.ts'
import type { Page } from 'playwright-core'
import type { HostMethod, ScriptedHost } from '../helpers/scripted-host.ts'
import { inspectedHost } from './inspected-host.ts'
import { memoryHost } from './memory-scene.ts'
import { answerMcp } from './screenshot-mcp.ts'
import type { Scene } from './screenshot-list.ts'
import { busyHost, emptyHost, REFUNDS, type SceneOptions } from './screenshot-scenes.ts'

const wide = { width: 1440, height: 900 }
const middle = { width: 800, height: 700 }
const vast = { width: 3840, height: 2160 }
const phone = { width: 390, height: 844 }
const KEPT = /^(?:config|page|session|workspace|trust)\./

/** Whatever a page asks for beyond the frame itself gets this answer. */
function everythingElse(options: SceneOptions, answer: () => unknown): ScriptedHost {
  const host = busyHost(options)
  for (const method of Object.keys(commands.methods) as HostMethod[]) if (!KEPT.test(method)) host.answer(method, answer)
  return host
}
const unreadable = (options: SceneOptions): ScriptedHost =>
  everythingElse(options, () => {
    throw new AppError({ code: 'WORKER_LOST', message: 'storage' })
  })
const silent = (options: SceneOptions): ScriptedHost => everythingElse(options, () => new Promise(() => undefined))

const LONG = {
  en: 'Reconcile every single payment of the third quarter against the ledger and the exports of all seven channels',
  'zh-CN': '把第三季度的每一笔付款与总账以及全部七个渠道的导出文件逐一核对并写出差异说明和处理建议',
} as const
const FOLDER = '/home/ada/projects/a-workspace-with-a-rather-long-name-that-somebody-chose/packages/reconciliation-service'

function longHost(options: SceneOptions): ScriptedHost {
  const host = busyHost(options)
  const title = LONG[options.language]
  const word = 'https://example.com/' + 'a'.repeat(300)
  host.answer('workspace.recent', () => ({
    workspaces: [FOLDER, REFUNDS].map((path) => ({ path, openedAt: '2026-10-15T02:00:00Z', trusted: true })),
  }))
  host.addSession('s_long', FOLDER, {
    title,
    model: 'openai-compatible/organisation/a-model-with-a-very-long-identifier-and-a-date-2026-10-15',
  } as object)
  host.emit(
    's_long',
    { event: 'user_message', messageId: 'm1', content: `${title} ${word}`, turn: 1 },
    { event: 'iteration_start', iteration: 1, turn: 1 },
    {
      event: 'permission_request',
      iteration: 1,
      turn: 1,
      tool: 'mcp__a_server_with_a_long_name__a_tool_with_an_even_longer_name',
      toolCallId: 'tc_long',
      argumentsHash: 'h',
      display: `${title}\n${word}`,
      risk: 'network',
      reason: 'mcp_sampling',
      reasonParams: { server: 'a server with a long name', model: 'a-model-with-a-very-long-identifier', tokens: '4096' },
      grantPrefix: word.slice(0, 120),
    },
  )
  return host
}
const longScene = (name: string, size: { width: number; height: number }, more: Partial<Scene> = {}): Scene => ({
  name,
  ...size,
  address: '#/session/s_long',
  host: longHost,
  prepare: async (page) => void (await page.getByTestId(testIds.approvalCard).waitFor()),
  ...more,
})

const problemShown = async (page: Page): Promise<void> => page.locator(`main [data-testid="${testIds.problem}"]`).first().waitFor()
const linesShown = async (page: Page): Promise<void> => page.locator('main [data-loading] span').first().waitFor()
const pages = ['providers', 'models', 'mcp', 'permissions', 'files', 'memory', 'usage', 'pipeline'] as const
const shown =
  (id: string) =>
  async (page: Page): Promise<void> =>
    page.getByTestId(id).first().waitFor()

export const stateScenes: readonly Scene[] = [
  ...pages.map((page): Scene => ({
    name: `40-unreadable-${page}`,
    ...middle,
    address: `#/settings/${page}`,
    host: unreadable,
    prepare: problemShown,
  })),
  { name: '40-unreadable-new', ...wide, address: '#/new', host: unreadable, prepare: problemShown },
  ...pages
    .filter((page) => page !== 'permissions')
    .map((page): Scene => ({
      name: `41-loading-${page}`,
      ...middle,
      address: `#/settings/${page}`,
      host: silent,
      // The lines come after a blink, and the scene's clock stands still but for timers.
      prepare: linesShown,
    })),
  {
    name: '41-loading-session',
    ...wide,
    address: '#/session/s_spike',
    host(options) {
      const host = busyHost(options)
      host.answer('session.subscribe', () => new Promise(() => undefined))
      return host
    },
    prepare: linesShown,
  },
  ...(['usage', 'memory', 'mcp', 'files', 'permissions'] as const).map((page): Scene => ({
    name: `42-empty-${page}`,
    ...middle,
    address: `#/settings/${page}`,
    host(options) {
      const host = emptyHost(options)
      host.answer('usage.read', () => ({ entries: [] }))
      return host
    },
    prepare: shown(testIds.settingsNav),
  })),
  longScene('43-long-names', wide),
  longScene('43-long-names-800', middle),
  longScene('43-long-names-phone', phone),
  longScene('43-long-names-large-type-800', middle, { options: { fontPercent: 140 } }),
  {
    name: '44-offline-800',
    ...middle,
    address: '#/session/s_sales',
    host: busyHost,
    async prepare(page) {
      await page.getByTestId(testIds.transcript).waitFor()
      await page.context().setOffline(true)
      await page.getByTestId(testIds.banner).first().waitFor()
    },
  },
  {
    name: '45-deleted',
    ...middle,
    address: '#/session/s_sales',
    host: busyHost,
    async prepare(page) {
      await page.getByTestId(testIds.transcript).waitFor()
      await page.locator(`[data-testid="${testIds.sessionRow}"][data-session="s_sales"]`).focus()
      await page.keyboard.press('Delete')
      await page.getByTestId(testIds.toast).waitFor()
    },
  },
  { name: '46-session-3840', ...vast, address: '#/session/s_spike', host: inspectedHost, prepare: shown(testIds.approvalCard) },
  { name: '46-usage-3840', ...vast, address: '#/settings/usage', host: busyHost, prepare: shown(testIds.usage) },
  { name: '46-welcome-3840', ...vast, host: emptyHost, prepare: shown(testIds.welcome) },
  {
    name: '46-mcp-3840',
    ...vast,
    address: '#/settings/mcp',
    host: (options) => answerMcp(busyHost(options)),
    prepare: shown(testIds.mcpServer),
  },
  {
    name: '47-memory-edit-800',
    ...middle,
    address: '#/settings/memory',
    host: memoryHost,
    async prepare(page) {
      await page.getByTestId(testIds.memoryEdit).first().click()
      await page.getByTestId(testIds.memoryText).waitFor()
    },
  },
  {
    name: '47-address-800',
    ...middle,
    address: '#/settings/providers',
    host: busyHost,
    async prepare(page) {
      await page.getByTestId(testIds.providerAddress).first().click()
      await page.getByTestId(testIds.providerAddressInput).waitFor()
    },
  },
  {
    name: '47-edit-message-800',
    ...middle,
    address: '#/session/s_sales',
    host: busyHost,
    async prepare(page) {
      await page.getByTestId(testIds.messageUser).hover()
      await page.getByTestId(testIds.edit).click()
      await page.getByTestId(testIds.editInput).waitFor()
    },
  },
]
