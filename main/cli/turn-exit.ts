/** What a finished turn means for the exit code, and the sentence that goes with it. */
import { ExitCode } from './exit-code.ts'
import { explainError, explainTurnError, type Speech } from './explain-error.ts'
import type { TurnOutcome } from './turn-driver.ts'
import { UsageError } from './arguments.ts'

export interface TurnVerdict {
  readonly exit: ExitCode
  /** For stderr; undefined when all went well. */
  readonly text: string | undefined
}

export function judgeTurn({ end, denied, sessionId }: TurnOutcome, strict: boolean, speech: Speech): TurnVerdict {
  const known = { session: sessionId }
  const say = (code: string): string => explainError(new UsageError(code, known), speech).text
  if (end === undefined || end.reason === 'aborted') return { exit: ExitCode.ABORTED, text: speech.text.stopped }
  if (strict && denied > 0) return { exit: ExitCode.REFUSED, text: say('STRICT_DENIED') }
  switch (end.reason) {
    case 'completed':
      return { exit: ExitCode.DONE, text: undefined }
    case 'interrupted':
      return { exit: ExitCode.FAILED, text: say('interrupted') }
    case 'limit_reached':
      return {
        exit: ExitCode.LIMIT,
        text: end.error === undefined ? say('limit_reached') : explainTurnError(end.error, speech, known).text,
      }
    case 'failed': {
      if (end.error === undefined) return { exit: ExitCode.FAILED, text: say('unknown') }
      const { exit, text } = explainTurnError(end.error, speech, known)
      return { exit: exit === ExitCode.CONFIGURATION ? exit : ExitCode.FAILED, text }
    }
  }
}
