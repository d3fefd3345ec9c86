/** Around the conversation: the connection, folders and trust, the first visit, settings, keys. In a real browser. */
// needs: chromium
import { commands } from '#contracts/session/commands.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { testIds } from '#renderer/ui/test-ids.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { busyHost, emptyHost, GATEWAY, NOW } from '../../e2e/screenshot-scenes.ts'
import type { HostMethod, ScriptedHost } from '../../helpers/scripted-host.ts'
import { startScriptedWebHost } from '../../helpers/scripted-web-host.ts'
import { waitUntil } from '../helpers.ts'
import { openPage, useChromium, type OpenedPage, type OpenOptions } from './open-page.ts'

useChromium()

let host: ScriptedHost
let opened: OpenedPage

beforeEach(() => {
  host = busyHost({ language: 'en', theme: 'light' })
})
afterEach(async () => {
  await opened.close()
})

async function open(options: OpenOptions = {}): Promise<void> {
  opened = await openPage(host, { now: NOW, ...options })
}

const calls = (method: string): unknown[] => host.calls.filter((call) => call.method === method).map((call) => call.params)
const focusedTestId = (): Promise<string | null> =>
  opened.page.evaluate(() =>
    (
      globalThis as unknown as { document: { activeElement: { getAttribute(name: string): string | null } } }
    ).document.activeElement.getAttribute('data-testid'),
  )

test('a host that goes is said at once, its return is found, and the session goes on', async () => {
  await open({ address: '#/session/s_tests' })
  await opened.at(testIds.transcript).waitFor()
  await opened.web.stop()
  await opened.at(testIds.connectionLost).waitFor()
  await opened.at(testIds.composerInput).fill('kept while away')
  const again = await startScriptedWebHost(host, { port: opened.web.port })
  try {
    await opened.at(testIds.connectionLost).waitFor({ state: 'detached' })
    host.emit('s_tests', { delta: 'stream', messageId: 'm2', iteration: 1, event: { type: 'text_delta', delta: ' after the return**' } })
    await opened.page.getByText('after the return').waitFor()
    expect(await opened.at(testIds.composerInput).inputValue()).toBe('kept while away')
  } finally {
    await again.stop()
  }
})

test('a host that no longer knows this page is told apart from one that is away', async () => {
  await open({ address: '#/session/s_tests' })
  await opened.at(testIds.transcript).waitFor()
  await opened.web.stop()
  const stranger = await startScriptedWebHost(host, { port: opened.web.port, accept: false })
  try {
    await opened.page.locator('[data-code="REFUSED"]').waitFor()
    expect(await opened.at(testIds.connectionRetry).count()).toBe(0)
  } finally {
    await stranger.stop()
  }
})

test('a replaced session worker is taken up again without a word', async () => {
  await open({ address: '#/session/s_tests' })
  await opened.at(testIds.transcript).waitFor()
  host.reset()
  await waitUntil(() => expect(calls('session.subscribe').length).toBe(2))
  host.emit('s_tests', { event: 'session_updated', title: 'After the reset' })
  await waitUntil(async () => expect(await opened.page.title()).toBe('After the reset · Metona'))
})

test('banners: worst first, two at most, the rest counted; they go when the host says so', async () => {
  await open({ address: '#/session/s_sales' })
  await opened.at(testIds.transcript).waitFor()
  host.setBanners([
    { id: '1', level: 'info', code: 'LOG_REPAIRED', message: '' },
    { id: '2', level: 'error', code: 'DISK_FULL', message: '' },
    { id: '3', level: 'warning', code: 'brand_new', message: 'something new' },
  ])
  await opened.at(testIds.banner).nth(1).waitFor()
  expect(await opened.at(testIds.banner).evaluateAll((banners) => banners.map((banner) => banner.getAttribute('data-code')))).toEqual([
    'DISK_FULL',
    'brand_new',
  ])
  expect(await opened.at(testIds.banner).nth(1).innerText()).toMatch(/something new[\s\S]*and 1 more/)
  host.setBanners([])
  await opened.at(testIds.banner).first().waitFor({ state: 'detached' })
})

test('the first visit: one press runs the demonstration on the sample folder', async () => {
  host = emptyHost({ language: 'en', theme: 'light' })
  await open()
  await opened.at(testIds.runDemo).click()
  await opened.at(testIds.messageUser).waitFor()
  expect([calls('workspace.sample'), calls('session.create'), calls('session.prompt')]).toMatchObject([
    [{ language: 'en' }],
    [{ workspace: '/home/ada/MetonaWorkspaces/sample', model: 'demo/scripted' }],
    [{ content: 'Read data.csv and analyse it' }],
  ])
})

