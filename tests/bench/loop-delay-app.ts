/**
 * The pipeline host with one client and many streaming sessions, metering how late each thread's event loop runs.
 * Argument: the options as JSON. Prints one line of JSON at the end.
 */
import { randomBytes } from 'node:crypto'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { BroadcastChannel, isMainThread } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'
import { createClient } from '#main/cli/client.ts'
import { composeHost } from '#main/host/compose.ts'

export const METER_CHANNEL = 'metona-bench-loop-delay'
export const RESOLUTION_MS = 5

export interface LoopDelayOptions {
  readonly workspace: string
  readonly profile: string
  readonly bundles: string
  readonly model: string
  readonly baseUrl: string
  readonly prompts: readonly string[]
}

export interface Delay {
  readonly name: string
  readonly p99Ms: number
  readonly maxMs: number
}

// The metered workers import the two constants above.
if (isMainThread && process.argv[2] !== undefined) await run(JSON.parse(process.argv[2]) as LoopDelayOptions)

async function run(options: LoopDelayOptions): Promise<void> {
  const workers = new Map<string, Delay>()
  const channel = new BroadcastChannel(METER_CHANNEL)
  channel.onmessage = (event) => {
    const { data } = event as { data: Delay }
    workers.set(data.name, data)
  }
  const entry = fileURLToPath(new URL('./metered-entry.ts', import.meta.url))
  const host = composeHost({ profile: options.profile, bundles: options.bundles, entryFor: () => entry })
  const client = createClient(host.connect())
  const { workspace } = await client.call('workspace.open', { path: options.workspace, trust: 'once' })
  const sessions = await Promise.all(
    options.prompts.map(async (content) => {
      const { sessionId } = await client.call('session.create', {
        model: options.model,
        baseUrl: options.baseUrl,
        workspace,
        interactive: false,
      })
      const ended = new Promise<void>((resolve) => {
        client.watch(sessionId, (part) => {
          if (part.entries.some((one) => 'seq' in one && one.event === 'turn_end')) resolve()
        })
      })
      await client.call('session.subscribe', { sessionId })
      return { sessionId, content, ended }
    }),
  )
  // Start-up is another row.
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  await Promise.all(
    sessions.map(async ({ sessionId, content, ended }) => {
      await client.call('session.prompt', { sessionId, messageId: `m_${randomBytes(10).toString('hex')}`, content })
      await ended
    }),
  )
  const main: Delay = { name: 'host', p99Ms: histogram.percentile(99) / 1e6 - RESOLUTION_MS, maxMs: histogram.max / 1e6 - RESOLUTION_MS }
  process.stdout.write(`${JSON.stringify([main, ...workers.values()])}\n`)
  channel.close()
  await host.stop(8_000)
  process.exit(0)
}
