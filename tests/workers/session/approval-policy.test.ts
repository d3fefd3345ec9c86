import { expect, test } from 'vitest'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import type { RiskClass } from '#contracts/tools/tools-service.ts'
import { decideApproval } from '#workers/session/domain/approval-policy.ts'

const risks: RiskClass[] = ['read', 'session', 'edit', 'execute', 'network']
/** a = allow, d = deny, ? = ask; columns as in `risks`. */
const TABLE: Record<PermissionMode, string> = { plan: 'aaddd', ask: 'aa???', auto_edit: 'aaa??', full_access: 'aaaaa' }

const prepared = (risk: RiskClass, mustAsk?: string) => ({
  ok: true as const,
  risk,
  argumentsHash: 'h',
  display: 'd',
  ...(mustAsk === undefined ? {} : { mustAsk }),
})

for (const [mode, row] of Object.entries(TABLE) as [PermissionMode, string][]) {
  test(`${mode}: by risk class`, () => {
    const got = risks.map((risk) => ({ allow: 'a', deny: 'd', ask: '?' })[decideApproval(mode, prepared(risk), false, true).kind]).join('')
    expect(got).toBe(row)
  })
}

test('a reason to ask outweighs a mode that would allow, and a grant', () => {
  expect(decideApproval('auto_edit', prepared('read', 'outside the workspace'), true, true)).toEqual({
    kind: 'ask',
    reason: 'outside the workspace',
  })
})

test('a reason to ask is a denial in plan mode, where nothing asks', () => {
  expect(decideApproval('plan', prepared('read', 'outside the workspace'), false, true).kind).toBe('deny')
})

test('full access never asks', () => {
  expect(decideApproval('full_access', prepared('execute', 'cannot be parsed'), false, false)).toMatchObject({ kind: 'allow', by: 'mode' })
})

test('a grant answers what the mode would ask', () => {
  expect(decideApproval('ask', prepared('execute'), true, false)).toMatchObject({ kind: 'allow', by: 'grant' })
})
