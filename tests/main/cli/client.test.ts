import { expect, test } from 'vitest'
import { AppError } from '#contracts/wire/app-error.ts'
import { createClient } from '#main/cli/client.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { noticeEvent, scriptedSession } from '#tests/helpers/scripted-session.ts'

test('answers reach the call they belong to, whatever their order', async () => {
  const session = scriptedSession()
  const client = createClient(session.port)
  const first = client.call('trust.list', {})
  const second = client.call('trust.remove', { path: '/x' })
  await eventually('both calls', () => session.calls.length === 2)
  session.say({ type: 'result', id: session.calls[1]?.id ?? 0, ok: true, value: { removed: true } })
  session.say({ type: 'result', id: session.calls[0]?.id ?? 0, ok: true, value: { entries: [] } })
  expect([await first, await second]).toEqual([{ entries: [] }, { removed: true }])
})

test('a failure keeps its code, params and details', async () => {
  const session = scriptedSession()
  const client = createClient(session.port)
  session.answer('workspace.open', () => {
    throw new AppError({ code: 'UNTRUSTED', message: 'no', params: { path: '/x' }, details: { found: ['AGENTS.md'] } })
  })
  await expect(client.call('workspace.open', { path: '/x' })).rejects.toMatchObject({
    code: 'UNTRUSTED',
    params: { path: '/x' },
    details: { found: ['AGENTS.md'] },
  })
})

test('a call without answer fails at its deadline', async () => {
  const client = createClient(scriptedSession().port)
  await expect(client.call('trust.list', {}, 30)).rejects.toMatchObject({
    code: 'CALL_TIMEOUT',
    params: { method: 'trust.list', deadlineMs: 30 },
  })
})

test.each(['reset', 'close'] as const)('%s of the session worker fails every call in flight and names them', async (end) => {
  const session = scriptedSession()
  const client = createClient(session.port)
  const calls = [client.call('trust.list', {}), client.call('health.read', {})]
  if (end === 'reset') session.say({ type: 'reset', reason: 'exited' })
  else session.close()
  for (const call of calls)
    await expect(call).rejects.toMatchObject({ code: 'WORKER_LOST', message: expect.stringContaining('trust.list, health.read') })
})

test('after a reset calls go through again; after a close they fail at once', async () => {
  const session = scriptedSession()
  const client = createClient(session.port)
  session.answer('trust.list', () => ({ entries: [] }))
  session.say({ type: 'reset', reason: 'exited' })
  expect(await client.call('trust.list', {})).toEqual({ entries: [] })
  session.close()
  await expect(client.call('trust.list', {})).rejects.toMatchObject({ code: 'WORKER_LOST' })
})

test('posts are acknowledged, the latest number once for many', async () => {
  const session = scriptedSession()
  createClient(session.port)
  for (let index = 0; index < 5; index++) session.post({ sessionId: 's_one', rev: index + 1, entries: [noticeEvent(index)] })
  await eventually('an acknowledgement', () => session.acks.length > 0)
  expect(session.acks).toEqual([5])
})

test('nothing is acknowledged while the output is behind, and all of it afterwards', async () => {
  const session = scriptedSession()
  let ready = false
  let asked = 0
  createClient(session.port, { ready: () => (asked++, ready) })
  session.post({ sessionId: 's_one', rev: 1, entries: [] })
  await eventually('the output to be asked about twice', () => asked >= 2)
  expect(session.acks).toEqual([])
  ready = true
  await eventually('the acknowledgement', () => session.acks.length > 0)
  expect(session.acks).toEqual([1])
})

test('a part goes to the watcher of its session only', () => {
  const session = scriptedSession()
  const client = createClient(session.port)
  const seen: string[] = []
  client.watch('s_one', (part) => seen.push(`one ${part.rev}`))
  const unwatch = client.watch('s_two', (part) => seen.push(`two ${part.rev}`))
  session.post({ sessionId: 's_one', rev: 1, entries: [] }, { sessionId: 's_two', rev: 7, entries: [] })
  unwatch()
  session.post({ sessionId: 's_two', rev: 8, entries: [] }, { sessionId: 's_three', rev: 1, entries: [] })
  expect(seen).toEqual(['one 1', 'two 7'])
})
