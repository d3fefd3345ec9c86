import { AppError } from '#contracts/wire/app-error.ts'
import { useConfigStore } from '#renderer/stores/config.ts'
import { useConnectionStore } from '#renderer/stores/connection.ts'
import { useDraftFilesStore } from '#renderer/stores/draft-files.ts'
import { useDraftsStore } from '#renderer/stores/drafts.ts'
import { useMcpPromptsStore } from '#renderer/stores/mcp-prompts.ts'
import { useModelsStore } from '#renderer/stores/models.ts'
import { externalUrl, useNativeStore } from '#renderer/stores/native.ts'
import { fromHash, toHash, type Place } from '#renderer/stores/navigation.ts'
import { usePageStateStore } from '#renderer/stores/page-state.ts'
import { useProvidersStore } from '#renderer/stores/providers.ts'
import { newMessageId, questionKey, useSessionActionsStore } from '#renderer/stores/session-actions.ts'
import { useSessionViewStore } from '#renderer/stores/session-view.ts'
import { useSessionsStore } from '#renderer/stores/sessions.ts'
import { useWorkspacesStore } from '#renderer/stores/workspaces.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { freshStores, memoryLink, waitUntil, type MemoryLink } from '../helpers.ts'

let host: ScriptedHost
let link: MemoryLink
const memory = new Map<string, string>()

beforeEach(() => {
  memory.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => memory.set(key, value),
  })
  freshStores()
  host = new ScriptedHost()
  link = memoryLink(host)
})
afterEach(() => {
  useConnectionStore().stop()
  vi.unstubAllGlobals()
})

/** As `app/main.ts` makes them, in its order. */
async function start(): Promise<void> {
  const connection = useConnectionStore()
  useConfigStore()
  const workspaces = useWorkspacesStore()
  const sessions = useSessionsStore()
  useProvidersStore()
  useSessionViewStore()
  connection.start({ factory: link.factory, delays: [1] })
  await waitUntil(() => expect([workspaces.restored, sessions.loaded, useProvidersStore().loaded]).toEqual([true, true, true]))
}

/** Another page of the same host. */
async function startAnew(): Promise<void> {
  useConnectionStore().stop()
  freshStores()
  link = memoryLink(host)
  await start()
}

const calls = (method: string): unknown[] => host.calls.filter((call) => call.method === method).map((call) => call.params)

test('prompts of servers that could not be had are not asked for at every letter', async () => {
  await start()
  host.answer('mcp.prompts', () => {
    throw new AppError({ code: 'MCP_FAILED', message: 'no' })
  })
  const prompts = useMcpPromptsStore()
  await prompts.load('/w')
  await prompts.load('/w')
  expect(calls('mcp.prompts')).toEqual([{ workspace: '/w' }])
})

test('a call made before the first connection waits for it', async () => {
  const early = useConnectionStore().call('workspace.recent', {})
  await start()
  await expect(early).resolves.toEqual({ workspaces: [] })
})

test('after a lost connection a call fails at once instead of waiting', async () => {
  await start()
  link.accept(false)
  link.cut()
  await expect(useConnectionStore().call('workspace.recent', {})).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
})

test('a call after the end of the page fails at once', async () => {
  await start()
  useConnectionStore().stop()
  await expect(useConnectionStore().call('workspace.recent', {})).rejects.toMatchObject({ code: 'CONNECTION_LOST' })
})

test('rows of the list come and go as the host says', async () => {
  host.addSession('s_a', '/w', { title: 'A' })
  await start()
  const sessions = useSessionsStore()
  host.emit('s_a', { event: 'session_updated', title: 'renamed' })
  host.addSession('s_b', '/w', { title: 'B' })
  await waitUntil(() => expect(sessions.rows.map((row) => row.title).sort()).toEqual(['B', 'renamed']))
  for (const connection of host.connections) connection.send({ type: 'list', rows: [], removed: ['s_a'] })
  await waitUntil(() => expect(sessions.rows.map((row) => row.title)).toEqual(['B']))
})

