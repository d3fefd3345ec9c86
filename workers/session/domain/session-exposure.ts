/**
 * Three things that are harmless one by one and let a stranger carry secrets away together: secrets were read, text from
 * outside was read, and now something wants to reach out. And two that let a stranger's words outlive the session: text from
 * outside was read, and now something wants to be remembered. What was read stays in the history, so this is kept as long as
 * the session: in the events of the calls that read it.
 */
import type { CallExposure } from '#contracts/session/call-exposure.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import { HELD_BY_SANDBOX } from './approval-policy.ts'

type Prepared = Extract<PreparedCall, { ok: true }>

/** What the call, once it runs, puts before the model's eyes; undefined for most. */
export function exposureOf(call: Prepared): CallExposure | undefined {
  const { secret } = call
  const outside = call.risk === 'network' || call.foreign === true
  if (secret === undefined && !outside) return undefined
  return { ...(secret === undefined ? {} : { secret }), ...(outside ? { outside } : {}) }
}

/** What was seen with the one call after the other; the first secret is the one that is named. */
export function addExposure(before: CallExposure, added: CallExposure): CallExposure {
  return { ...added, ...before }
}

/** What it keeps comes before the model in later sessions. */
export const REMEMBERS = 'remember'

/** The call as it must be judged: reaching out asks, whatever allows it, where both other things happened; so does remembering. */
export function judged(call: Prepared, tool: string, { secret, outside }: CallExposure): Prepared {
  if (tool === REMEMBERS && outside === true && call.mustAsk === undefined)
    return { ...call, mustAsk: { code: 'instructs_agents', params: { path: REMEMBERS } } }
  // In the sandbox a command reaches only what the person allowed by name, and that may be enough.
  const commandReaches = call.sandboxed === false || (call.domains ?? []).length > 0
  const reachesOut = call.risk === 'network' || call.foreign === true || (commandReaches && call.harmless !== true)
  // That the sandbox holds it is no answer to this.
  const heldInside = HELD_BY_SANDBOX.includes(call.mustAsk?.code ?? '')
  if (!reachesOut || secret === undefined || outside !== true || (call.mustAsk !== undefined && !heldInside)) return call
  return { ...call, mustAsk: { code: 'leaks', params: { path: secret, url: call.subjects?.[0]?.text ?? call.display } } }
}
