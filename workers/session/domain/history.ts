/** The message history a model is sent, made from a session's events. The log is never rewritten for it. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { CompactionState } from '#contracts/context/compaction.ts'
import type { SessionEvent, SessionEventOf } from '#contracts/session/session-event.ts'

export interface History {
  messages: MetonaMessage[]
  /** The seq of the event each message comes from. */
  seqs: number[]
  /** How many messages of the current list earlier requests have written to the log in full. */
  logged: number
  /** Memories that stand in what is sent, by the seq of the message they stand in; those are not brought up again. */
  recalled: Map<string, number>
  /** How the history is sent since the last compaction. */
  compaction: CompactionState | undefined
}

export function emptyHistory(): History {
  return { messages: [], seqs: [], logged: 0, recalled: new Map(), compaction: undefined }
}

/** Adds what `event` means for the next request. Changes `history` in place; order is the events' order. */
export function extendHistory(history: History, event: SessionEvent): void {
  const add = (message: MetonaMessage): void => {
    history.messages.push(message)
    history.seqs.push(event.seq)
  }
  switch (event.event) {
    case 'user_message':
      add({
        role: 'user',
        content: event.content,
        timestamp: Date.parse(event.ts),
        id: event.messageId,
        ...(event.images === undefined ? {} : { images: event.images }),
      })
      return
    case 'llm_request':
      history.logged = event.messageCount
      return
    case 'llm_response': {
      const message = assistantMessage(event)
      if (message !== undefined) add(message)
      return
    }
    case 'tool_result':
      for (const { id } of event.memories ?? []) history.recalled.set(id, event.seq)
      add({
        role: 'tool',
        content: '',
        timestamp: Date.parse(event.ts),
        id: `${event.toolCallId}_result`,
        toolResult: {
          toolCallId: event.toolCallId,
          toolName: event.tool,
          result: event.result,
          success: event.success,
          durationMs: event.durationMs,
          timestamp: Date.parse(event.ts),
          ...(event.summary === undefined ? {} : { summary: event.summary }),
          ...(event.error === undefined ? {} : { error: event.error }),
        },
      })
      return
    case 'compaction':
      history.logged = 0
      history.compaction = event.state
      history.recalled.clear()
      return
    case 'context_built':
      for (const { messageId, turnContext } of event.turnContexts ?? []) {
        const seq = freezeContext(history, messageId, turnContext)
        for (const { id } of event.memories ?? []) if (seq !== undefined) history.recalled.set(id, seq)
      }
      return
    case 'rewind': {
      for (const [id, seq] of history.recalled) if (seq > event.toSeq) history.recalled.delete(id)
      const kept = history.seqs.findIndex((seq) => seq > event.toSeq)
      if (kept < 0) return
      history.messages.length = kept
      history.seqs.length = kept
      history.logged = Math.min(history.logged, kept)
      return
    }
    default:
      return
  }
}

/** The message is replaced, never changed: others may hold it. @returns the seq of its event; undefined where it is not sent. */
function freezeContext(history: History, messageId: string, turnContext: string): number | undefined {
  const index = history.messages.findLastIndex((message) => message.id === messageId)
  const message = history.messages[index]
  if (message === undefined) return undefined
  history.messages[index] = { ...message, turnContext }
  return history.seqs[index]
}

/** An answer that failed before any text and asked for nothing leaves no message: the next request repeats the last one. */
function assistantMessage(event: SessionEventOf<'llm_response'>): MetonaMessage | undefined {
  const empty = event.content === '' && (event.toolCalls ?? []).length === 0
  if (empty && (event.error !== undefined || event.thinking === undefined)) return undefined
  return {
    role: 'assistant',
    content: event.content,
    timestamp: Date.parse(event.ts),
    id: event.messageId,
    ...(event.toolCalls === undefined || event.toolCalls.length === 0 ? {} : { toolCalls: event.toolCalls }),
    ...(event.thinking === undefined ? {} : { thinking: event.thinking }),
    ...(event.providerState === undefined ? {} : { providerState: event.providerState }),
  }
}
