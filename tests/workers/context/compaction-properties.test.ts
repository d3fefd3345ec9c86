/** What holds of every request, whatever the history: random ones, damaged ones, windows from 1.6K to 40K. */
// long: hundreds of histories
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CompactionStep } from '#contracts/context/compaction.ts'
import type { BuildOutput } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage, MetonaRequest } from '#contracts/metona/metona-request.ts'
import { proof } from '#tests/helpers/proof.ts'
import { loadCounter, type TextCounter } from '#workers/context/tokenizers/exact-counters.ts'
import { HistoryMaker } from './make-history.ts'
import { makeWorkspace, SessionDriver, type Built } from './session-driver.ts'

const CASES = proof(2_000, 300)
const PATIENCE = proof(1_800_000, 300_000)

const TOOLS = ['read_file', 'search_text'].map((name) => ({
  name,
  description: `${name} on the workspace`,
  parameters: { type: 'object', properties: { file_path: { type: 'string' } } },
}))
let counter: TextCounter
let workspace: string
let remove: () => Promise<void>
beforeAll(async () => {
  counter = await loadCounter('deepseek')
  ;({ path: workspace, remove } = await makeWorkspace({ 'SOUL.md': 'You are Ada.', 'AGENTS.md': '回答要简短。' }))
})
afterAll(() => remove())

type Damage = 'none' | 'drop' | 'duplicate' | 'swap' | 'orphan' | 'same_id' | 'empty' | 'between' | 'no_ids' | 'cut_end'
interface Case {
  seed: number
  turns: number
  window: number
  resultCharacters: number
  userCharacters: number
  damages: Damage[]
  summariser: 'good' | 'drops_everything' | 'bad' | 'fails'
}
const cases: fc.Arbitrary<Case> = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  turns: fc.integer({ min: 1, max: 10 }),
  window: fc.integer({ min: 1_600, max: 40_000 }),
  resultCharacters: fc.constantFrom(40, 400, 2_000, 9_000),
  userCharacters: fc.constantFrom(30, 200, 900),
  damages: fc.array(
    fc.constantFrom<Damage>('none', 'drop', 'duplicate', 'swap', 'orphan', 'same_id', 'empty', 'between', 'no_ids', 'cut_end'),
    { maxLength: 5 },
  ),
  summariser: fc.constantFrom('good', 'drops_everything', 'bad', 'fails'),
})

function historyOf(input: Case): MetonaMessage[] {
  const maker = new HistoryMaker(input.seed)
  for (let turn = 0; turn < input.turns; turn++) {
    maker.user(maker.text(1 + maker.below(input.userCharacters)))
    for (let step = maker.below(4); step > 0; step--)
      maker.toolStep(Array.from({ length: 1 + maker.below(2) }, () => 1 + maker.below(input.resultCharacters)))
    if (turn < input.turns - 1) maker.assistant(maker.text(1 + maker.below(300)))
  }
  const messages = maker.messages.slice()
  for (const damage of input.damages) apply(damage, messages, maker)
  if (!messages.some((message) => message.role === 'user')) messages.push({ role: 'user', content: 'go on', timestamp: 1, id: 'm_last' })
  return messages
}

function apply(damage: Damage, messages: MetonaMessage[], maker: HistoryMaker): void {
  const at = maker.below(messages.length)
  const message = messages[at]
  if (message === undefined) return
  const { id: _id, ...nameless } = message
  const orphan: MetonaMessage = {
    role: 'tool',
    content: '',
    timestamp: 1,
    id: `orphan_${at}`,
    toolResult: {
      toolCallId: `tc_orphan${at}`,
      toolName: 'read_file',
      result: 'x'.repeat(600),
      success: true,
      durationMs: 1,
      timestamp: 1,
    },
  }
  const first = messages.find((entry) => entry.toolCalls !== undefined)?.toolCalls?.[0]
  const edits: Record<Damage, () => void> = {
    none: () => undefined,
    drop: () => void messages.splice(at, 1),
    duplicate: () => void messages.splice(at, 0, { ...message }),
    swap: () => void messages.splice(at, 2, ...messages.slice(at, at + 2).reverse()),
    orphan: () => void messages.splice(at, 0, orphan),
    same_id: () =>
      void (
        message.toolCalls !== undefined &&
        first !== undefined &&
        messages.splice(at, 1, { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: first.id })) })
      ),
    empty: () => void messages.splice(at, 0, { role: 'assistant', content: '', timestamp: 1, id: `empty_${at}` }),
    between: () => void messages.splice(at, 0, { role: 'user', content: 'wait', timestamp: 1, id: `between_${at}` }),
    no_ids: () => void messages.splice(at, 1, nameless),
    cut_end: () => void (messages.length > 2 && messages.splice(messages.length - 1, 1)),
  }
  edits[damage]()
}