test('an untrusted folder becomes a question; nothing is trusted before the answer', async () => {
  host.answer('workspace.open', ({ path, mode }) => {
    if (mode === 'write' && calls('trust.add').length === 0)
      throw new AppError({ code: 'UNTRUSTED', message: path, details: { found: ['AGENTS.md', '.env'] } })
    return { workspace: path, created: ['SOUL.md'], readOnly: mode === 'read' }
  })
  await start()
  const workspaces = useWorkspacesStore()
  expect(await workspaces.openFolder('/stranger')).toBe(false)
  expect([workspaces.question, workspaces.open, calls('trust.add')]).toEqual([
    { path: '/stranger', found: ['AGENTS.md', '.env'], creates: [], unusual: false },
    [],
    [],
  ])
  expect(await workspaces.trustAndOpen()).toBe(true)
  expect([workspaces.question, workspaces.current, workspaces.created]).toEqual([
    undefined,
    '/stranger',
    { workspace: '/stranger', files: ['SOUL.md'] },
  ])
})

test('looking only opens for reading and trusts nothing', async () => {
  host.answer('workspace.open', ({ path, mode }) => {
    if (mode === 'write') throw new AppError({ code: 'NEEDS_STORED_TRUST', message: path })
    return { workspace: path, created: [], readOnly: true }
  })
  await start()
  const workspaces = useWorkspacesStore()
  await workspaces.openFolder('/')
  expect(workspaces.question?.unusual).toBe(true)
  expect(await workspaces.openReadOnly()).toBe(true)
  expect([workspaces.currentWorkspace, calls('trust.add')]).toEqual([{ path: '/', readOnly: true }, []])
})

test('a folder of the last visit that is in use elsewhere is left out without ado', async () => {
  host.pageState.set('workspaces', '["/busy","/free"]')
  host.answer('workspace.open', ({ path }) => {
    if (path === '/busy') throw new AppError({ code: 'WORKSPACE_IN_USE', message: 'held' })
    return { workspace: path, created: [], readOnly: false }
  })
  await start()
  expect([useWorkspacesStore().open, useWorkspacesStore().problem]).toEqual([[{ path: '/free', readOnly: false }], undefined])
})

test('Stop pressed twice is one call, and only of its session', async () => {
  host.addSession('s_a', '/w')
  await start()
  const actions = useSessionActionsStore()
  const [first, second] = [actions.stop('s_a'), actions.stop('s_a')]
  expect(actions.stopping.has('s_a')).toBe(true)
  await Promise.all([first, second])
  expect([calls('session.stop'), actions.stopping.size]).toEqual([[{ sessionId: 's_a' }], 0])
})

test('the same answer given twice in a row is sent once', async () => {
  host.addSession('s_a', '/w')
  host.emit('s_a', {
    event: 'permission_request',
    iteration: 1,
    turn: 1,
    tool: 'run_command',
    toolCallId: 'tc_1',
    argumentsHash: 'h',
    display: 'ls',
    risk: 'execute',
    reason: '',
  })
  await start()
  const actions = useSessionActionsStore()
  const [approval] = host.session('s_a').approvals
  if (approval === undefined) throw new Error('no approval')
  await Promise.all([
    actions.answer('s_a', approval, { decision: 'allow', scope: 'once' }),
    actions.answer('s_a', approval, { decision: 'allow', scope: 'once' }),
  ])
  expect(calls('session.answer')).toEqual([{ sessionId: 's_a', toolCallId: 'tc_1', argumentsHash: 'h', decision: 'allow', scope: 'once' }])
})

