import { describe, expect, test } from 'vitest'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import type { PermissionRule } from '#contracts/tools/permission-rule.ts'
import type { PreparedCall, RiskClass } from '#contracts/tools/prepared-call.ts'
import { decideApproval, type ApprovalCircumstances, type ApprovalPolicy } from '#workers/session/domain/approval-policy.ts'

type Prepared = Extract<PreparedCall, { ok: true }>
const risks: RiskClass[] = ['read', 'session', 'edit', 'execute', 'network']
const MODES: PermissionMode[] = ['plan', 'ask', 'auto_edit', 'full_access']
/** a = allow, d = deny, ? = ask; columns as in `risks`. */
const TABLE: Record<PermissionMode, string> = { plan: 'aaddd', ask: 'aa???', auto_edit: 'aaa??', full_access: 'aaaaa' }
const LETTER = { allow: 'a', deny: 'd', ask: '?' }
const OUTSIDE = { code: 'outside_workspace', params: { path: '/x' } }

const prepared = (risk: RiskClass, more: Partial<Prepared> = {}): Prepared => ({
  ok: true,
  risk,
  argumentsHash: 'h',
  display: 'd',
  ...more,
})
const decide = (mode: PermissionMode, call: Prepared, more: Partial<ApprovalCircumstances> = {}): ApprovalPolicy =>
  decideApproval('run_command', call, { mode, rules: [], harmlessRuns: false, granted: false, interactive: true, ...more })

for (const mode of MODES) {
  test(`${mode}: by risk class`, () => {
    expect(risks.map((risk) => LETTER[decide(mode, prepared(risk)).kind]).join('')).toBe(TABLE[mode])
  })
}

test('a reason to ask outweighs a mode that would allow, a rule that would, and a grant', () => {
  const call = prepared('read', { mustAsk: OUTSIDE })
  const rules: PermissionRule[] = [{ effect: 'allow', tool: 'run_command' }]
  expect(decide('auto_edit', call, { granted: true, rules })).toEqual({ kind: 'ask', reason: OUTSIDE })
})

test('a reason to ask is a denial in plan mode, where nothing asks', () => {
  expect(decide('plan', prepared('read', { mustAsk: OUTSIDE }))).toEqual({ kind: 'deny', by: 'mode', reason: OUTSIDE })
})

test('full access never asks', () => {
  const rules: PermissionRule[] = [{ effect: 'ask', tool: '*' }]
  expect(decide('full_access', prepared('execute', { mustAsk: OUTSIDE, subjects: [] }), { rules, interactive: false })).toMatchObject({
    kind: 'allow',
    by: 'mode',
  })
})

test('a grant answers what the mode would ask', () => {
  const call = prepared('execute', { grantPrefix: 'npm test' })
  expect(decide('ask', call, { granted: true, interactive: false })).toEqual({
    kind: 'allow',
    by: 'grant',
    reason: { code: 'granted', params: { prefix: 'npm test' } },
  })
})

test('commands that only look run unasked only where the person wishes it, and never in plan mode', () => {
  const call = prepared('execute', { harmless: true })
  const kinds = (harmlessRuns: boolean): string => MODES.map((mode) => LETTER[decide(mode, call, { harmlessRuns }).kind]).join('')
  expect([kinds(false), kinds(true)]).toEqual(['d??a', 'daaa'])
})