test('the first visit: a key is handed over, checked and not kept in the page', async () => {
  host = emptyHost({ language: 'en', theme: 'light' })
  host.answer('providers.setKey', () => ({ stored: 'this_run' }))
  await open()
  await opened.at(testIds.providerKey).fill('sk-canary')
  await opened.at(testIds.providerSave).click()
  await waitUntil(() =>
    expect([calls('providers.setKey'), calls('providers.diagnose')]).toEqual([
      [{ provider: 'deepseek', apiKey: 'sk-canary' }],
      [{ provider: 'deepseek' }],
    ]),
  )
  await opened.page.getByText('Kept for this run only').waitFor()
  expect(await opened.page.content()).not.toContain('sk-canary')
  expect(await opened.at(testIds.providerKey).inputValue()).toBe('')
})

async function askTrust(): Promise<void> {
  await opened.at(testIds.openFolder).first().click()
  await opened.at(testIds.folderPath).fill(GATEWAY)
  await opened.at(testIds.folderPath).press('Enter')
  await opened.at(testIds.trustDialog).waitFor()
}

test('trust: the focus starts on the harmless answer, so Enter only looks', async () => {
  await open({ address: '#/session/s_sales' })
  await askTrust()
  await waitUntil(async () => expect(await focusedTestId()).toBe(testIds.trustReadOnly))
  await opened.page.keyboard.press('Enter')
  await opened.at(testIds.trustDialog).waitFor({ state: 'detached' })
  expect([
    calls('trust.add'),
    (calls('workspace.open') as { path: string; mode: string }[]).filter((call) => call.path === GATEWAY).map((call) => call.mode),
  ]).toEqual([[], ['write', 'read']])
})

test('trust: Esc trusts nothing and opens nothing', async () => {
  await open({ address: '#/session/s_sales' })
  await askTrust()
  await opened.page.keyboard.press('Escape')
  await opened.at(testIds.trustDialog).waitFor({ state: 'detached' })
  expect([calls('trust.add'), (calls('workspace.open') as { path: string }[]).filter((call) => call.path === GATEWAY).length]).toEqual([
    [],
    1,
  ])
})

test('trust: names what was found and what trusting means, then stores it on the clear word', async () => {
  await open({ address: '#/session/s_sales' })
  await askTrust()
  const dialog = opened.at(testIds.trustDialog)
  for (const part of [GATEWAY, 'AGENTS.md', '.metona/agent.db', '.env', 'If you trust it']) expect(await dialog.innerText()).toContain(part)
  host.answer('workspace.open', ({ path }) => ({ workspace: path, created: ['SOUL.md', 'USERS.md'], readOnly: false }))
  await opened.at(testIds.trustAccept).click()
  await opened.page.locator('[data-code="FILES_CREATED"]').waitFor()
  expect(calls('trust.add')).toEqual([{ path: GATEWAY }])
})

test('a path that is no folder is explained where it was typed', async () => {
  await open({ address: '#/session/s_sales' })
  await opened.at(testIds.openFolder).first().click()
  await opened.at(testIds.folderPath).fill('/nowhere')
  await opened.at(testIds.folderOpen).click()
  await opened.at(testIds.folderDialog).locator('[data-code="NOT_A_FOLDER"]').waitFor()
  expect(await opened.at(testIds.folderDialog).innerText()).toContain('There is no folder at /nowhere.')
})

test("the shell's own folder dialog is used where there is one", async () => {
  host.answer('native.call', ({ method }) => (method === 'pickFolder' ? { value: ['/picked'] } : { value: null }))
  await open({ address: '#/session/s_sales' })
  await opened.at(testIds.openFolder).first().click()
  await opened.at(testIds.folderChoose).click()
  await opened.at(testIds.folderDialog).waitFor({ state: 'detached' })
  expect(calls('workspace.open')).toContainEqual({ path: '/picked', trust: 'stored', mode: 'write', waitMs: 10_000 })
})

test('the folder named in the address is opened, and asked about when it is strange', async () => {
  host = emptyHost({ language: 'en', theme: 'light' })
  await open({ address: `?open=${encodeURIComponent(GATEWAY)}` })
  await opened.at(testIds.trustDialog).waitFor()
  expect(calls('trust.add')).toEqual([])
})