test('an answer that failed may be given again', async () => {
  host.addSession('s_a', '/w')
  host.emit('s_a', {
    event: 'permission_request',
    iteration: 1,
    turn: 1,
    tool: 'run_command',
    toolCallId: 'tc_1',
    argumentsHash: 'h',
    display: 'ls',
    risk: 'execute',
    reason: '',
  })
  await start()
  const actions = useSessionActionsStore()
  const [approval] = host.session('s_a').approvals
  if (approval === undefined) throw new Error('no approval')
  host.answer('session.answer', () => {
    throw new AppError({ code: 'APPROVAL_MISMATCH', message: 'changed' })
  })
  await expect(actions.answer('s_a', approval, { decision: 'allow' })).rejects.toMatchObject({ code: 'APPROVAL_MISMATCH' })
  await expect(actions.answer('s_a', approval, { decision: 'allow' })).rejects.toMatchObject({ code: 'APPROVAL_MISMATCH' })
})

test('each of several questions of one call is answered', async () => {
  host.addSession('s_a', '/w')
  await start()
  const actions = useSessionActionsStore()
  for (const argumentsHash of ['h m_1', 'h m_2']) {
    host.emit('s_a', {
      event: 'permission_request',
      iteration: 1,
      turn: 1,
      tool: 'mcp__server__ask',
      toolCallId: 'tc_1',
      argumentsHash,
      display: 'Which?',
      risk: 'execute',
      reason: 'question',
      question: { text: 'Which?' },
    })
    const [approval] = host.session('s_a').approvals
    if (approval === undefined) throw new Error('no question')
    expect(actions.answering.has(questionKey(approval))).toBe(false)
    await actions.answer('s_a', approval, { decision: 'allow', scope: 'once', answer: argumentsHash })
  }
  expect(calls('session.answer')).toMatchObject([
    { toolCallId: 'tc_1', argumentsHash: 'h m_1', answer: 'h m_1' },
    { toolCallId: 'tc_1', argumentsHash: 'h m_2', answer: 'h m_2' },
  ])
})

test('message ids are long, plain and different', () => {
  const ids = Array.from({ length: 200 }, () => newMessageId())
  expect(new Set(ids).size).toBe(200)
  expect(ids.every((id) => /^m_[0-9a-z]{16}$/.test(id))).toBe(true)
})

test('a refused setting goes back to its value and says why', async () => {
  host.answer('config.list', () => ({
    entries: [{ key: 'ui.theme', value: 'light', category: 'ui', source: 'default', description: { en: 'Theme', zh: '主题' } }],
  }))
  host.answer('config.set', () => {
    throw new AppError({ code: 'BAD_CONFIG_VALUE', message: 'no' })
  })
  await start()
  const config = useConfigStore()
  const change = config.set('ui.theme', 'pink')
  expect(config.value('ui.theme')).toBe('pink')
  await change
  expect([config.value('ui.theme'), config.refusals['ui.theme']?.code]).toEqual(['light', 'BAD_CONFIG_VALUE'])
})

test('a draft is kept over a reload, and a message that failed is put before what was typed since', async () => {
  await start()
  const drafts = useDraftsStore()
  drafts.set('s_a', 'half a')
  drafts.restore('s_a', 'sent text')
  await waitUntil(async () => {
    await usePageStateStore().flush()
    expect(host.pageState.get('draft:s_a')).toBe('sent text\n\nhalf a')
  })
  await startAnew()
  await waitUntil(() => expect(useDraftsStore().get('s_a')).toBe('sent text\n\nhalf a'))
})

test('a draft that the host could not take is handed over with the next connection, from a new page as well', async () => {
  await start()
  host.answer('page.write', () => {
    throw new AppError({ code: 'DISK_FULL', message: 'full' })
  })
  useDraftsStore().set('s_a', 'typed meanwhile')
  await usePageStateStore().flush()
  expect(host.pageState.size).toBe(0)
  host.answer('page.write', ({ key, value }) => {
    host.pageState.set(key, value ?? '')
    return {}
  })
  await startAnew()
  await waitUntil(() => expect(host.pageState.get('draft:s_a')).toBe('typed meanwhile'))
  await waitUntil(() => expect(useDraftsStore().get('s_a')).toBe('typed meanwhile'))
})