describe('rules', () => {
  const command = (...texts: string[]): Prepared => prepared('execute', { subjects: texts.map((text) => ({ text })) })
  const unreadable = prepared('execute', { mustAsk: { code: 'command_unclear', params: { what: 'variable' } } })
  const ALLOW_TESTS: PermissionRule = { effect: 'allow', tool: 'run_command', match: 'npm test *' }
  const DENY_PUSH: PermissionRule = { effect: 'deny', tool: 'run_command', match: 'git push*' }
  const in_ = (mode: PermissionMode, rules: PermissionRule[], call: Prepared): string => LETTER[decide(mode, call, { rules }).kind]

  test.each<[string, Prepared, string]>([
    ['the command itself', command('npm test'), 'a'],
    ['with more words', command('npm test --watch x'), 'a'],
    ['another word', command('npm testx'), '?'],
    ['beside one that is not named', command('npm test', 'curl x'), '?'],
    ['beside one that only looks', prepared('execute', { subjects: [{ text: 'cd src', harmless: true }, { text: 'npm test' }] }), 'a'],
    ['nothing that could be read', unreadable, '?'],
    ['only programs that look: nothing is named', prepared('execute', { subjects: [{ text: 'ls', harmless: true }] }), '?'],
  ])('allow "npm test *": %s', (_what, call, expected) => {
    expect(in_('ask', [ALLOW_TESTS], call)).toBe(expected)
  })

  test('deny wins, over every mode and whatever stands before it', () => {
    const rules: PermissionRule[] = [{ effect: 'allow', tool: '*' }, { effect: 'ask', tool: '*' }, DENY_PUSH]
    expect(MODES.map((mode) => in_(mode, rules, command('ls', 'git push -f'))).join('')).toBe('dddd')
    expect(decide('full_access', command('git push'), { rules })).toEqual({
      kind: 'deny',
      by: 'rule',
      reason: { code: 'rule_deny', params: { rule: 'deny run_command git push*' } },
    })
  })

  test('a command that cannot be read may be what is forbidden: asked where somebody is asked, else refused', () => {
    expect(MODES.map((mode) => in_(mode, [DENY_PUSH], unreadable)).join('')).toBe('d??d')
    expect(decide('ask', unreadable, { rules: [DENY_PUSH] }).reason).toEqual({
      code: 'rule_unclear',
      params: { rule: 'deny run_command git push*', what: 'variable' },
    })
  })

  test('ask asks where the mode would allow', () => {
    const rules: PermissionRule[] = [{ effect: 'ask', tool: 'read_file', match: 'secrets/*' }]
    const read = (path: string): string =>
      decideApproval('read_file', prepared('read', { subjects: [{ text: path }] }), {
        mode: 'ask',
        rules,
        harmlessRuns: false,
        granted: false,
        interactive: true,
      }).kind
    expect([read('secrets/a/b.txt'), read('src/secrets/a')]).toEqual(['ask', 'allow'])
  })

  test('stars at several places, and a text written to make them slow', () => {
    const rules: PermissionRule[] = [{ effect: 'allow', tool: 'run_command', match: '*a*a*a*a*a*a*b' }]
    expect([in_('ask', rules, command('xaxaxaxaxaxaxb')), in_('ask', rules, command('a'.repeat(4000)))]).toEqual(['a', '?'])
  })

  test('signs of other pattern languages stand for themselves', () => {
    const rules: PermissionRule[] = [{ effect: 'allow', tool: 'run_command', match: 'a.c[x] (y)+' }]
    expect([in_('ask', rules, command('a.c[x] (y)+')), in_('ask', rules, command('abcx yy'))]).toEqual(['a', '?'])
  })
})

describe('in the sandbox', () => {
  const unclear = { code: 'command_unclear', params: { what: 'variable' } }
  const held = (more: Partial<Prepared> = {}): Prepared => prepared('execute', { sandboxed: true, ...more })

  test('auto_edit runs commands, also such as cannot be read, and says why', () => {
    const allowed = { kind: 'allow', by: 'mode', reason: { code: 'sandboxed' } }
    expect([decide('auto_edit', held()), decide('auto_edit', held({ mustAsk: unclear }))]).toEqual([allowed, allowed])
  })

  test('what names a secret or a place outside is asked about, and the person’s own word still lets it run', () => {
    const reveals = { code: 'may_hold_secrets', params: { path: '.env' } }
    const rules: PermissionRule[] = [{ effect: 'allow', tool: 'run_command' }]
    expect([
      decide('auto_edit', held({ reveals })),
      decide('auto_edit', held({ reveals, mustAsk: unclear })),
      decide('auto_edit', held({ reveals, subjects: [{ text: 'cat .env' }] }), { rules }).kind,
      decide('full_access', held({ reveals })).kind,
    ]).toEqual([{ kind: 'ask', reason: reveals }, { kind: 'ask', reason: reveals }, 'allow', 'allow'])
  })

  test('other reasons and the person’s own rules still ask, and other modes do', () => {
    const rules: PermissionRule[] = [{ effect: 'ask', tool: 'run_command' }]
    const kinds = [
      decide('auto_edit', held({ mustAsk: { code: 'hidden_characters' } })),
      decide('auto_edit', held({ subjects: [] }), { rules }),
      decide('auto_edit', prepared('execute', { sandboxed: false })),
      decide('ask', held()),
    ].map((policy) => policy.kind)
    expect(kinds).toEqual(['ask', 'ask', 'ask', 'ask'])
  })
})
