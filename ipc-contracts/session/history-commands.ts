/** What a client does to a message that was sent already. Part of `commands`. */
import * as z from 'zod'
import { MetonaImageSchema } from '../metona/metona-request.ts'

export const historyCommands = {
  /**
   * Says a message anew in its place, between turns: a `rewind` (reason `edit`) to just before it and the new message are
   * committed together, then a turn runs. The transcript keeps what was left behind. Images stay unless others are given.
   * Errors: `SESSION_BUSY`, `MESSAGE_NOT_FOUND` (unknown, or left behind itself).
   */
  'history.edit': {
    input: z.object({
      sessionId: z.string(),
      messageId: z.string(),
      /** From the client, so that a repeated call is one message. */
      newMessageId: z.string(),
      content: z.string(),
      images: z.array(MetonaImageSchema).optional(),
    }),
    output: z.object({ state: z.enum(['started', 'duplicate']) }),
    deadlineMs: 30_000,
  },
}
