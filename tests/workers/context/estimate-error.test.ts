/** Estimate against report, from the second request of a session on, with a provider that counts its own way. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import { proof } from '#tests/helpers/proof.ts'
import { tokenStatsOf } from '#contracts/context/token-stats.ts'
import type { ModelAccount } from '#contracts/context/token-report.ts'
import { report } from '#workers/context/entry.ts'
import { HistoryMaker } from './make-history.ts'
import { referenceTokenizer } from './reference-tokenizers.ts'
import { makeWorkspace, SessionDriver, type Built } from './session-driver.ts'

const SESSIONS = proof(40, 6)
const TURNS = 25
const PATIENCE = proof(900_000, 180_000)

type Count = (text: string) => number
let deepseek: Count
let qwen: Count
let workspace: string
const accounts = new Map<string, ModelAccount>()
let remove: () => Promise<void>

beforeAll(async () => {
  deepseek = await referenceCounter('deepseek')
  qwen = await referenceCounter('qwen')
  ;({ path: workspace, remove } = await makeWorkspace({ 'AGENTS.md': '先读再改。\nKeep functions small.' }))
})
afterAll(() => remove())

async function referenceCounter(name: 'deepseek' | 'qwen'): Promise<Count> {
  const tokenizer = await referenceTokenizer(name)
  const known = new Map<string, number>()
  return (text) => {
    let tokens = known.get(text)
    if (tokens === undefined) {
      tokens = tokenizer.encode(text, { add_special_tokens: false }).length
      known.set(text, tokens)
    }
    return tokens
  }
}

const TOOLS = ['read_file', 'write_file', 'search_text'].map((name) => ({
  name,
  description: `${name} works on files of the workspace and returns text`,
  parameters: { type: 'object', properties: { file_path: { type: 'string', description: 'path of the file' } }, required: ['file_path'] },
}))

/** The provider's prompt: its own wrappers, a hidden preamble, calls written as markup. */
function promptTokens(request: MetonaRequest, count: Count): number {
  let tokens = 417 + count(Object.values(request.systemPrompt).join('\n\n'))
  for (const tool of request.tools ?? []) tokens += 9 + count(JSON.stringify(tool))
  for (const message of request.messages) {
    if (message.toolResult !== undefined) tokens += 11 + count(message.toolResult.summary ?? String(message.toolResult.result))
    else tokens += (message.role === 'user' ? 4 : 2) + count(message.content) + callTokens(message.toolCalls ?? [], count)
  }
  return tokens
}

function callTokens(calls: readonly { name: string; args: Record<string, unknown> }[], count: Count): number {
  return calls.reduce(
    (sum, call) =>
      sum +
      16 +
      count(
        `<invoke name="${call.name}">${Object.entries(call.args)
          .map(([key, value]) => `<parameter name="${key}" string="true">${String(value)}</parameter>`)
          .join('')}</invoke>`,
      ),
    0,
  )
}

async function play(seed: number, target: { provider: string; model: string }, count: Count): Promise<number[]> {
  const maker = new HistoryMaker(seed)
  const driver = new SessionDriver({ workspace, ...target, tools: TOOLS })
  const errors: number[] = []
  let requests = 0
  let reported = 0
  const request = async (): Promise<Built> => {
    const built = await driver.mustBuild(maker.messages)
    reported = promptTokens(built.request, count)
    if (requests++ > 0) errors.push((built.context.estimatedTokens - reported) / reported)
    return built
  }
  const answer = (built: Built): void => {
    const reply = maker.messages.findLast((message) => message.role === 'assistant')
    const outputTokens = reply === undefined ? 0 : 1 + count(reply.content) + callTokens(reply.toolCalls ?? [], count)
    const { account } = report({
      sessionId: driver.sessionId,
      requestId: built.request.meta.requestId,
      usage: { inputTokens: reported, outputTokens, totalTokens: 0 },
    })
    if (account !== undefined) accounts.set(account.model, account)
  }
  for (let turn = 0; turn < TURNS; turn++) {
    maker.user(maker.text(20 + maker.below(400)))
    for (let step = maker.below(4); step > 0; step--) {
      const built = await request()
      maker.toolStep(maker.below(5) === 0 ? [maker.below(9_000), 400] : [maker.below(1_500)])
      answer(built)
    }
    const built = await request()
    maker.assistant(maker.text(40 + maker.below(900)))
    answer(built)
  }
  driver.forget()
  return errors
}

