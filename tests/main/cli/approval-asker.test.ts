import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionEvent, SessionEventDraft } from '#contracts/session/session-event.ts'
import { askForApproval, type ApprovalAsker } from '#main/cli/approval-asker.ts'
import { messagesEn } from '#main/cli/messages-en.ts'
import { eventually } from '#tests/helpers/eventually.ts'

let input: PassThrough
let screen: string[]
let answers: unknown[]
let asker: ApprovalAsker

beforeEach(() => {
  input = new PassThrough()
  screen = []
  answers = []
  const call = ((_method: string, params: unknown) => {
    answers.push(params)
    return Promise.resolve({})
  }) as never
  asker = askForApproval({
    language: 'en',
    text: messagesEn,
    client: { call },
    input,
    say: (line) => screen.push(line),
    ask: (question) => screen.push(question),
  })
})
afterEach(() => asker.close())

function event(draft: SessionEventDraft): SessionEvent {
  return { seq: 0, ts: '', sessionId: 's_one', eventId: 'e', ...draft } as SessionEvent
}
const request = (id: string, display = 'rm -rf build', offered: { grantPrefix?: string; sessionGrant?: 'edits' } = {}): SessionEvent =>
  event({
    ...offered,
    event: 'permission_request',
    iteration: 1,
    tool: 'run_command',
    toolCallId: id,
    argumentsHash: `hash of ${id}`,
    display,
    risk: 'execute',
    reason: 'command_unclear',
    reasonParams: { what: 'variable' },
    turn: 1,
  })
const settled = (id: string): SessionEvent =>
  event({ event: 'permission', iteration: 1, tool: 'run_command', toolCallId: id, decision: 'deny', by: 'timeout', reason: '', turn: 1 })

test('shows the whole call, and answers with what was shown', async () => {
  asker.event(request('tc_1', 'line one\nline two\u001b[2J'))
  expect(screen).toEqual([
    'run_command asks to run (what the command starts cannot be told beforehand: it holds a variable):',
    '  line one',
    '  line two[2J',
    messagesEn.approvalQuestion,
  ])
  input.write('y\n')
  await eventually('the answer', () => answers.length === 1)
  expect(answers).toEqual([{ sessionId: 's_one', toolCallId: 'tc_1', argumentsHash: 'hash of tc_1', decision: 'allow', scope: 'once' }])
})

const PREFIX = { grantPrefix: 'rm -rf build' }
const EDITS = { sessionGrant: 'edits' } as const

test.each([
  ['s', PREFIX, { decision: 'allow', scope: 'session' }],
  ['a', PREFIX, { decision: 'allow', scope: 'always' }],
  ['s', EDITS, { decision: 'allow', scope: 'session' }],
  ['n', {}, { decision: 'deny' }],
  ['', {}, { decision: 'deny' }],
])('%j where %j is offered means %j', async (line, offered, expected) => {
  asker.event(request('tc_1', 'x', offered))
  input.write(`${line}\n`)
  await eventually('the answer', () => answers.length === 1)
  expect(answers).toEqual([{ sessionId: 's_one', toolCallId: 'tc_1', argumentsHash: 'hash of tc_1', ...expected }])
})

test.each([
  ['perhaps', {}],
  ['s', {}],
  ['a', {}],
  ['a', EDITS],
])('%j is no answer where %j is offered: it is asked again', async (line, offered) => {
  asker.event(request('tc_1', 'x', offered))
  const { approvalQuestion, approvalQuestionEdits } = messagesEn
  const question = offered === EDITS ? approvalQuestionEdits : approvalQuestion
  input.write(`${line}\n`)
  await eventually('the question again', () => screen.filter((shown) => shown === question).length === 2)
  expect(answers).toEqual([])
})

test('one question at a time, in order', async () => {
  asker.event(request('tc_1', 'first'))
  asker.event(request('tc_2', 'second'))
  expect(screen).not.toContain('  second')
  input.write('y\nn\n')
  await eventually('both answers', () => answers.length === 2)
  expect(answers).toMatchObject([
    { toolCallId: 'tc_1', decision: 'allow' },
    { toolCallId: 'tc_2', decision: 'deny' },
  ])
})

test('a question that was settled elsewhere is taken back, the next one is put', async () => {
  asker.event(request('tc_1', 'first'))
  asker.event(request('tc_2', 'second'))
  asker.event(settled('tc_1'))
  expect(screen).toContain('  second')
  input.write('y\n')
  await eventually('the answer', () => answers.length === 1)
  expect(answers).toMatchObject([{ toolCallId: 'tc_2', decision: 'allow' }])
})

test('nothing is read from the terminal while nothing is asked', async () => {
  expect(input.listenerCount('data') + input.listenerCount('readable')).toBe(0)
  asker.event(request('tc_1'))
  input.write('y\n')
  await eventually('the answer', () => answers.length === 1)
  expect(input.isPaused()).toBe(true)
})

test.each([
  ['2', { decision: 'allow', answer: 'blue' }],
  ['green, please', { decision: 'allow', answer: 'green, please' }],
  ['7', { decision: 'allow', answer: '7' }],
  ['', { decision: 'deny' }],
])('a question of the model answered with %j', async (line, expected) => {
  asker.event({ ...request('tc_1'), question: { text: 'Which colour?', options: ['red', 'blue'] } } as SessionEvent)
  expect(screen).toEqual(['Which colour?', '  1  red', '  2  blue', messagesEn.answerPrompt])
  input.write(`${line}\n`)
  await eventually('the answer', () => answers.length === 1)
  expect(answers).toEqual([{ sessionId: 's_one', toolCallId: 'tc_1', argumentsHash: 'hash of tc_1', ...expected }])
})
