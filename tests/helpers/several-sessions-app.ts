/**
 * A shell with several sessions at once, for tests that kill it: composes the pipeline host as the shells do and
 * prints what its client is told, as `run --json --deltas` would. Takes one argument, the options as JSON.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import { createClient } from '#main/cli/client.ts'
import { composeHost } from '#main/host/compose.ts'
import type { HeartbeatTiming } from '#main/host/heartbeat.ts'

export interface SeveralSessionsOptions {
  readonly workspace: string
  readonly profile: string
  readonly bundles: string
  /** When a file of this name appears in the working folder, the engine is made to end the process. */
  readonly abortOn?: string
  /** In place of the product's 10 s, for every worker. */
  readonly heartbeat?: HeartbeatTiming
  /** In place of the bundle of the session worker. */
  readonly sessionEntry?: string
  readonly settings: SessionSettings
  /** One session each. */
  readonly prompts: readonly string[]
  /** Sent to every session once it runs a tool: to be folded in, and to wait. */
  readonly steering?: string
  readonly queued?: string
}

const options = JSON.parse(process.argv[2] ?? '{}') as SeveralSessionsOptions
const timing = options.heartbeat === undefined ? {} : { heartbeat: options.heartbeat }
const host = composeHost({
  timing: { session: timing, llm: timing, tools: timing, storage: timing },
  onWorkerExit: (exit) => print({ workerExit: exit }),
  profile: options.profile,
  bundles: options.bundles,
  entryFor: (name) =>
    name === 'session' && options.sessionEntry !== undefined ? options.sessionEntry : path.join(options.bundles, name, 'entry.js'),
})
if (options.abortOn !== undefined) {
  const { abortOn } = options
  setInterval(() => {
    if (existsSync(abortOn)) hugeArray()
  }, 50).unref()
}

/** More than the engine can hold: it does not throw, it ends everything. */
function hugeArray(): void {
  // oxlint-disable-next-line unicorn/no-new-array -- one allocation at once is the point
  new Array(100_000_000).fill(0)
}

const client = createClient(host.connect())
const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

const prompt = (sessionId: string, content: string, whenBusy: 'queue' | 'steer'): Promise<unknown> =>
  client.call('session.prompt', { sessionId, messageId: `m_${randomBytes(10).toString('hex')}`, content, whenBusy })

async function sendMore(sessionId: string): Promise<void> {
  if (options.steering !== undefined) await prompt(sessionId, options.steering, 'steer')
  if (options.queued !== undefined) await prompt(sessionId, options.queued, 'queue')
}

const { workspace } = await client.call('workspace.open', { path: options.workspace, trust: 'once' })
await Promise.all(
  options.prompts.map(async (content) => {
    const { sessionId } = await client.call('session.create', { ...options.settings, workspace, interactive: false })
    const ended = new Promise<void>((resolve) => {
      client.watch(sessionId, (part) => {
        for (const entry of part.entries) {
          print('event' in entry && 'seq' in entry ? entry : { rev: part.rev, sessionId, ...entry })
          if ('seq' in entry && entry.event === 'turn_end') resolve()
          if ('seq' in entry && entry.event === 'tool_call' && entry.iteration === 1) void sendMore(sessionId)
        }
      })
    })
    await client.call('session.subscribe', { sessionId })
    await prompt(sessionId, content, 'queue')
    await ended
  }),
)
await client.call('app.shutdown', {})
await host.stop(5_000)
process.exit(0)