const HEADINGS = ['目标', '用户约束与偏好', '进度', '关键决定与理由', '下一步', '关键标识符', '相关文件']
function summarise(input: Case): (request: MetonaRequest, mode: string) => { content: string; finishReason?: 'error' } | undefined {
  return () => {
    switch (input.summariser) {
      case 'good':
        return { content: HEADINGS.map((heading) => `## ${heading}\n- 已读 src/file-1.ts，约束照旧。`).join('\n') }
      case 'drops_everything':
        return { content: HEADINGS.map((heading) => `## ${heading}\n无`).join('\n') }
      case 'bad':
        return { content: 'Sure, what shall I do?' }
      case 'fails':
        return undefined
    }
  }
}

// ---- what must hold, told without the code under test ----

/** Every call answered exactly once, right behind its message; no result without a call; no id twice. */
function pairingFault(messages: readonly MetonaMessage[]): string | undefined {
  const used = new Set<string>()
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = message.toolResult?.toolCallId ?? ''
      if (!open.includes(id)) return `result ${id} at ${index} has no open call`
      open = open.filter((entry) => entry !== id)
      continue
    }
    if (open.length > 0) return `calls ${open.join()} not answered before ${index}`
    open = (message.toolCalls ?? []).map((call) => call.id)
    for (const id of open) {
      if (used.has(id)) return `call id ${id} twice`
      used.add(id)
    }
    if (message.role === 'assistant' && message.content.trim() === '' && open.length === 0) return `empty answer at ${index}`
  }
  return open.length > 0 ? `calls ${open.join()} never answered` : undefined
}

function textTokens(request: MetonaRequest): number {
  let tokens = counter.count(Object.values(request.systemPrompt).join('\n\n')) + counter.count(JSON.stringify(request.tools ?? []))
  for (const message of request.messages) tokens += messageTokens(message)
  return tokens
}

function messageTokens(message: MetonaMessage): number {
  return (
    counter.count(message.content) +
    counter.count(message.toolResult === undefined ? '' : (message.toolResult.summary ?? String(message.toolResult.result))) +
    counter.count((message.toolCalls ?? []).map((call) => call.name + JSON.stringify(call.args)).join(''))
  )
}

function lastUserText(messages: readonly MetonaMessage[]): string {
  return messages.findLast((message) => message.role === 'user')?.content ?? ''
}

/** The same limit, from the published rule: window less the answer (a quarter at most) and a margin. */
function inputLimit(window: number): number {
  return window - Math.floor(window / 4) - Math.max(Math.min(2_048, Math.ceil(window / 20)), Math.ceil(window / 100))
}

function faultsOf(built: Built, history: readonly MetonaMessage[], input: Case, system: string): string[] {
  const { request } = built
  const faults: string[] = []
  const pairing = pairingFault(request.messages)
  if (pairing !== undefined) faults.push(pairing)
  if (textTokens(request) > inputLimit(input.window)) faults.push(`${textTokens(request)} tokens of text over ${inputLimit(input.window)}`)
  if (JSON.stringify(request.systemPrompt) !== system) faults.push('system prompt changed')
  const last = lastUserText(history)
  if (
    !request.messages.some(
      (message) => message.role === 'user' && (message.content === last || message.content.startsWith(`${last}\n\n<context>`)),
    )
  )
    faults.push('last user message not verbatim')
  return faults
}

/** An error is justified when what must be sent at least does not fit: system, tools, last user message, a stub of the newest group. */
function isJustified(output: Extract<BuildOutput, { ok: false }>, history: readonly MetonaMessage[], input: Case, fixed: number): boolean {
  if (output.reason !== 'irreducible') return false
  const newest = history.findLastIndex((message) => message.role !== 'tool')
  const group = history.slice(newest)
  const floor =
    fixed +
    counter.count(lastUserText(history)) +
    400 +
    group.reduce((sum, message) => sum + 120 + 60 * (message.toolCalls?.length ?? 0), 0)
  return (
    floor > inputLimit(input.window) &&
    output.parts.length > 0 &&
    output.message.includes(output.parts[0]?.name ?? '?') &&
    output.parts.every((part, index) => index === 0 || part.tokens <= (output.parts[index - 1]?.tokens ?? 0))
  )
}

interface Outcome {
  skipped: boolean
  compacted: boolean
  faults: string[]
}

