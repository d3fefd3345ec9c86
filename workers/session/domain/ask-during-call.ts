/** A question a running call puts to the person (an MCP server wants something from them). On record like any other. */
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'
import type { SessionEventDraft } from '#contracts/session/session-event.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import type { ToolStep } from './run-tool-calls.ts'
import type { ToolQuestion } from './turn-ports.ts'

/** @returns what the person wrote; undefined when they passed over it, did not answer in time, or nobody is there. */
export async function askDuringCall(
  { ports, settings, iteration, signal }: ToolStep,
  call: MetonaToolCall,
  { argumentsHash, risk }: Extract<PreparedCall, { ok: true }>,
  question: ToolQuestion,
): Promise<string | undefined> {
  if (!settings.interactive || signal.aborted) return undefined
  // An answer is bound to its own question: a call may ask several.
  const mark = `${argumentsHash} ${ports.newId('m')}`
  const { turn, provider, model } = settings
  const { text, options, reason: why } = question
  const asked =
    why === undefined
      ? { risk, reason: 'question', question: { text, ...(options === undefined ? {} : { options }) } }
      : { risk: 'network', reason: why.code, reasonParams: { model: `${provider}/${model}`, ...why.params } }
  ports.show({ delta: 'phase', phase: 'awaiting_approval', turn, since: ports.now() })
  await ports.commit([
    {
      event: 'permission_request',
      iteration,
      tool: call.name,
      toolCallId: call.id,
      argumentsHash: mark,
      display: [text, ...(options ?? []).map((option, index) => `${index + 1}. ${option}`)].join('\n'),
      ...asked,
      turn,
    },
  ])
  const answer = await ports.waitForApproval({ toolCallId: call.id, argumentsHash: mark }, signal)
  const { decision, by, reason } = answer
  await ports.commit([
    { event: 'permission', iteration, tool: call.name, toolCallId: call.id, decision, by, reason, scope: 'once', turn },
    // The card goes away under the person's eyes: why is said where it was.
    ...(by === 'asker' ? [withdrawnNotice(call.name, turn)] : []),
  ])
  if (signal.aborted || decision === 'deny') return undefined
  ports.show({ delta: 'phase', phase: 'executing_tools', turn, since: ports.now() })
  return why === undefined ? answer.text : 'yes'
}

function withdrawnNotice(tool: string, turn: number): SessionEventDraft {
  const message = `${tool} no longer waits for an answer; its question was closed.`
  return { event: 'notice', code: 'question_withdrawn', message, params: { tool }, turn }
}
