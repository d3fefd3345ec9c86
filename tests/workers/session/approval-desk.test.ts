import { expect, test } from 'vitest'
import { ApprovalDesk } from '#workers/session/approval-desk.ts'
import { WITHDRAWN } from '#workers/session/domain/turn-ports.ts'

const HOUR_MS = 3_600_000
const question = { toolCallId: 'tc_1', argumentsHash: 'h' }
const answer = (decision: 'allow' | 'deny', argumentsHash = 'h') => ({
  toolCallId: 'tc_1',
  argumentsHash,
  decision,
  scope: 'once' as const,
  reason: undefined,
})
const never = new AbortController().signal

function codeOf(run: () => void): string {
  try {
    run()
    return 'none'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('the first answer wins, the second is told by whom and how it was answered', async () => {
  const desk = new ApprovalDesk()
  const asked = desk.ask(question, HOUR_MS, never)
  desk.answer(answer('allow'))
  expect(() => desk.answer(answer('deny'))).toThrow(
    expect.objectContaining({ code: 'APPROVAL_GONE', params: expect.objectContaining({ decision: 'allow', by: 'user' }) }),
  )
  expect(await asked).toMatchObject({ decision: 'allow', by: 'user' })
})

test('an answer to other arguments than the ones shown decides nothing', async () => {
  const desk = new ApprovalDesk()
  const asked = desk.ask(question, HOUR_MS, never)
  expect(codeOf(() => desk.answer(answer('allow', 'other')))).toBe('APPROVAL_MISMATCH')
  desk.answer(answer('deny'))
  expect(await asked).toMatchObject({ decision: 'deny' })
})

test('silence is a denial by timeout, not by the person', async () => {
  expect(await new ApprovalDesk().ask(question, 5, never)).toMatchObject({ decision: 'deny', by: 'timeout' })
})

test('Stop settles an open question', async () => {
  const controller = new AbortController()
  const asked = new ApprovalDesk().ask(question, HOUR_MS, controller.signal)
  controller.abort()
  expect(await asked).toMatchObject({ decision: 'deny', reason: 'stopped' })
})

test('a question that is withdrawn is closed by who asked, not by the person', async () => {
  const controller = new AbortController()
  const asked = new ApprovalDesk().ask(question, HOUR_MS, controller.signal)
  controller.abort(WITHDRAWN)
  expect(await asked).toMatchObject({ decision: 'deny', by: 'asker', reason: 'withdrawn' })
})

test('a question nobody asked cannot be answered', () => {
  expect(codeOf(() => new ApprovalDesk().answer(answer('allow')))).toBe('APPROVAL_GONE')
})
