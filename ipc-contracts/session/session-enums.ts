/** Closed sets of words used by session events, snapshots and commands. */
import * as z from 'zod'

export const PermissionModeSchema = z.enum(['plan', 'ask', 'auto_edit', 'full_access'])
export type PermissionMode = z.infer<typeof PermissionModeSchema>

/** preparing → streaming → awaiting_approval → executing_tools → preparing | ended */
export const TurnPhaseSchema = z.enum(['preparing', 'streaming', 'awaiting_approval', 'executing_tools', 'ended'])
export type TurnPhase = z.infer<typeof TurnPhaseSchema>

export const EndReasonSchema = z.enum(['completed', 'aborted', 'failed', 'limit_reached', 'interrupted'])
export type EndReason = z.infer<typeof EndReasonSchema>

export const ToolOutcomeSchema = z.enum(['ok', 'error', 'denied', 'aborted', 'unknown'])
export type ToolOutcome = z.infer<typeof ToolOutcomeSchema>

/** Who decided: the mode, a rule, a stored grant, the person, the clock, or nobody being there to ask. */
export const DecisionMakerSchema = z.enum(['mode', 'rule', 'grant', 'user', 'timeout', 'non_interactive', 'asker'])
export type DecisionMaker = z.infer<typeof DecisionMakerSchema>

/** The seven states of the design language, plus idle for a session that never ran. */
export const SessionStateSchema = z.enum(['idle', 'thinking', 'tool', 'needs', 'quota', 'done', 'failed', 'stopped'])
export type SessionState = z.infer<typeof SessionStateSchema>