test('pictures beside a draft are kept with their session', async () => {
  await start()
  const picture = pictureOf('a')
  useDraftFilesStore().set('s_a', [picture])
  await usePageStateStore().flush()
  await startAnew()
  await useDraftFilesStore().load('s_a')
  await useDraftFilesStore().load('s_b')
  expect([useDraftFilesStore().get('s_a'), useDraftFilesStore().get('s_b')]).toEqual([[picture], []])
})

const pictureOf = (id: string) => ({
  id,
  kind: 'image' as const,
  name: `${id}.png`,
  bytes: 3,
  mediaType: 'image/png',
  base64: 'AAAA',
})

test('what is typed before the kept draft could be read is put behind it, here and in the profile', async () => {
  host.pageState.set('draft:s_a', 'kept')
  const drafts = useDraftsStore()
  drafts.set('s_a', 'typed early')
  drafts.set('s_b', 'only typed')
  await start()
  await waitUntil(() => expect(drafts.get('s_a')).toBe('kept\n\ntyped early'))
  await usePageStateStore().flush()
  expect([host.pageState.get('draft:s_a'), host.pageState.get('draft:s_b')]).toEqual(['kept\n\ntyped early', 'only typed'])
})

test('a picture that is pasted before the kept ones could be read is put behind them, once', async () => {
  const list = JSON.stringify([pictureOf('kept')])
  host.pageState.set('draft-files:s_a', list)
  const files = useDraftFilesStore()
  const loading = files.load('s_a')
  files.set('s_a', [...files.get('s_a'), pictureOf('early')])
  await start()
  await loading
  await usePageStateStore().flush()
  const both = [pictureOf('kept'), pictureOf('early')]
  expect([files.get('s_a'), JSON.parse(host.pageState.get('draft-files:s_a') ?? '')]).toEqual([both, both])
})

test('pictures that could not be read come with the next connection, before those attached meanwhile', async () => {
  host.pageState.set('draft-files:s_a', JSON.stringify([pictureOf('kept')]))
  host.answer('page.read', () => {
    throw new AppError({ code: 'DISK_BUSY', message: 'busy' })
  })
  await start()
  const files = useDraftFilesStore()
  await files.load('s_a')
  files.set('s_a', [pictureOf('meanwhile')])
  await usePageStateStore().flush()
  host.answer('page.read', () => ({ entries: [...host.pageState].map(([key, value]) => ({ key, value })) }))
  link.cut()
  await waitUntil(() => expect(files.get('s_a').map(({ id }) => id)).toEqual(['kept', 'meanwhile']))
})

test('a value that the host will never take holds up no other, and is said', async () => {
  const said = vi.spyOn(console, 'error').mockReturnValue()
  const taken: string[] = []
  host.answer('page.write', ({ key }) => {
    if (key === 'never') throw new AppError({ code: 'BAD_INPUT', message: 'too long' })
    taken.push(key)
    return {}
  })
  await start()
  usePageStateStore().write('never', 'at all')
  usePageStateStore().write('draft:s_a', 'taken')
  await usePageStateStore().flush()
  await usePageStateStore().flush()
  expect([taken.filter((key) => key === 'draft:s_a').length, said.mock.calls.length]).toEqual([1, 1])
  said.mockRestore()
})

test('what was typed before a folder had opened goes along into it', () => {
  const drafts = useDraftsStore()
  drafts.set('new:', 'typed early')
  drafts.set('new:/w', 'typed there')
  drafts.move('new:', 'new:/w')
  expect([drafts.get('new:'), drafts.get('new:/w')]).toEqual(['', 'typed early\n\ntyped there'])
})

