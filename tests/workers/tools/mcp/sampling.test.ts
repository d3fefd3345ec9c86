/** What a server's wish for an answer of the model must be like, and whose it is. */
import { expect, test } from 'vitest'
import type { CreateMessageRequest } from '@modelcontextprotocol/sdk/types.js'
import type { SamplingRequest } from '#contracts/tools/sampling-port.ts'
import type { Asker } from '#workers/tools/mcp/elicitation.ts'
import { Sampler } from '#workers/tools/mcp/sampling.ts'

type Params = CreateMessageRequest['params']
const text = (words: string, more: Partial<Params> = {}): Params => ({
  messages: [{ role: 'user', content: { type: 'text', text: words } }],
  maxTokens: 10,
  ...more,
})

interface Person {
  readonly asker: Asker
  readonly asked: string[]
  readonly sent: SamplingRequest[]
  readonly stop: AbortController
}

function person(sessionId: string, answer: () => Promise<string | undefined> = () => Promise.resolve('yes')): Person {
  const asked: string[] = []
  const sent: SamplingRequest[] = []
  const stop = new AbortController()
  const asker: Asker = {
    sessionId,
    asked: 0,
    signal: stop.signal,
    ask: (question) => (asked.push(question.text), answer()),
    sampling: { sample: (request) => (sent.push(request as SamplingRequest), Promise.resolve({ text: 'said', model: 'm', cut: true })) },
  }
  return { asker, asked, sent, stop }
}

const never = new AbortController().signal
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'answered',
    (error: { code: number }) => error.code,
  )

test('an answer names the model and says that it was cut', async () => {
  const { asker, asked, sent } = person('s_1')
  const answer = await new Sampler('one').sample(text('hi', { maxTokens: 1e9, temperature: 9, stopSequences: ['a\nb'] }), [asker], never)
  expect(answer).toEqual({ role: 'assistant', content: { type: 'text', text: 'said' }, model: 'm', stopReason: 'maxTokens' })
  expect(sent).toEqual([{ systemPrompt: '', messages: [{ role: 'user', text: 'hi' }], maxTokens: 4096, temperature: 2, stop: ['a\nb'] }])
  // All that goes to the model is on the card.
  expect(asked).toEqual(['[user]\nhi\n\n[stop]\n"a\\nb"'])
})

test.each([
  ['without a call', []],
  ['of two sessions', [person('s_1').asker, person('s_2').asker]],
])('nobody is asked for a request %s', async (_name, askers) => {
  expect(await codeOf(new Sampler('one').sample(text('hi'), askers, never))).toBe(-1)
})

test.each<[string, Params]>([
  ['an image', { messages: [{ role: 'user', content: { type: 'image', data: '', mimeType: 'image/png' } }], maxTokens: 1 }],
  ['more text than a person reads', text('x'.repeat(50_001))],
  ['a stop string of such a length', text('hi', { stopSequences: ['x'.repeat(50_000)] })],
  ['no message', { messages: [], maxTokens: 1 }],
  ['tools', text('hi', { tools: [{ name: 'a', inputSchema: { type: 'object' } }] })],
])('%s is refused before anybody is asked', async (_name, params) => {
  const { asker, asked, sent } = person('s_1')
  expect([await codeOf(new Sampler('one').sample(params, [asker], never)), asked, sent]).toEqual([-32602, [], []])
})

test('one at a time, and ten in one call', async () => {
  const waiting: ((text: string) => void)[] = []
  const { asker, asked } = person('s_1', () => new Promise((resolve) => waiting.push(resolve)))
  const sampler = new Sampler('one')
  const answers = Array.from({ length: 12 }, (_, index) => codeOf(sampler.sample(text(`request ${index}`), [asker], never)))
  // Those beyond the tenth wait for nobody.
  expect(await Promise.all(answers.slice(10))).toEqual([-1, -1])
  for (let index = 0; index < 10; index += 1) {
    await expect.poll(() => asked.length).toBe(index + 1)
    waiting[index]?.('yes')
  }
  expect(await Promise.all(answers)).toEqual([...Array.from({ length: 10 }, () => 'answered'), -1, -1])
})

test('stopped while the person thinks: a late yes sends nothing', async () => {
  const held = Promise.withResolvers<string>()
  const { asker, sent, stop } = person('s_1', () => held.promise)
  const answer = codeOf(new Sampler('one').sample(text('hi'), [asker], never))
  stop.abort()
  held.resolve('yes')
  expect([await answer, sent]).toEqual([-1, []])
})

test('a request that waits stays the session’s whose call it came in', async () => {
  const held = Promise.withResolvers<string>()
  const first = person('s_1', () => held.promise)
  const other = person('s_2')
  const askers = [first.asker]
  const sampler = new Sampler('one')
  const answers = [codeOf(sampler.sample(text('one'), askers, never)), codeOf(sampler.sample(text('two'), askers, never))]
  askers[0] = other.asker
  held.resolve('yes')
  expect([await Promise.all(answers), first.sent.length, other.asked, other.sent]).toEqual([['answered', 'answered'], 2, [], []])
})

test('who stopped is not waited for by the next', async () => {
  const { asker, asked, stop } = person('s_1', () => new Promise(() => undefined))
  const sampler = new Sampler('one')
  const stuck = codeOf(sampler.sample(text('one'), [asker], never))
  const next = codeOf(sampler.sample(text('two'), [person('s_1').asker], never))
  await expect.poll(() => asked.length).toBe(1)
  stop.abort()
  expect(await Promise.all([stuck, next])).toEqual([-1, 'answered'])
})
