/** The one client of the streaming app, in a thread of its own: the host's thread only relays. */
import { randomBytes } from 'node:crypto'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import type { Port } from '#contracts/wire/port.ts'
import { createClient } from '#main/cli/client.ts'
import type { StreamingOptions } from './streaming-app.ts'

/** What the client says to the app's main thread. */
export type ClientWord =
  | { readonly type: 'opened' | 'ready' }
  | { readonly type: 'ended'; readonly sessionMs: number[]; readonly completed: number }

const { port, options } = workerData as { port: MessagePort; options: StreamingOptions }
const say = (word: ClientWord): void => parentPort?.postMessage(word)
const told = (): Promise<void> => new Promise((resolve) => parentPort?.once('message', () => resolve()))
const client = createClient(port as unknown as Port)

interface Following {
  readonly sessionId: string
  readonly toolRuns: Promise<void>
  readonly ended: Promise<{ at: number; reason: string }>
}

async function follow(): Promise<Following> {
  const { sessionId } = await client.call('session.create', {
    model: options.model,
    baseUrl: options.baseUrl,
    workspace,
    interactive: false,
    permission: 'full_access',
    sandbox: 'off',
  })
  const tool = Promise.withResolvers<void>()
  const end = Promise.withResolvers<{ at: number; reason: string }>()
  client.watch(sessionId, (part) => {
    for (const entry of part.entries) {
      if (!('event' in entry)) continue
      if (entry.event === 'tool_call') tool.resolve()
      if (entry.event === 'turn_end') end.resolve({ at: performance.now(), reason: entry.reason })
    }
  })
  await client.call('session.subscribe', { sessionId })
  return { sessionId, toolRuns: tool.promise, ended: end.promise }
}

const prompt = (sessionId: string, content: string): Promise<unknown> =>
  client.call('session.prompt', { sessionId, messageId: `m_${randomBytes(10).toString('hex')}`, content })

const { workspace } = await client.call('workspace.open', { path: options.workspace, trust: 'once' })
say({ type: 'opened' })
await told()
const disturbing = await Promise.all(
  options.disturbing.map(async (content) => {
    const session = await follow()
    await prompt(session.sessionId, content)
    await session.toolRuns
    return session
  }),
)
const sessions = await Promise.all(options.prompts.map(async (content) => ({ content, session: await follow() })))
say({ type: 'ready' })
await told()
const ends = await Promise.all(
  sessions.map(async ({ content, session }) => {
    const startedAt = performance.now()
    await prompt(session.sessionId, content)
    const { at, reason } = await session.ended
    return { ms: at - startedAt, reason }
  }),
)
say({ type: 'ended', sessionMs: ends.map(({ ms }) => ms), completed: ends.filter(({ reason }) => reason === 'completed').length })
await told()
await Promise.all(disturbing.map(({ sessionId }) => client.call('session.stop', { sessionId })))
client.close()
