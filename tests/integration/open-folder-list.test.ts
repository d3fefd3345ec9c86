/** A list of sessions that is already shown follows the folders that are opened and closed. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HostMessageSchema, type HostMessage } from '#contracts/session/client-protocol.ts'
import { makeCliPlace, type CliPlace } from '#tests/helpers/cli.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { startPipeline, type Pipeline } from '#tests/helpers/pipeline.ts'

let place: CliPlace
let pipeline: Pipeline

beforeAll(async () => {
  place = await makeCliPlace({ DEEPSEEK_API_KEY: 'sk-test-0123456789' })
  pipeline = startPipeline(place)
}, 60_000)
afterAll(async () => {
  await pipeline.stop()
  await place.remove()
})

test('sessions of a folder opened later come to the list, and go with it', { timeout: 60_000 }, async () => {
  const workspace = await pipeline.open()
  const { sessionId } = await pipeline.client.call('session.create', { workspace, interactive: false, model: 'deepseek/deepseek-flash' })
  await pipeline.client.call('workspace.close', { workspace })

  const received: HostMessage[] = []
  const watcher = pipeline.host.connect()
  watcher.addEventListener('message', ({ data }) => void received.push(HostMessageSchema.parse(data)))
  watcher.start()
  watcher.postMessage({ type: 'call', id: 1, method: 'session.subscribeList', params: {} })
  await eventually('the list', () => received.find((message) => message.type === 'result'))
  expect(received).toMatchObject([{ type: 'result', value: { sessions: [] } }])

  await pipeline.open()
  await eventually('the row', () =>
    received.find((message) => message.type === 'list' && message.rows.some((row) => row.sessionId === sessionId)),
  )
  await pipeline.client.call('workspace.close', { workspace })
  await eventually('the row to go', () => received.find((message) => message.type === 'list' && message.removed.includes(sessionId)))
  watcher.close()
})

test('nothing is made in a folder that is not open, or open for reading only: refused by its code', { timeout: 60_000 }, async () => {
  const create = (workspace: string): Promise<unknown> =>
    pipeline.client.call('session.create', { workspace, interactive: false, model: 'deepseek/deepseek-flash' })
  await expect(create('/nowhere')).rejects.toMatchObject({ code: 'WORKSPACE_NOT_OPEN' })
  const { workspace } = await pipeline.client.call('workspace.open', { path: place.workspace, trust: 'once', mode: 'read' })
  await expect(create(workspace)).rejects.toMatchObject({ code: 'WORKSPACE_READ_ONLY' })
  await pipeline.client.call('workspace.close', { workspace })
})