function percentile(errors: readonly number[], share: number): number {
  const sizes = errors.map(Math.abs).toSorted((left, right) => left - right)
  return sizes[Math.min(sizes.length - 1, Math.ceil(sizes.length * share) - 1)] ?? 0
}

describe('estimated against reported', () => {
  test(
    `DeepSeek, ${SESSIONS} sessions of ${TURNS} turns: within 2 % in 95 of 100 cases, never off by more than 5 %`,
    async () => {
      const errors: number[] = []
      for (let seed = 1; seed <= SESSIONS; seed++)
        errors.push(...(await play(seed, { provider: 'deepseek', model: 'deepseek-v4-pro' }, deepseek)))
      expect({
        enough: errors.length > SESSIONS * TURNS,
        p95: percentile(errors, 0.95) <= 0.02,
        worst: percentile(errors, 1) <= 0.05,
      }).toEqual({ enough: true, p95: true, worst: true })
    },
    PATIENCE,
  )

  test(
    'a model of unknown tokenizer: within 5 % in 95 of 100 cases',
    async () => {
      const errors: number[] = []
      for (let seed = 101; seed <= 100 + SESSIONS; seed++)
        errors.push(...(await play(seed, { provider: 'openai-compatible', model: 'mystery-1' }, qwen)))
      expect({ p95: percentile(errors, 0.95) <= 0.05, worst: percentile(errors, 1) <= 0.25 }).toEqual({ p95: true, worst: true })
    },
    PATIENCE,
  )

  test('the error is kept per model', () => {
    const models = [...accounts.values()].map(tokenStatsOf)
    expect(
      models.map((model) => ({
        model: model.model,
        reported: model.reports > SESSIONS * TURNS,
        honest: model.p95Error < 0.05 && model.worstError >= model.p95Error && model.meanError <= model.p95Error,
      })),
    ).toEqual([
      { model: 'deepseek-v4-pro', reported: true, honest: true },
      { model: 'mystery-1', reported: true, honest: true },
    ])
  })

  test('control: without reports the hidden overhead shows', async () => {
    const maker = new HistoryMaker(7)
    const driver = new SessionDriver({ workspace, provider: 'other', model: 'silent', tools: TOOLS })
    const errors: number[] = []
    for (let turn = 0; turn < TURNS; turn++) {
      maker.user(maker.text(200))
      const built = await driver.mustBuild(maker.messages)
      const reported = promptTokens(built.request, deepseek)
      errors.push((built.context.estimatedTokens - reported) / reported)
      maker.toolStep([300])
    }
    expect(percentile(errors, 0.95)).toBeGreaterThan(0.05)
  })

  test('a number that cannot be the whole prompt is not taken for it', async () => {
    const maker = new HistoryMaker(8)
    maker.user(maker.text(20_000))
    const driver = new SessionDriver({ workspace, provider: 'ollama', model: 'llama3.3' })
    const built = await driver.mustBuild(maker.messages)
    const answer = report({
      sessionId: driver.sessionId,
      requestId: built.request.meta.requestId,
      usage: { inputTokens: 60, outputTokens: 10, totalTokens: 70 },
    })
    maker.assistant('ok')
    maker.user('more')
    const next = await driver.mustBuild(maker.messages)
    expect([answer.used, next.context.estimatedTokens >= built.context.estimatedTokens]).toEqual([false, true])
  })
})
