/**
 * An hour of ordinary work in one host: generations of sessions side by side, each turn a command and a short answer.
 * Argument: the options as JSON. Samples every thread's heap after a collection; ends with what is left open and how
 * what was shown compares with database and log. Prints one line of JSON at the end.
 */
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createClient, type Client } from '#main/cli/client.ts'
import { composeHost } from '#main/host/compose.ts'
import { connectFakeProvider, type FakeAnswer } from '#tests/helpers/fake-provider.ts'
import { eventually } from '#tests/helpers/eventually.ts'
import { heldHere } from './held-here.ts'
import { threadReports } from './thread-report.ts'

export interface SoakOptions {
  readonly workspace: string
  readonly profile: string
  readonly bundles: string
  readonly baseUrl: string
  readonly sessions: number
  /** Turns of a session; then a new one takes its place. */
  readonly turnsOfSession: number
  readonly generations: number
  /** Least time from the start of one turn to the start of the next in the same session. */
  readonly turnMs: number
  readonly sampleMs: number
}

export interface SoakResult {
  readonly turns: number
  /** Minutes since the start and MiB, by thread; the host's is also the client's. */
  readonly heaps: { readonly minute: number; readonly threads: Record<string, number>; readonly residentMiB: number }[]
  readonly shownEvents: number
  /** Events that were shown and are not in the database, or stand there otherwise. */
  readonly lostEvents: number
  /** Differences between database, logs and audit trail. */
  readonly differences: number
  /** Open files and active resources after the end beyond those at the beginning. */
  readonly filesLeft: string[]
  readonly resourcesLeft: string[]
}

const WORKERS = ['session', 'llm', 'tools', 'storage'] as const
const MIB = 1024 * 1024

const options = JSON.parse(process.argv[2] ?? '{}') as SoakOptions
const provider = connectFakeProvider(options.baseUrl)
// The outputs are the measurement's own.
process.stderr.write('')
process.stdout.write('')
const filesBefore = await openFiles()
const resourcesBefore = process.getActiveResourcesInfo()
const startedAt = performance.now()
const reports = threadReports()
const host = composeHost({
  profile: options.profile,
  bundles: options.bundles,
  entryFor: () => fileURLToPath(new URL('./metered-entry.ts', import.meta.url)),
  onWorkerExit: ({ name, reason, message }) => process.stderr.write(`${name}: ${reason}: ${message}\n`),
})
host.warm(...WORKERS)
const client = createClient(host.connect())
const { workspace } = await client.call('workspace.open', { path: options.workspace, trust: 'once' })
await eventually('all workers to run', () => host.health().workers.every(({ state }) => state === 'running'))

const heaps: SoakResult['heaps'] = []
let turns = 0
let shownEvents = 0
let lostEvents = 0
const done = new AbortController()
const sampling = sample(done.signal)
for (let generation = 0; generation < options.generations; generation++) {
  await provider.reset()
  const markers = Array.from({ length: options.sessions }, (_, session) => `soak-${generation}-${session}|`)
  const turn: FakeAnswer[] = [
    { toolCalls: [{ name: 'run_command', args: { command: 'seq 1 200' } }] },
    { tokens: 60, tokensPerSecond: 100 },
  ]
  await provider.script(markers.map((marker) => ({ marker, answers: Array.from({ length: options.turnsOfSession }, () => turn).flat() })))
  await Promise.all(markers.map((marker) => oneSession(client, marker)))
}
done.abort()
await sampling
const { differences } = await client.call('doctor.verify', { workspace })
await client.call('app.shutdown', { deadlineMs: 10_000 })
client.close()
reports.close()
await host.stop(8_000)
// The connections to the provider's control are the measurement's own; what ends by itself gets the time to.
await (globalThis as Record<symbol, { close(): Promise<void> } | undefined>)[Symbol.for('undici.globalDispatcher.1')]?.close()
await wait(500)
const filesAfter = await openFiles()
const result: SoakResult = {
  turns,
  heaps,
  shownEvents,
  lostEvents,
  differences: differences.length,
  filesLeft: without(filesAfter, filesBefore),
  resourcesLeft: without(process.getActiveResourcesInfo(), resourcesBefore),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)

async function oneSession(app: Client, marker: string): Promise<void> {
  const { sessionId } = await app.call('session.create', {
    model: 'deepseek/deepseek-flash',
    baseUrl: options.baseUrl,
    workspace,
    interactive: false,
    permission: 'full_access',
    sandbox: 'off',
  })
  const shown = new Map<number, string>()
  let ended: () => void = () => undefined
  const stopWatching = app.watch(sessionId, (part) => {
    for (const entry of part.entries) {
      if (!('seq' in entry)) continue
      shown.set(entry.seq, JSON.stringify(entry))
      if (entry.event === 'turn_end') ended()
    }
  })
  const { snapshot } = await app.call('session.subscribe', { sessionId })
  for (let turn = 0; turn < options.turnsOfSession; turn++) {
    const next = wait(options.turnMs)
    const end = new Promise<void>((resolve) => (ended = resolve))
    await app.call('session.prompt', { sessionId, messageId: `m_${randomBytes(10).toString('hex')}`, content: `${marker} turn ${turn}` })
    await end
    turns += 1
    await next
  }
  await app.call('session.close', { sessionId })
  stopWatching()
  await app.call('session.unsubscribe', { sessionId })
  const stored = new Map<number, string>()
  for (let fromSeq = 0; ;) {
    const { events } = await app.call('session.read', { workspace, sessionId, fromSeq, limit: 1000 })
    for (const event of events) stored.set(event.seq, JSON.stringify(event))
    const last = events.at(-1)
    if (last === undefined) break
    fromSeq = last.seq + 1
  }
  shownEvents += shown.size
  for (const [seq, text] of shown) if (stored.get(seq) !== text) lostEvents += 1
  // Every number from the subscription on was shown.
  for (const seq of stored.keys()) if (seq > snapshot.lastSeq && seq < Math.max(...shown.keys()) && !shown.has(seq)) lostEvents += 1
}

async function sample(signal: AbortSignal): Promise<void> {
  for (;;) {
    const [found, health] = await Promise.all([reports.read(WORKERS.length), client.call('health.pipeline', {})])
    // As it is: nobody but the app itself reaches into this thread.
    const context = health.threads.filter(({ name }) => name === 'context').reduce((sum, one) => sum + one.heapBytes + one.externalBytes, 0)
    const threads = [
      ...found.map(({ name, bytes }) => [name, bytes / MIB] as const),
      ['context', context / MIB],
      ['host', heldHere() / MIB],
    ] as const
    heaps.push({
      minute: (performance.now() - startedAt) / 60_000,
      threads: Object.fromEntries(threads),
      residentMiB: process.memoryUsage.rss() / MIB,
    })
    if (signal.aborted) return
    await wait(options.sampleMs, undefined, { signal }).catch(() => undefined)
  }
}

/** What the numbers of open files point at, sockets and pipes without their numbers. */
async function openFiles(): Promise<string[]> {
  const { readlink } = await import('node:fs/promises')
  const names = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return targets.filter((target) => target !== '').map((target) => target.replace(/:\[\d+\]$/, ''))
}

function without(after: readonly string[], before: readonly string[]): string[] {
  const left = [...after]
  for (const one of before) {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
  }
  return left
}