test('without any key the demonstration stands first, with one it stands last', async () => {
  const model = (providerId: string, id: string) => ({
    id,
    providerId,
    displayName: id,
    contextWindow: 1,
    maxOutput: 1,
    supportsStreaming: true,
    supportsThinking: false,
    supportsImages: false,
    supportsToolCalling: true,
    supportsStructuredOutput: false,
  })
  const provider = (id: string, hasKey: boolean) => ({
    id,
    displayName: id,
    keyRequired: id !== 'demo',
    hasKey,
    defaultBaseUrl: '',
    concurrency: 1,
  })
  host.answer('models.list', () => ({ models: [model('openai', 'a'), model('demo', 'scripted')], problems: [] }))
  let hasKey = false
  host.answer('providers.list', () => ({ providers: [provider('openai', hasKey), provider('demo', false)] }))
  await start()
  const models = useModelsStore()
  await models.load(false)
  expect(models.groups.map((group) => group.provider)).toEqual(['demo', 'openai'])
  hasKey = true
  await useProvidersStore().load()
  expect(models.groups.map((group) => group.provider)).toEqual(['openai', 'demo'])
})

test('a key is handed over and kept nowhere in the page', async () => {
  host.answer('providers.setKey', () => ({ stored: 'secret_store' }))
  await start()
  expect(await useProvidersStore().setKey('openai', 'sk-canary-7f3c')).toBe('secret_store')
  expect(JSON.stringify([...memory, useProvidersStore().$state])).not.toContain('canary')
})

test('links leave the app through the shell, by https and mailto only', async () => {
  const opened: unknown[] = []
  host.answer('native.call', ({ params }) => {
    opened.push(params)
    return { value: null }
  })
  await start()
  const native = useNativeStore()
  for (const address of [
    'https://example.com/a',
    'mailto:a@example.com',
    'http://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    '/relative',
    'app://metona/',
    'data:text/html,x',
  ])
    await native.openExternal(address)
  expect(opened).toEqual([{ url: 'https://example.com/a' }, { url: 'mailto:a@example.com' }])
})

test('an address that only looks like https is none', () => {
  expect(
    ['https:/\\evil', 'HTTPS://EXAMPLE.com', ' https://example.com', 'https://', 'java\nscript:alert(1)'].map(
      (address) => externalUrl(address)?.href,
    ),
  ).toEqual(['https://evil/', 'https://example.com/', 'https://example.com/', undefined, undefined])
})

test('a shell without a folder dialog says so', async () => {
  await start()
  expect(await useNativeStore().pickFolder()).toEqual({ kind: 'unavailable' })
  host.answer('native.call', () => ({ value: [] }))
  expect(await useNativeStore().pickFolder()).toEqual({ kind: 'cancelled' })
  host.answer('native.call', () => ({ value: ['/picked'] }))
  expect(await useNativeStore().pickFolder()).toEqual({ kind: 'picked', path: '/picked' })
})

test('every place has an address that leads back to it; others lead nowhere', () => {
  const places: Place[] = [
    { page: 'new' },
    { page: 'welcome' },
    { page: 'sessions' },
    { page: 'session', sessionId: 's_1dn6u58u919xc2x2' },
    { page: 'settings', section: 'appearance' },
  ]
  expect(places.map((place) => fromHash(toHash(place)))).toEqual(places)
  expect(['', '#', '#/', '#/session/', '#/session/a%00b', '#/session/<img>', '#/nonsense'].map((hash) => fromHash(hash))).toEqual(
    Array(7).fill(undefined),
  )
})

test('unread means ended since it was last on screen', async () => {
  host.addSession('s_a', '/w')
  await start()
  const sessions = useSessionsStore()
  await waitUntil(() => expect(sessions.rows).toHaveLength(1))
  sessions.markSeen('s_a', sessions.row('s_a')?.since ?? '')
  host.emit('s_a', { event: 'user_message', messageId: 'm', content: 'x', turn: 1 })
  await waitUntil(() => expect(sessions.row('s_a')?.state).toBe('thinking'))
  expect(sessions.rows.map((row) => sessions.isUnread(row))).toEqual([false])
  host.emit('s_a', { event: 'turn_end', turn: 1, reason: 'completed', iterations: 1, durationMs: 1 })
  await waitUntil(() => expect(sessions.rows.map((row) => sessions.isUnread(row))).toEqual([true]))
})
