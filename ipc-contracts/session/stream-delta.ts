/**
 * What is shown while it happens and is not (yet) part of a durable event. Never has a `seq`.
 * Lost on a crash except for the text kept every 750 ms as a partial.
 */
import * as z from 'zod'
import { MetonaStreamEventSchema } from '../metona/metona-response.ts'
import { TurnPhaseSchema } from './session-enums.ts'

export const StreamDeltaSchema = z.discriminatedUnion('delta', [
  /** One event of the model's stream. `messageId` names the assistant message it belongs to. */
  z.object({ delta: z.literal('stream'), messageId: z.string(), iteration: z.number().int(), event: MetonaStreamEventSchema }),
  /** Live output of a running tool, already decoded; `dropped` bytes were left out before `text`. */
  z.object({ delta: z.literal('tool_output'), toolCallId: z.string(), text: z.string(), dropped: z.number().int().optional() }),
  z.object({ delta: z.literal('tool_progress'), toolCallId: z.string(), done: z.number(), total: z.number().optional(), unit: z.string() }),
  /** `since` is milliseconds since the epoch. */
  z.object({ delta: z.literal('phase'), phase: TurnPhaseSchema, turn: z.number().int(), since: z.number() }),
  /** Waiting for a place in a provider's queue or for its quota; `untilMs` is an estimate of the end, epoch ms. `ended` clears it. */
  z.object({
    delta: z.literal('quota'),
    provider: z.string(),
    position: z.number().int().optional(),
    untilMs: z.number().optional(),
    ended: z.boolean(),
  }),
  /** A transparent retry before the first visible output. */
  z.object({ delta: z.literal('retry'), attempt: z.number().int(), reason: z.string(), delayMs: z.number() }),
])
export type StreamDelta = z.infer<typeof StreamDeltaSchema>
