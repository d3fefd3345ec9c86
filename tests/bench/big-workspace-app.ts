/**
 * Fills a workspace through the storage thread and times what a person does with it, through a host of its own.
 * Argument: the options as JSON. Prints one line of JSON at the end.
 */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import { createClient } from '#main/cli/client.ts'
import { composeHost } from '#main/host/compose.ts'
import { numbered, randomFrom } from '#tests/workers/storage/session-script.ts'
import { startStorageThread } from '#tests/workers/storage/storage-thread.ts'
import { busySeconds, cpuOf } from './measure.ts'

export interface BigWorkspaceOptions {
  readonly workspace: string
  readonly profile: string
  readonly bundles: string
  readonly sessions: number
  /** Two messages each. */
  readonly turnsOfSession: number
  /** Of the one long session. */
  readonly events: number
  readonly repeats: number
}

export interface BigWorkspaceResult {
  readonly sessions: number
  readonly events: number
  readonly messages: number
  readonly listMs: number[]
  readonly openMs: number[]
  readonly searchMs: number[]
  readonly emptySearches: number
  /** While it was measured, not while it was filled. */
  readonly foreignCores: number
}

const AT_ONCE = 20
const EVENTS_OF_CALL = 400
const WORDS = 4_000
const QUERIES = ['refund w17', 'w2301', '退款 对账', '城市', 'w3999 w12', 'settlement', '渠道w5', 'order']
const PHRASES = ['退款 对账', '城市 渠道', 'refund order', 'settlement', '价格 表格', 'column mean']

const options = JSON.parse(process.argv[2] ?? '{}') as BigWorkspaceOptions
const folder = path.join(options.workspace, 'work')
await mkdir(folder)
const LONG = 's_long'
await fill()

const host = composeHost({ profile: options.profile, bundles: options.bundles })
const client = createClient(host.connect())
const { workspace } = await client.call('workspace.open', { path: folder, trust: 'once' })
const [busyBefore, ownBefore, startedAt] = [await busySeconds(), await cpuOf([process.pid]), performance.now()]
let sessions = 0
const listMs = await repeated(async () => {
  sessions = (await client.call('session.list', { workspace })).sessions.length
})
let events = 0
const openMs = await repeated(
  async () => {
    await client.call('session.open', { workspace, sessionId: LONG, interactive: false })
    events = (await client.call('session.subscribe', { sessionId: LONG })).snapshot.lastSeq + 1
  },
  async () => {
    await client.call('session.unsubscribe', { sessionId: LONG })
    await client.call('session.close', { sessionId: LONG })
  },
)
const searchMs: number[] = []
let emptySearches = 0
for (let round = 0; round < options.repeats; round++)
  for (const query of QUERIES) {
    const begun = performance.now()
    const { hits } = await client.call('session.search', { workspace, query, limit: 50 })
    searchMs.push(performance.now() - begun)
    if (hits.length === 0) emptySearches += 1
  }
const foreign = (await busySeconds()) - busyBefore - ((await cpuOf([process.pid])) - ownBefore)
const result: BigWorkspaceResult = {
  sessions,
  events,
  messages: options.sessions * options.turnsOfSession * 2,
  listMs,
  openMs,
  searchMs,
  emptySearches,
  foreignCores: Math.max(0, foreign / ((performance.now() - startedAt) / 1000)),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
await host.stop(8_000)
process.exit(0)

/** The first call warms caches up and is not counted. */
async function repeated(work: () => Promise<void>, after: () => Promise<void> = () => Promise.resolve()): Promise<number[]> {
  const times: number[] = []
  for (let round = 0; round <= options.repeats; round++) {
    const begun = performance.now()
    await work()
    if (round > 0) times.push(performance.now() - begun)
    await after()
  }
  return times
}

async function fill(): Promise<void> {
  const thread = await startStorageThread(options.profile)
  const { client: storage } = thread.connection
  const opened = await storage.openWorkspace({ path: folder, trust: 'once', mode: 'write', waitMs: 0 })
  const append = async (made: SessionEvent[]): Promise<void> => {
    for (let from = 0; from < made.length; from += EVENTS_OF_CALL)
      await storage.appendEvents({ workspace: opened.workspace, events: made.slice(from, from + EVENTS_OF_CALL) })
  }
  for (let from = 0; from < options.sessions; from += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, options.sessions - from) }, (_, index) =>
        append(conversation(`s_${(from + index).toString(36)}`, options.turnsOfSession, from + index + 1)),
      ),
    )
  await append(conversation(LONG, Math.ceil((options.events - 1) / 3), 7).slice(0, options.events))
  await storage.closeWorkspace({ workspace: opened.workspace })
  await thread.stop()
}

/** A session of questions and answers: three events a turn, two of them messages. */
function conversation(sessionId: string, turns: number, seed: number): SessionEvent[] {
  const random = randomFrom(seed)
  const some = (count: number): string =>
    Array.from({ length: count }, () => `w${Math.floor(random() * WORDS)} ${PHRASES[Math.floor(random() * PHRASES.length)] ?? ''}`).join(
      ' ',
    )
  const usage = { inputTokens: 900, outputTokens: 60, totalTokens: 960 }
  const drafts: SessionEventDraft[] = [{ event: 'session_start', workspace: folder, model: 'demo/scripted', agentVersion: '0.0.0' }]
  for (let turn = 1; turn <= turns; turn++) {
    const about = { provider: 'demo', model: 'scripted', requestId: `r_${sessionId}_${turn}`, iteration: 1, turn }
    drafts.push(
      { event: 'user_message', messageId: `m_${sessionId}_${turn}`, content: some(6), turn },
      {
        event: 'llm_response',
        ...about,
        content: some(18),
        finishReason: 'stop',
        usage,
        messageId: `a_${sessionId}_${turn}`,
        durationMs: 800,
      },
      { event: 'turn_end', reason: 'completed', iterations: 1, durationMs: 900, usage, turn },
    )
  }
  const startAt = 1_780_000_000_000 + seed * 60_000
  return drafts.map((draft, seq) => numbered(draft, seq, sessionId, new Date(startAt + seq * 137).toISOString()))
}
