/** What a page of an earlier version kept in the browser is taken over into the profile, once. */
import { useConnectionStore } from '#renderer/stores/connection.ts'
import { usePageStateStore } from '#renderer/stores/page-state.ts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ScriptedHost } from '../../helpers/scripted-host.ts'
import { freshStores, memoryLink, waitUntil } from '../helpers.ts'

const memory = new Map<string, string>()
let host: ScriptedHost

beforeEach(() => {
  memory.clear()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => memory.get(key) ?? null,
    setItem: (key: string, value: string) => memory.set(key, value),
    removeItem: (key: string) => memory.delete(key),
  })
  host = new ScriptedHost()
})
afterEach(() => {
  useConnectionStore().stop()
  vi.unstubAllGlobals()
})

function start(): ReturnType<typeof usePageStateStore> {
  freshStores()
  const page = usePageStateStore()
  useConnectionStore().start({ factory: memoryLink(host).factory, delays: [1] })
  return page
}
const keep = (key: string, value: unknown): unknown => memory.set(`metona.${key}`, JSON.stringify(value))

test('drafts, marks and folders come to the profile; what it has is newer; nothing of it stays behind', async () => {
  keep('drafts', { s_a: 'older a', s_b: 'b', s_c: '' })
  keep('seenSince', { s_a: '2026-01-01' })
  keep('workspaces', ['/one', '/two'])
  host.pageState.set('draft:s_a', 'newer a')
  const page = start()
  const read = async (prefix: string): Promise<unknown> => Object.fromEntries(await page.read(prefix))
  expect([await read('draft:'), await read('seen:'), await read('workspaces')]).toEqual([
    { s_a: 'newer a', s_b: 'b' },
    { s_a: '2026-01-01' },
    { '': '["/one","/two"]' },
  ])
  await waitUntil(() =>
    expect(Object.fromEntries(host.pageState)).toEqual({
      'draft:s_a': 'newer a',
      'draft:s_b': 'b',
      'seen:s_a': '2026-01-01',
      workspaces: '["/one","/two"]',
    }),
  )
  expect([...memory.keys()].filter((key) => key !== 'metona.unsaved')).toEqual([])
  // Once: what is forgotten afterwards does not come back.
  page.write('draft:s_b', null)
  await page.flush()
  expect(await read('draft:')).toEqual({ s_a: 'newer a' })
})

test('where the host cannot be asked, it stays for the next time; what the host did not take yet waits', async () => {
  keep('drafts', { s_a: 'a' })
  let answers = false
  host.answer('page.read', () => {
    if (answers) return { entries: [] }
    throw new Error('not now')
  })
  host.answer('page.write', () => {
    throw new Error('not now')
  })
  await expect(start().read('draft:')).rejects.toThrow()
  expect(memory.get('metona.drafts')).toBe('{"s_a":"a"}')
  answers = true
  useConnectionStore().stop()
  expect([...(await start().read('draft:'))]).toEqual([['s_a', 'a']])
  expect([memory.get('metona.drafts'), memory.get('metona.unsaved')]).toEqual([undefined, '{"draft:s_a":"a"}'])
})

test('of thousands of marks the newest five hundred', async () => {
  keep('seenSince', Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`s_${index}`, String(10_000 + index)])))
  const kept = await start().read('seen:')
  expect([kept.size, kept.has('s_1999'), kept.has('s_1500'), kept.has('s_1499')]).toEqual([500, true, true, false])
})

test('where there is no room for what waits, what was kept stays until the host has it', async () => {
  keep('drafts', { s_b: 'b' })
  vi.stubGlobal('localStorage', {
    ...localStorage,
    setItem: () => {
      throw new Error('full')
    },
  })
  host.answer('page.write', () => new Promise(() => undefined))
  expect(Object.fromEntries(await start().read('draft:'))).toEqual({ s_b: 'b' })
  expect(memory.get('metona.drafts')).toBe('{"s_b":"b"}')
})
