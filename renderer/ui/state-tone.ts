/** Which of the seven looks a state has. */
import type { SessionState } from '#contracts/session/session-enums.ts'
import type { ToolItem } from '#contracts/session/transcript-items.ts'

export type Tone = SessionState

export const toneOfToolStatus: Readonly<Record<ToolItem['status'], Tone>> = {
  proposed: 'idle',
  awaiting_approval: 'needs',
  running: 'tool',
  done: 'done',
  failed: 'failed',
  denied: 'stopped',
  aborted: 'stopped',
  unknown: 'stopped',
}