test('language, theme and font size change at once and are kept', async () => {
  await open({ address: '#/settings/appearance' })
  const setting = (key: string) => opened.page.locator(`[data-key="${key}"]`)
  await setting('ui.language').getByText('简体中文').click()
  await opened.page.getByRole('heading', { name: '外观与语言' }).waitFor()
  await setting('ui.theme').getByText('高对比度').click()
  await setting('ui.fontPercent').locator('input').fill('120')
  await setting('ui.fontPercent').locator('input').press('Enter')
  const root = opened.page.locator('html')
  await waitUntil(async () =>
    expect([await root.getAttribute('lang'), await root.getAttribute('data-theme'), await root.getAttribute('style')]).toEqual([
      'zh-CN',
      'hc',
      '--scale: 1.2;',
    ]),
  )
  expect(calls('config.set')).toEqual([
    { key: 'ui.language', value: 'zh-CN' },
    { key: 'ui.theme', value: 'hc' },
    { key: 'ui.fontPercent', value: 120 },
  ])
})

test('a provider is checked live and says what it found', async () => {
  await open({ address: '#/settings/providers' })
  const openai = opened.page.locator('[data-provider="openai"]')
  await openai.getByTestId(testIds.providerCheck).click()
  await opened.page.locator('[data-provider="openai"][data-check="key_refused"]').waitFor()
  expect(await openai.innerText()).toContain('OpenAI does not accept this key.')
})

test('by keyboard alone: through the list, into a session, round the panes, to settings and back', async () => {
  await open({ address: '#/new' })
  await opened.at(testIds.sessionRow).first().waitFor()
  await opened.at(testIds.sessionRow).first().focus()
  await opened.page.keyboard.press('ArrowDown')
  await opened.page.keyboard.press('Enter')
  await opened.at(testIds.transcript).waitFor()
  const first = await opened.at(testIds.transcript).getAttribute('data-session')
  const visited: (string | null)[] = []
  for (let index = 0; index < 3; index++) {
    await opened.page.keyboard.press('F6')
    visited.push(await focusedTestId())
  }
  expect(visited).toEqual([testIds.transcript, testIds.composerInput, testIds.inspectorTab])
  await opened.page.keyboard.press('Control+1')
  await waitUntil(async () => expect(await opened.at(testIds.transcript).getAttribute('data-session')).not.toBe(first))
  await opened.page.keyboard.press('Control+Shift+J')
  await waitUntil(async () => expect(await focusedTestId()).toBe(testIds.approvalCard))
  await opened.page.keyboard.press('Control+,')
  await opened.at(testIds.settingsNav).waitFor()
  await opened.page.keyboard.press('Alt+n')
  await opened.at(testIds.composer).waitFor()
  expect(await opened.page.evaluate(() => (globalThis as unknown as { location: { hash: string } }).location.hash)).toBe('#/new')
  await waitUntil(async () => expect(await focusedTestId()).toBe(testIds.composerInput))
  await opened.page.keyboard.press('Control+k')
  await waitUntil(async () => expect(await focusedTestId()).toBe(testIds.paletteInput))
  await opened.page.keyboard.type('>appear')
  await opened.page.keyboard.press('Enter')
  await opened.at(testIds.configRow).first().waitFor()
})

test('side bar and inspector fold away and stay so after a reload', async () => {
  await open({ address: '#/session/s_sales' })
  await opened.at(testIds.inspector).waitFor()
  await opened.page.keyboard.press('Control+i')
  await opened.page.keyboard.press('Control+b')
  await opened.at(testIds.inspector).waitFor({ state: 'detached' })
  await opened.page.reload()
  await opened.at(testIds.transcript).waitFor()
  expect([await opened.at(testIds.inspector).count(), await opened.page.locator('aside[data-rail]').count()]).toEqual([0, 1])
})

test('what lives moves once a second and is never animated; with reduced motion it rests', async () => {
  await open({ address: '#/session/s_spike', reducedMotion: 'no-preference' })
  await opened.at(testIds.toolCard).first().waitFor()
  const look = (): Promise<{ animations: number; opacity: string }> =>
    opened.page.evaluate(() => {
      const scope = globalThis as unknown as {
        document: { getAnimations(): unknown[]; querySelector(selector: string): unknown }
        getComputedStyle(element: unknown): { opacity: string }
      }
      const icon = scope.document.querySelector('.loop-breathe')
      return { animations: scope.document.getAnimations().length, opacity: scope.getComputedStyle(icon).opacity }
    })
  const at = (seconds: number): Promise<void> => opened.page.clock.setFixedTime(NOW.getTime() + seconds * 1000)
  const odd = 1 - (Math.floor(NOW.getTime() / 1000) % 2)
  await at(odd)
  await waitUntil(async () => expect(await look()).toEqual({ animations: 0, opacity: '0.45' }))
  await at(odd + 1)
  await waitUntil(async () => expect(await look()).toEqual({ animations: 0, opacity: '1' }))
  await at(odd + 2)
  await waitUntil(async () => expect(await look()).toEqual({ animations: 0, opacity: '0.45' }))
  await opened.page.emulateMedia({ reducedMotion: 'reduce' })
  await waitUntil(async () => expect(await look()).toEqual({ animations: 0, opacity: '1' }))
})

