/** What a person does in a session: prompts, stops, answers, takes back, shortens. */
import * as z from 'zod'
import { MetonaImageSchema } from '../metona/metona-request.ts'

const sessionId = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const turnCommands = {
  /** `messageId` comes from the client, so that a repeated call is one message. */
  'session.prompt': method(
    z.object({
      sessionId,
      messageId: z.string(),
      content: z.string(),
      images: z.array(MetonaImageSchema).optional(),
      whenBusy: z.enum(['queue', 'steer', 'refuse']).default('queue'),
    }),
    z.object({ state: z.enum(['started', 'queued', 'duplicate']) }),
  ),
  'session.unqueue': method(z.object({ sessionId, messageId: z.string() }), z.object({ content: z.string().optional() })),
  /** Resolves when the turn has ended on disk, its socket is closed and its processes are gone. */
  'session.stop': method(z.object({ sessionId }), z.object({ stopped: z.boolean(), survivors: z.array(z.number()) })),
  /** Errors: `APPROVAL_GONE` (answered elsewhere, with by whom; or ended), `APPROVAL_MISMATCH` (hash). */
  'session.answer': method(
    z.object({
      sessionId,
      toolCallId: z.string(),
      argumentsHash: z.string(),
      decision: z.enum(['allow', 'deny']),
      scope: z.enum(['once', 'session', 'always']).default('once'),
      reason: z.string().optional(),
      /** What the person wrote to a question. */ answer: z.string().optional(),
    }),
    nothing,
  ),
  /** Continues an interrupted turn: unknown tool outcomes are told to the model, nothing is run again. */
  'session.resume': method(z.object({ sessionId }), nothing),
  /** Summarises the older part of the conversation for the model; the transcript stays. Errors: `NOTHING_TO_COMPACT`, `COMPACTION_STOPPED` (it does not help any more), `CONTEXT_TOO_LARGE`, `TRY_AGAIN`. */
  'session.compact': method(
    z.object({ sessionId, instructions: z.string().optional() }),
    z.object({ tokensBefore: z.number(), tokensAfter: z.number() }),
    300_000,
  ),
  /** Changes of files by this session's tools that can still be taken back, oldest first. `turn` is 0 for a call that no turn has. */
  'session.changes': method(
    z.object({ sessionId }),
    z.object({
      changes: z.array(
        z.object({ toolCallId: z.string(), turn: z.number().int(), at: z.number(), path: z.string(), created: z.boolean() }),
      ),
    }),
  ),
  /** Takes back the changes of these calls, or of the whole session; a file changed since is refused by itself and left alone. */
  'session.undo': method(
    z.object({ sessionId, toolCallIds: z.array(z.string()).optional() }),
    z.object({
      restored: z.array(z.object({ path: z.string(), toolCallId: z.string(), removed: z.boolean() })),
      refused: z.array(z.object({ path: z.string(), toolCallId: z.string(), reason: z.string() })),
    }),
    90_000,
  ),
  /** Runs the last user message again as a new turn. */
  'session.retry': method(z.object({ sessionId }), nothing),
}
