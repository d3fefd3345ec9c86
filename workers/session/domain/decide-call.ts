/** One prepared call to its decision: policy, then the person where it asks, on record before anything runs. */
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import { approvalReasonText, type ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import { sandboxText } from '#contracts/tools/sandbox-state.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import { decideApproval, type ApprovalPolicy } from './approval-policy.ts'
import { exposureOf, judged } from './session-exposure.ts'
import type { Decided, ToolStep } from './run-tool-calls.ts'
import type { ApprovalAnswer, CallGrant } from './turn-ports.ts'

export type Prepared = Extract<PreparedCall, { ok: true }>

export async function decideCall(step: ToolStep, call: MetonaToolCall, asPrepared: Prepared): Promise<Decided> {
  const { ports, settings } = step
  const prepared = judged(asPrepared, call.name, ports.exposure())
  const { question } = prepared
  const grant = grantOf(call, prepared)
  const decideWith = (granted: boolean): ApprovalPolicy =>
    decideApproval(call.name, prepared, { ...settings.approval, mode: ports.permission(), granted, interactive: settings.interactive })
  let policy = decideWith(false)
  if (policy.kind !== 'allow' && grant !== undefined && (await ports.hasGrant(grant))) policy = decideWith(true)
  // A question is put to the person whatever the mode; where nobody is, the tool says so itself.
  const asks = question === undefined ? policy.kind === 'ask' : settings.interactive
  const answer = asks
    ? await askPerson(step, call, prepared, question === undefined ? policy.reason : { code: 'question' }, grant)
    : withoutAsking(policy)
  if (answer === undefined)
    return { call, refused: { outcome: 'aborted', message: 'not run: the turn was stopped while this call waited for approval' } }

  const permission: SessionEventDraft = {
    event: 'permission',
    iteration: step.iteration,
    tool: call.name,
    toolCallId: call.id,
    decision: answer.decision,
    by: answer.by,
    reason: answer.reason,
    ...(answer.reasonParams === undefined ? {} : { reasonParams: answer.reasonParams }),
    ...(asks ? { scope: answer.scope } : {}),
    turn: settings.turn,
  }
  if (answer.decision === 'allow') {
    await ports.commit([permission, ...unheldNotice(step, prepared), intent(step, call, prepared)])
    return { call, run: prepared, approved: asks && answer.by === 'user', ...(answer.text === undefined ? {} : { answer: answer.text }) }
  }
  await ports.commit([permission])
  return { call, refused: { outcome: 'denied', message: denial(answer) } }
}

/** @returns nothing when the turn was stopped meanwhile. */
async function askPerson(
  step: ToolStep,
  call: MetonaToolCall,
  prepared: Prepared,
  reason: ApprovalReason,
  grant: CallGrant | undefined,
): Promise<ApprovalAnswer | undefined> {
  const { ports, settings, signal } = step
  const { argumentsHash, display, diff, risk, grantPrefix, sessionGrant, sandboxed, domains, question } = prepared
  const askedAt = ports.monotonic()
  ports.show({ delta: 'phase', phase: 'awaiting_approval', turn: settings.turn, since: ports.now() })
  await ports.commit([
    {
      event: 'permission_request',
      iteration: step.iteration,
      tool: call.name,
      toolCallId: call.id,
      argumentsHash,
      display,
      ...(diff === undefined ? {} : { diff }),
      risk,
      ...eventReason(reason),
      ...(grantPrefix === undefined ? {} : { grantPrefix }),
      ...(sessionGrant === undefined ? {} : { sessionGrant }),
      ...(sandboxed === undefined ? {} : { sandboxed }),
      ...(domains === undefined ? {} : { domains }),
      ...(question === undefined ? {} : { question }),
      turn: settings.turn,
    },
  ])
  const given = await ports.waitForApproval({ toolCallId: call.id, argumentsHash }, signal)
  const answer = { ...given, scope: possibleScope(given.scope, grant) }
  step.spans.push({
    name: `approval ${call.name}`,
    kind: 'approval',
    startedAt: askedAt,
    endedAt: ports.monotonic(),
    attributes: { 'metona.approval.decision': answer.decision, 'metona.approval.by': answer.by },
  })
  if (signal.aborted) return undefined
  if (answer.decision === 'allow' && answer.scope !== 'once' && grant !== undefined) await ports.addGrant(grant, answer.scope)
  return answer
}

function withoutAsking(policy: ApprovalPolicy): ApprovalAnswer {
  if (policy.kind === 'ask') return { decision: 'allow', by: 'non_interactive', reason: 'question', scope: 'once' }
  return { decision: policy.kind, by: policy.by, ...eventReason(policy.reason), scope: 'once' }
}

function eventReason({ code, params }: ApprovalReason): { reason: string; reasonParams?: Record<string, string> } {
  return { reason: code, ...(params === undefined ? {} : { reasonParams: params }) }
}

function grantOf(call: MetonaToolCall, { grantPrefix, sessionGrant, sandboxed = false }: Prepared): CallGrant | undefined {
  return grantPrefix === undefined ? sessionGrant : { tool: call.name, prefix: grantPrefix, sandboxed }
}

/** A client may ask for more than the call offers. */
function possibleScope(asked: ApprovalAnswer['scope'], grant: CallGrant | undefined): ApprovalAnswer['scope'] {
  if (grant === undefined) return 'once'
  return asked === 'always' && grant === 'edits' ? 'session' : asked
}

const WHO = {
  timeout: 'nobody answered in time',
  user: 'the person said no',
  non_interactive: 'nobody is there to approve it',
  rule: 'a rule of the person forbids it',
  mode: 'the permission mode does not allow it',
  grant: 'it is not allowed',
  asker: 'whoever asked no longer waits',
} as const satisfies Record<ApprovalAnswer['by'], string>

/** For the model. */
function denial({ by, reason, reasonParams }: ApprovalAnswer): string {
  const said =
    by === 'user' ? reason : approvalReasonText({ code: reason, ...(reasonParams === undefined ? {} : { params: reasonParams }) }, 'en')
  return `Denied: ${WHO[by]}${said === '' ? '' : ` (${said})`}. Nothing was run.`
}

/** Once per session: what the session wants is not to be had here. */
function unheldNotice({ ports, settings }: ToolStep, { unheld }: Prepared): SessionEventDraft[] {
  if (unheld === undefined || ports.noticed('NO_SANDBOX')) return []
  const message = `Sandbox: ${sandboxText({ kind: 'none', reason: unheld }, 'en')}.`
  return [{ event: 'notice', code: 'NO_SANDBOX', message, params: { reason: unheld }, turn: settings.turn }]
}

function intent({ iteration, settings }: ToolStep, call: MetonaToolCall, prepared: Prepared): SessionEventDraft {
  const exposes = exposureOf(prepared)
  return {
    event: 'tool_call',
    iteration,
    tool: call.name,
    args: call.args,
    toolCallId: call.id,
    ...(exposes === undefined ? {} : { exposes }),
    turn: settings.turn,
  }
}
