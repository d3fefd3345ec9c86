/**
 * Three things that are harmless one by one and let a stranger carry secrets away together: secrets were read, text from
 * outside was read, and now something wants to reach out. And two that let a stranger's words outlive the turn: text from outside was
 * read, and now something wants to be remembered. Kept for one turn.
 */
import type { ApprovalReasonCode } from '#contracts/tools/approval-reasons.ts'
import type { PreparedCall } from '#contracts/tools/tools-service.ts'

type Prepared = Extract<PreparedCall, { ok: true }>

export interface TurnExposure {
  /** The call was carried out: what it brought is before the model's eyes from now on. */
  note(call: Prepared): void
  /** The call as it must be judged: reaching out asks, whatever allows it, where both other things happened; so does remembering. */
  judged(call: Prepared, tool: string): Prepared
}

/** What it keeps comes before the model in later sessions. */
const REMEMBERS = 'remember'

const SECRET: readonly ApprovalReasonCode[] = ['may_hold_secrets', 'holds_credentials']

export function createTurnExposure(): TurnExposure {
  let secret: string | undefined
  let outsideText = false
  return {
    note: (call) => {
      const { risk, mustAsk } = call
      if (mustAsk !== undefined && risk === 'read' && SECRET.some((code) => code === mustAsk.code))
        secret ??= mustAsk.params?.['path'] ?? ''
      outsideText ||= risk === 'network' || isForeign(call)
    },
    judged: (call, tool) => {
      if (tool === REMEMBERS && outsideText && call.mustAsk === undefined)
        return { ...call, mustAsk: { code: 'instructs_agents', params: { path: REMEMBERS } } }
      const reachesOut = call.risk === 'network' || isForeign(call) || (call.sandboxed === false && call.harmless !== true)
      if (!reachesOut || secret === undefined || !outsideText || call.mustAsk !== undefined) return call
      return { ...call, mustAsk: { code: 'leaks', params: { path: secret, url: call.subjects?.[0]?.text ?? call.display } } }
    },
  }
}

/** Done by another program that is not a command of ours, such as a tool server: where it reaches is not known. */
function isForeign({ risk, sandboxed }: Prepared): boolean {
  return risk === 'execute' && sandboxed === undefined
}