test('where the host cannot answer, a page says so and offers to try again, instead of loading without end', async () => {
  for (const method of Object.keys(commands.methods))
    if (!/^(?:config|page|session|workspace)\./.test(method))
      host.answer(method as HostMethod, () => {
        throw new AppError({ code: 'WORKER_LOST', message: 'gone' })
      })
  await open({ address: '#/settings/providers' })
  const problems = opened.page.locator('main').locator('[data-code="WORKER_LOST"]')
  const loading = opened.page.locator('main').locator('[data-loading]')
  for (const page of [
    'settings/providers',
    'settings/models',
    'settings/mcp',
    'settings/permissions',
    'settings/memory',
    'settings/usage',
    'settings/files',
    'settings/pipeline',
    'welcome',
    'new',
  ]) {
    await opened.page.evaluate((hash) => {
      ;(globalThis as unknown as { location: { hash: string } }).location.hash = hash
    }, `#/${page}`)
    await problems.first().waitFor()
    await waitUntil(async () => expect([page, await loading.count()]).toEqual([page, 0]))
    const shown = await problems.count()
    expect([page, await problems.filter({ has: opened.page.getByRole('button') }).count()]).toEqual([page, shown])
  }
})

test('what the inspector cannot read, each tab says and offers to try again', async () => {
  for (const method of ['session.changes', 'inspect.traces', 'inspect.context', 'session.read'] as const)
    host.answer(method as HostMethod, () => {
      throw new AppError({ code: 'WORKER_LOST', message: 'gone' })
    })
  await open({ address: '#/session/s_sales' })
  for (const tab of ['changes', 'timing', 'context', 'log']) {
    await opened.page.locator(`[data-testid="${testIds.inspectorTab}"][data-tab="${tab}"]`).click()
    const problem = opened.at(testIds.inspector).locator('[data-code="WORKER_LOST"]')
    await problem.waitFor()
    expect([tab, await problem.getByRole('button').count()]).toEqual([tab, 1])
  }
})

test('a new session has no model while providers cannot be read, says so, and has one when they can', async () => {
  let answers = false
  const list = {
    providers: [
      { id: 'deepseek', displayName: 'DeepSeek', keyRequired: true, hasKey: true, concurrency: 1, defaultBaseUrl: '', defaultModel: 'pro' },
    ],
  }
  host.answer('providers.list', () => {
    if (answers) return list
    throw new AppError({ code: 'WORKER_LOST', message: 'gone' })
  })
  host.answer('session.create', () => ({ sessionId: 's_tests' }))
  await open({ address: '#/new' })
  const problem = opened.page.locator('main').locator('[data-code="WORKER_LOST"]')
  await problem.waitFor()
  await opened.at(testIds.composerInput).fill('what now')
  await opened.page.keyboard.press('Enter')
  await waitUntil(async () => expect(await opened.at(testIds.composerInput).inputValue()).toBe('what now'))
  const model = (): Promise<string | null> => opened.at(testIds.modelPicker).getAttribute('aria-label')
  expect([await model(), calls('session.create')]).toEqual([expect.not.stringContaining('demo'), []])
  answers = true
  await problem.getByRole('button').click()
  await problem.waitFor({ state: 'detached' })
  expect(await model()).toContain('deepseek/pro')
  await opened.at(testIds.composerInput).press('Enter')
  await waitUntil(() => expect(calls('session.create')).toMatchObject([{ model: 'deepseek/pro' }]))
})

test.for([320, 390, 800, 1024, 1440, 2560, 3840])('at %i px nothing sticks out sideways', async (width) => {
  await open({ address: '#/session/s_spike', viewport: { width, height: 800 } })
  await opened.at(testIds.approvalCard).waitFor()
  const overflow = await opened.page.evaluate(() => {
    const root = (
      globalThis as unknown as {
        document: {
          documentElement: { scrollWidth: number; clientWidth: number }
          querySelector(selector: string): { scrollWidth: number; clientWidth: number }
        }
      }
    ).document
    const transcript = root.querySelector('[data-testid="transcript"]')
    return [root.documentElement.scrollWidth - root.documentElement.clientWidth, transcript.scrollWidth - transcript.clientWidth]
  })
  expect(overflow).toEqual([0, 0])
})
