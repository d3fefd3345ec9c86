import { AppError } from '#contracts/wire/app-error.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import { problemTexts, textProblem, type TextProblem } from '../domain/memory-text.ts'
import { isSecretText } from '../domain/secret-text.ts'

/** `SECRET_IN_MEMORY` or `MEMORY_TEXT`, with the reason, for text that must not be kept. */
export function checkMemoryText(text: string, longest: number, redactor: Redactor): void {
  const problem = memoryTextProblem(text, longest, redactor)
  if (problem === undefined) return
  const reason = problemTexts[problem]
  throw new AppError({
    code: problem === 'secret' ? 'SECRET_IN_MEMORY' : 'MEMORY_TEXT',
    message: `Not remembered: ${reason}.`,
    params: { problem, reason, longest },
  })
}

/** Why a text must not be put before a model. */
export function memoryTextProblem(text: string, longest: number, redactor: Redactor): TextProblem | undefined {
  return holdsSecret(text, redactor) ? 'secret' : textProblem(text, longest)
}

/** Also in full-width and other forms, which a reader takes for the plain ones. */
export function holdsSecret(text: string, redactor: Redactor): boolean {
  return [text, text.normalize('NFKC')].some((form) => redactor.text(form) !== form) || isSecretText(text)
}
