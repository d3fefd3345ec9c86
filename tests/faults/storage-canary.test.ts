import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { noRedactor } from '#workers/shared/redact.ts'
import type { WorkspacesOptions } from '#workers/storage/workspaces.ts'
import { openStorage, removeBase, type TestStorage } from '../workers/storage/open-storage.ts'
import { sessionScript } from '../workers/storage/session-script.ts'

const CANARIES = { ENV_API_KEY: 'canary-env-4c1f9ab27e/+="x', SET_TOKEN: 'canary-set-90d2b1e64a\\"y 密' }

/** Made by Node, not by the redactor. */
function encodings(value: string): Buffer[] {
  const texts = [value, JSON.stringify(value).slice(1, -1), JSON.stringify(JSON.stringify(value)).slice(3, -3), encodeURIComponent(value)]
  for (const prefix of ['', 'a', 'ab']) {
    const encoded = Buffer.from(`${prefix}${value}`).toString('base64').replace(/=+$/, '')
    // The first and last characters also depend on what stands beside them.
    texts.push(encoded.slice(4, -2), encoded.slice(4, -2).replaceAll('+', '-').replaceAll('/', '_'))
  }
  return [...texts.map((text) => Buffer.from(text, 'utf8')), Buffer.from(value, 'utf16le')]
}

/** Every string of an event gets the canaries, in every encoding. */
function poisoned(event: SessionEvent): SessionEvent {
  const texts = Object.values(CANARIES).flatMap((value) =>
    encodings(value)
      .slice(0, 4)
      .map((bytes) => bytes.toString('utf8')),
  )
  const all = `${texts.join(' | ')} | ${Buffer.from(`user:${CANARIES.ENV_API_KEY}`).toString('base64')}`
  const fixed = new Set([
    'seq',
    'ts',
    'event',
    'sessionId',
    'eventId',
    'turn',
    'iteration',
    'finishReason',
    'by',
    'decision',
    'outcome',
    'scope',
    'reason',
    'currency',
    'toolCallId',
    'id',
  ])
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return fixed.has(key) ? value : `${value} ${all}`
    if (Array.isArray(value)) return value.map((item) => walk(item, key))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)]))
  }
  return walk(event, '') as SessionEvent
}

async function useEverything(storage: TestStorage): Promise<void> {
  const { service, folder: workspace } = storage
  await storage.open()
  await service.setSecrets({ secrets: [{ name: 'SET_TOKEN', value: CANARIES.SET_TOKEN }] })
  const events = sessionScript({ sessionId: 's_one' }).map(poisoned)
  await storage.append(events)
  const text = `half of it ${CANARIES.ENV_API_KEY} and ${CANARIES.SET_TOKEN}`
  await service.savePartial({
    workspace,
    partial: { sessionId: 's_one', messageId: 'a_9', turn: 3, iteration: 1, text, thinking: text, updatedAt: '2026-06-25T12:00:00.000Z' },
  })
  await service.writeTrace({ workspace, name: 'trace_s_one_1_1.json', json: JSON.stringify({ spans: events }) })
  await service.searchMessages({ workspace, query: CANARIES.SET_TOKEN, limit: 5 })
  const refused = [
    service.configSet({ workspace, key: 'llm.model', value: `openai/${CANARIES.ENV_API_KEY.replaceAll(' ', '')}` }),
    service.mcpSet({
      workspace,
      server: { id: 'a', name: 'a', transport: 'sse', url: `http://x/?k=${CANARIES.ENV_API_KEY}`, enabled: true },
    }),
    service.providerSettingsSet({ provider: 'openai', baseUrl: `http://${encodeURIComponent(CANARIES.SET_TOKEN)}@x` }),
    service.openWorkspace({ path: `/nowhere/${CANARIES.ENV_API_KEY}`, trust: 'once', mode: 'write', waitMs: 0 }),
  ]
  for (const outcome of await Promise.allSettled(refused)) {
    if (outcome.status === 'rejected')
      for (const value of Object.values(CANARIES)) expect(String((outcome.reason as Error).message)).not.toContain(value)
  }
  await service.rebuild({ path: workspace })
  await service.verify({ path: workspace })
}

/** Files that hold a canary in any encoding. */
function hits(folder: string): string[] {
  const needles = Object.values(CANARIES).flatMap(encodings)
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file)
      return needles.some((needle) => bytes.includes(needle))
    })
}

let storage: TestStorage
afterEach(async () => {
  await storage.close()
  removeBase(storage.base)
})
const start = (options: Partial<WorkspacesOptions> = {}): TestStorage => {
  storage = openStorage(undefined, { environment: { ENV_API_KEY: CANARIES.ENV_API_KEY }, ...options })
  return storage
}

it('no secret, in any encoding, is in any byte that was written', async () => {
  await useEverything(start())
  expect(hits(storage.base)).toEqual([])
  await storage.close()
  expect(hits(storage.base)).toEqual([])
})

it('without the redactor they are in database, log and trace (control)', async () => {
  await useEverything(start({ redactor: noRedactor })).catch((error: unknown) => expect(error).toMatchObject({ name: 'AssertionError' }))
  const names = hits(storage.base).map((file) => file.slice(storage.folder.length + 1))
  expect(names).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^\.metona\/agent\.db/),
      expect.stringMatching(/^logs\/session_s_one/),
      'traces/trace_s_one_1_1.json',
    ]),
  )
})
