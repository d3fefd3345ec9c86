/**
 * The durable events of a session: one line of `logs/session_*.jsonl`, one row of `session_events`.
 * The first fields and their order are the architecture document's; ours follow after them.
 * This union is the only list of event kinds.
 */
import * as z from 'zod'
import { MetonaImageSchema } from '../metona/metona-request.ts'
import { define, settings } from './session-event-parts.ts'
import { toolEvents } from './session-tool-events.ts'
import { turnEvents } from './session-turn-events.ts'

export const SessionEventSchema = z.discriminatedUnion('event', [
  define('session_start', { workspace: z.string(), ...settings, agentVersion: z.string() }),
  define('session_resumed', { workspace: z.string(), agentVersion: z.string() }),
  /** Title, model, mode … changed; only the changed fields are present. */
  define('session_updated', settings),
  define('user_message', {
    messageId: z.string(),
    content: z.string(),
    images: z.array(MetonaImageSchema).optional(),
    /** A message sent while a turn ran and folded into it between two iterations. */
    steering: z.boolean().optional(),
  }),
  /** Accepted while a turn ran; stays queued until a `user_message` with the same messageId, or `message_unqueued`. */
  define('message_queued', {
    messageId: z.string(),
    content: z.string(),
    images: z.array(MetonaImageSchema).optional(),
    steering: z.boolean(),
  }),
  define('message_unqueued', { messageId: z.string() }),
  ...turnEvents,
  ...toolEvents,
  define('error', { code: z.string(), message: z.string(), details: z.unknown().optional() }),
  /** Something the person should know that is not an error: a repaired log, a file cut to its limit. */
  define('notice', {
    code: z.string(),
    message: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
  define('session_end', { totalIterations: z.number().int(), totalTokens: z.number(), totalDurationMs: z.number() }),
])
export type SessionEvent = z.infer<typeof SessionEventSchema>
export type SessionEventName = SessionEvent['event']
export type SessionEventOf<E extends SessionEventName> = Extract<SessionEvent, { event: E }>

/** What a producer supplies; the session worker adds seq, ts, sessionId and eventId. */
export type SessionEventDraft = {
  [E in SessionEventName]: Omit<SessionEventOf<E>, 'seq' | 'ts' | 'sessionId' | 'eventId'>
}[SessionEventName]
