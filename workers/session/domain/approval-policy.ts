/** Whether a prepared call runs, is denied or must be asked about. Modes by risk class; a reason to ask outweighs the mode. */
import type { DecisionMaker, PermissionMode } from '#contracts/session/session-enums.ts'
import type { PreparedCall, RiskClass } from '#contracts/tools/tools-service.ts'

export type ApprovalPolicy =
  | { readonly kind: 'allow'; readonly by: DecisionMaker; readonly reason: string }
  | { readonly kind: 'deny'; readonly by: DecisionMaker; readonly reason: string }
  | { readonly kind: 'ask'; readonly reason: string }

const ALLOWED_BY_MODE: Readonly<Record<PermissionMode, readonly RiskClass[]>> = {
  plan: ['read', 'session'],
  ask: ['read', 'session'],
  auto_edit: ['read', 'session', 'edit'],
  full_access: ['read', 'session', 'edit', 'execute', 'network'],
}

/**
 * @param hasGrant a grant of the person covers exactly this call.
 * @param interactive false where nobody can be asked: what would ask is denied.
 */
export function decideApproval(
  mode: PermissionMode,
  call: Extract<PreparedCall, { ok: true }>,
  hasGrant: boolean,
  interactive: boolean,
): ApprovalPolicy {
  const allowedByMode = ALLOWED_BY_MODE[mode].includes(call.risk)
  if (mode === 'full_access') return { kind: 'allow', by: 'mode', reason: 'full_access' }
  if (mode === 'plan') {
    if (allowedByMode && call.mustAsk === undefined) return { kind: 'allow', by: 'mode', reason: 'plan' }
    return { kind: 'deny', by: 'mode', reason: call.mustAsk ?? `plan mode only reads; ${call.risk} is not allowed` }
  }
  if (call.mustAsk === undefined && allowedByMode) return { kind: 'allow', by: 'mode', reason: mode }
  if (call.mustAsk === undefined && hasGrant) return { kind: 'allow', by: 'grant', reason: call.grantPrefix ?? call.sessionGrant ?? '' }
  const reason = call.mustAsk ?? `${call.risk} asks in ${mode} mode`
  return interactive ? { kind: 'ask', reason } : { kind: 'deny', by: 'non_interactive', reason }
}
