import { AppError } from '#contracts/wire/app-error.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import { problemTexts, textProblem } from '../domain/memory-text.ts'

/** `SECRET_IN_MEMORY` or `MEMORY_TEXT`, with the reason, for text that must not be kept. */
export function checkMemoryText(text: string, longest: number, redactor: Redactor): void {
  const problem = redactor.text(text) === text ? textProblem(text, longest) : 'secret'
  if (problem === undefined) return
  const reason = problemTexts[problem]
  throw new AppError({
    code: problem === 'secret' ? 'SECRET_IN_MEMORY' : 'MEMORY_TEXT',
    message: `Not remembered: ${reason}.`,
    params: { problem, reason, longest },
  })
}
