/** How much of what is sent a provider's prefix cache would hold, over long scripted sessions. */
// long: hundreds of turns
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import { proof } from '#tests/helpers/proof.ts'
import { HistoryMaker } from './make-history.ts'
import { PrefixCache, type Segment } from './prefix-cache.ts'
import { makeWorkspace, SessionDriver } from './session-driver.ts'

const SESSIONS = proof(20, 6)
const TURNS = 150
const PATIENCE = 1_200_000
const HEADINGS = ['Goal', 'Constraints and preferences', 'Progress', 'Decisions and reasons', 'Next steps', 'Identifiers', 'Files']
const TOOLS = ['read_file', 'write_file', 'edit_file', 'list_directory', 'search_text', 'run_command'].map((name) => ({
  name,
  description: `${name} works on files of the workspace; paths are relative to it and the result is text`.repeat(3),
  parameters: {
    type: 'object',
    properties: { file_path: { type: 'string', description: 'where' }, content: { type: 'string', description: 'what' } },
    required: ['file_path'],
  },
}))

let workspace: string
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ path: workspace, remove } = await makeWorkspace({
    'AGENTS.md': 'Read before you change. Run the tests.\n'.repeat(40),
    'SOUL.md': 'You are a careful engineer.',
  }))
})
afterAll(() => remove())

/** A rough size that both sides of a comparison share; what counts here is the share, not the bill. */
const sizeOf = (text: string): number => Math.ceil(text.length / 3.2)
const segments = new WeakMap<MetonaMessage, Segment>()
function segmentOf(message: MetonaMessage): Segment {
  let segment = segments.get(message)
  if (segment === undefined) {
    const text = JSON.stringify(message)
    segment = { text, tokens: sizeOf(text) }
    segments.set(message, segment)
  }
  return segment
}

interface Played {
  readonly share: number
  readonly compactions: number
  readonly worstCompactionShare: number
}

async function play(seed: number, budget: number, systemOf: (request: MetonaRequest, call: number) => string): Promise<Played> {
  const maker = new HistoryMaker(seed)
  const cache = new PrefixCache()
  const driver = new SessionDriver({ workspace, contextBudget: budget, tools: TOOLS })
  let head: Segment = { text: '', tokens: 0 }
  let calls = 0
  let compactions = 0
  let worstCompactionShare = 1
  const send = (request: MetonaRequest, answer?: MetonaMessage): number => {
    const text = systemOf(request, ++calls)
    if (head.text !== text) head = { text, tokens: sizeOf(text) }
    const input = [head, ...request.messages.map(segmentOf)]
    const before = cache.inputTokens
    const hit = cache.send(input, answer === undefined ? undefined : segmentOf(answer))
    return hit / (cache.inputTokens - before)
  }
  const step = async (answer: () => MetonaMessage): Promise<void> => {
    let built = await driver.mustBuild(maker.messages)
    if (built.context.needsCompression) {
      const done = await driver.compact('automatic', (request) => {
        worstCompactionShare = Math.min(worstCompactionShare, send(request))
        return { content: HEADINGS.map((heading) => `## ${heading}\n- ${maker.text(250)}`).join('\n') }
      })
      if (done.kind === 'applied') compactions++
      built = await driver.mustBuild(maker.messages)
    }
    send(built.request, answer())
  }
  for (let turn = 0; turn < TURNS; turn++) {
    maker.user(maker.text(60 + maker.below(400)))
    for (let call = 2 + maker.below(3); call > 0; call--)
      await step(() => maker.toolStep([maker.below(10) === 0 ? 12_000 : 300 + maker.below(3_000)])[0] as MetonaMessage)
    await step(() => maker.assistant(maker.text(200 + maker.below(900))))
  }
  driver.forget()
  return { share: cache.hitShare, compactions, worstCompactionShare }
}

const asSent = (request: MetonaRequest): string => JSON.stringify([request.systemPrompt, request.tools])

describe.each([
  { name: '128K', budget: 128_000, least: 0.94, compacts: true },
  { name: '1M', budget: 1_000_000, least: 0.98, compacts: false },
])('$name budget', ({ budget, least, compacts }) => {
  test(
    `${SESSIONS} sessions of ${TURNS} turns: at least ${least * 100} % of the input is cached`,
    async () => {
      const played: Played[] = []
      for (let seed = 1; seed <= SESSIONS; seed++) played.push(await play(seed, budget, asSent))
      const share = played.reduce((sum, one) => sum + one.share, 0) / played.length
      process.stdout.write(
        `cache simulation, ${budget} tokens: ${(share * 100).toFixed(2)} % cached, ${played.reduce((sum, one) => sum + one.compactions, 0)} compactions\n`,
      )
      expect({
        share: share >= least,
        compacted: played.every((one) => one.compactions > 0) || !compacts,
        compactionCallsCached: played.every((one) => one.worstCompactionShare >= 0.9),
      }).toEqual({ share: true, compacted: true, compactionCallsCached: true })
    },
    PATIENCE,
  )
})

test(
  'control: a time in the system prompt leaves less than 20 % cached',
  async () => {
    const { share } = await play(1, 128_000, (request, call) =>
      JSON.stringify([
        {
          ...request.systemPrompt,
          roleDefinition: `${request.systemPrompt.roleDefinition} ${new Date(Date.UTC(2026, 5, 25) + call * 7_000).toISOString()}`,
        },
        request.tools,
      ]),
    )
    expect(share).toBeLessThan(0.2)
  },
  PATIENCE,
)
