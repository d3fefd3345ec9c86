/** Whether a prepared call runs, is denied or must be asked about: the person's rules, then the mode by risk class, then what was allowed before. */
import type { DecisionMaker, PermissionMode } from '#contracts/session/session-enums.ts'
import type { ApprovalReason, ApprovalReasonCode } from '#contracts/tools/approval-reasons.ts'
import type { PermissionRule } from '#contracts/tools/permission-rule.ts'
import type { PreparedCall, RiskClass } from '#contracts/tools/prepared-call.ts'
import { matchRules } from './match-rules.ts'

export type ApprovalPolicy =
  | { readonly kind: 'allow'; readonly by: DecisionMaker; readonly reason: ApprovalReason }
  | { readonly kind: 'deny'; readonly by: DecisionMaker; readonly reason: ApprovalReason }
  | { readonly kind: 'ask'; readonly reason: ApprovalReason }

const ALLOWED_BY_MODE: Readonly<Record<PermissionMode, readonly RiskClass[]>> = {
  plan: ['read', 'session'],
  ask: ['read', 'session'],
  auto_edit: ['read', 'session', 'edit'],
  full_access: ['read', 'session', 'edit', 'execute', 'network'],
}
const MODE_REASON = {
  plan: 'mode_plan',
  ask: 'mode_ask',
  auto_edit: 'mode_auto_edit',
  full_access: 'mode_full_access',
} as const satisfies Record<PermissionMode, ApprovalReasonCode>

/** What is not asked about where the sandbox holds the command. */
export const HELD_BY_SANDBOX: readonly string[] = ['command_unclear', 'files_unbound'] satisfies ApprovalReasonCode[]

export interface ApprovalCircumstances {
  readonly mode: PermissionMode
  readonly rules: readonly PermissionRule[]
  /** The person lets commands that only look run without a question. */
  readonly harmlessRuns: boolean
  /** The person allowed exactly this before. */
  readonly granted: boolean
  /** False where nobody can be asked: what would ask is denied. */
  readonly interactive: boolean
}

export function decideApproval(
  tool: string,
  call: Extract<PreparedCall, { ok: true }>,
  { mode, rules, harmlessRuns, granted, interactive }: ApprovalCircumstances,
): ApprovalPolicy {
  const byMode: ApprovalReason = { code: MODE_REASON[mode] }
  const ask = (reason: ApprovalReason): ApprovalPolicy =>
    interactive ? { kind: 'ask', reason } : { kind: 'deny', by: 'non_interactive', reason }
  const allowedByMode = ALLOWED_BY_MODE[mode].includes(call.risk)

  const spoken = matchRules(rules, tool, call)
  if (spoken?.effect === 'deny') return { kind: 'deny', by: 'rule', reason: { code: 'rule_deny', params: { rule: spoken.rule } } }
  if (spoken?.effect === 'unclear') {
    const reason = { code: 'rule_unclear', params: { rule: spoken.rule, what: call.mustAsk?.params?.['what'] ?? 'character' } }
    return mode === 'plan' || mode === 'full_access' ? { kind: 'deny', by: 'rule', reason } : ask(reason)
  }
  if (mode === 'full_access') return { kind: 'allow', by: 'mode', reason: byMode }
  const ruleAsks: ApprovalReason | undefined = spoken?.effect === 'ask' ? { code: 'rule_ask', params: { rule: spoken.rule } } : undefined
  if (mode === 'plan') {
    const reason = (allowedByMode ? (call.mustAsk ?? ruleAsks) : undefined) ?? byMode
    return reason === byMode && allowedByMode ? { kind: 'allow', by: 'mode', reason } : { kind: 'deny', by: 'mode', reason }
  }
  // The sandbox is the boundary: whatever a command starts in it changes nothing outside the folder. What it reads goes to the model all the same.
  const inSandbox = mode === 'auto_edit' && call.sandboxed === true
  const held = inSandbox && call.reveals === undefined
  const mustAsk = (held && HELD_BY_SANDBOX.includes(call.mustAsk?.code ?? '') ? undefined : call.mustAsk) ?? ruleAsks
  if (mustAsk !== undefined) return ask(inSandbox ? (call.reveals ?? mustAsk) : mustAsk)
  if (allowedByMode) return { kind: 'allow', by: 'mode', reason: byMode }
  if (held) return { kind: 'allow', by: 'mode', reason: { code: 'sandboxed' } }
  if (harmlessRuns && call.harmless === true) return { kind: 'allow', by: 'rule', reason: { code: 'harmless' } }
  if (spoken?.effect === 'allow') return { kind: 'allow', by: 'rule', reason: { code: 'rule_allow', params: { rule: spoken.rule } } }
  if (call.preapproved === true) return { kind: 'allow', by: 'grant', reason: { code: 'granted_tool' } }
  if (granted) return { kind: 'allow', by: 'grant', reason: grantReason(call.grantPrefix) }
  return ask(inSandbox ? (call.reveals ?? byMode) : byMode)
}

function grantReason(prefix: string | undefined): ApprovalReason {
  return prefix === undefined ? { code: 'granted_edits' } : { code: 'granted', params: { prefix } }
}
