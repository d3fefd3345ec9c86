/** What can be looked at behind a session. Asked for when it is looked at, never kept. */
import type { ContextParts } from '#contracts/context/context-parts.ts'
import type { Trace } from '#contracts/session/inspect-commands.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { defineStore } from 'pinia'
import { useConnectionStore } from './connection.ts'

export interface FileChange {
  readonly toolCallId: string
  readonly turn: number
  readonly at: number
  readonly path: string
  readonly created: boolean
}
export interface UndoOutcome {
  readonly restored: readonly { readonly path: string }[]
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

export const useInspectStore = defineStore('inspect', () => {
  const connection = useConnectionStore()

  const context = async (sessionId: string): Promise<ContextParts | undefined> =>
    (await connection.call('inspect.context', { sessionId })).parts
  const traces = async (workspace: string, sessionId: string): Promise<readonly Trace[]> =>
    (await connection.call('inspect.traces', { workspace, sessionId })).traces
  /** Events from `fromSeq` on, as their log lines have them. */
  const log = async (workspace: string, sessionId: string, fromSeq: number, limit: number): Promise<readonly SessionEvent[]> =>
    (await connection.call('session.read', { workspace, sessionId, fromSeq, limit })).events
  const changes = async (sessionId: string): Promise<readonly FileChange[]> =>
    (await connection.call('session.changes', { sessionId })).changes
  /** Without calls: everything of the session. */
  const undo = (sessionId: string, toolCallIds?: readonly string[]): Promise<UndoOutcome> =>
    connection.call('session.undo', { sessionId, ...(toolCallIds === undefined ? {} : { toolCallIds: [...toolCallIds] }) })
  const compact = (sessionId: string, instructions: string): Promise<{ tokensBefore: number; tokensAfter: number }> =>
    connection.call('session.compact', { sessionId, ...(instructions === '' ? {} : { instructions }) })

  return { context, traces, log, changes, undo, compact }
})