async function check(input: Case, system: string, fixed: number): Promise<Outcome> {
  const history = historyOf(input)
  const options = { workspace, contextWindow: input.window, maxOutput: 100_000, contextBudget: 1_000_000, tools: TOOLS }
  const run = async (): Promise<{ driver: SessionDriver; first: BuildOutput; step?: CompactionStep; second?: BuildOutput }> => {
    const driver = new SessionDriver(options)
    const first = await driver.build(history)
    if (!first.ok) return { driver, first }
    const step = await driver.compact('automatic', summarise(input))
    return { driver, first, step, second: await driver.build(history) }
  }
  const { driver, first, step, second } = await run()
  if (!first.ok)
    return {
      skipped: true,
      compacted: false,
      faults: isJustified(first, history, input, fixed) ? [] : [`unjustified: ${JSON.stringify(first)}`],
    }
  const faults = faultsOf(first, history, input, system)
  if (second?.ok !== true || step === undefined)
    return { skipped: false, compacted: false, faults: [...faults, `second build failed: ${JSON.stringify(second)}`] }
  faults.push(...faultsOf(second, history, input, system).map((fault) => `after compaction: ${fault}`))
  if (step.kind === 'applied' && step.record.tokensAfter > step.record.tokensBefore * 0.9) faults.push('accepted without a gain')
  if (step.kind === 'nothing' && JSON.stringify(first.request.messages) !== JSON.stringify(second.request.messages))
    faults.push('changed although nothing was to be done')

  const again = await run()
  if (again.second?.ok !== true || JSON.stringify(again.second.request.messages) !== JSON.stringify(second.request.messages))
    faults.push('not deterministic')

  const third = await driver.build(history)
  if (!third.ok || JSON.stringify(third.request.messages) !== JSON.stringify(second.request.messages))
    faults.push('building again changed the request')
  const repeated = await driver.compact('manual', summarise(input))
  const fourth = await driver.build(history)
  if (!fourth.ok || textTokens(fourth.request) > textTokens(second.request))
    faults.push(`compacting again made it larger (${repeated.kind})`)

  const record = step.kind === 'applied' ? step.record : (first.compaction ?? second.compaction)
  if (record !== undefined) {
    const restored = await new SessionDriver(options).build(history, { compaction: record.state })
    if (!restored.ok || JSON.stringify(restored.request.messages) !== JSON.stringify(second.request.messages))
      faults.push('the stored state makes other bytes')
  }
  driver.forget()
  again.driver.forget()
  return { skipped: false, compacted: record !== undefined, faults }
}

describe('requests', () => {
  test(
    `${CASES} histories, also damaged ones: within the window or a justified error, paired, verbatim, deterministic, idempotent`,
    async () => {
      const plain = await new SessionDriver({ workspace, tools: TOOLS }).mustBuild([
        { role: 'user', content: 'x', timestamp: 1, id: 'm_1' },
      ])
      const system = JSON.stringify(plain.request.systemPrompt)
      const counts = { skipped: 0, compacted: 0, all: 0 }
      await fc.assert(
        fc.asyncProperty(cases, async (input) => {
          const outcome = await check(input, system, plain.context.estimatedTokens)
          counts.all++
          if (outcome.skipped) counts.skipped++
          if (outcome.compacted) counts.compacted++
          if (outcome.faults.length > 0) throw new Error(outcome.faults.join('; '))
        }),
        { numRuns: CASES, seed: 20_260_625 },
      )
      expect({ skippedLessThanAFifth: counts.skipped < counts.all * 0.2, manyCompacted: counts.compacted > counts.all * 0.2 }).toEqual({
        skippedLessThanAFifth: true,
        manyCompacted: true,
      })
    },
    PATIENCE,
  )

  test(
    'below the triggers each request is a byte prefix of the next',
    async () => {
      let compared = 0
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), async (seed) => {
          const maker = new HistoryMaker(seed)
          const driver = new SessionDriver({ workspace, contextWindow: 60_000, maxOutput: 4_000, tools: TOOLS })
          let before: Built | undefined
          for (let turn = 0; turn < 5; turn++) {
            maker.user(maker.text(1 + maker.below(400)))
            for (let step = 0; step < 3; step++) {
              const built = await driver.mustBuild(maker.messages)
              if (
                before !== undefined &&
                before.compaction === undefined &&
                built.compaction === undefined &&
                (built.context.budgetRatio ?? 1) < 0.6
              ) {
                compared++
                const head = (request: MetonaRequest): string => JSON.stringify([request.systemPrompt, request.tools, request.messages])
                if (!head(built.request).startsWith(head(before.request).slice(0, -2)))
                  throw new Error(`turn ${turn}, step ${step}: not a prefix`)
              }
              before = built
              if (step < 2) maker.toolStep([1 + maker.below(1_500)])
              else maker.assistant(maker.text(100))
            }
          }
          driver.forget()
        }),
        { numRuns: proof(300, 40), seed: 7 },
      )
      expect(compared).toBeGreaterThan(proof(300, 40) * 5)
    },
    PATIENCE,
  )

  test('control: damaged histories sent as they are break the pairing', () => {
    const faulty = fc.sample(cases, { numRuns: 60, seed: 3 }).filter((input) => pairingFault(historyOf(input)) !== undefined)
    expect(faulty.length).toBeGreaterThan(10)
  })
})
