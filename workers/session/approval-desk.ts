/** Questions waiting for the person. The first valid answer wins; a later one is told who was first. */
import type { AbortSignalLike } from '#contracts/metona/metona-adapter.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { WITHDRAWN, type ApprovalAnswer } from './domain/turn-ports.ts'

interface Open {
  readonly argumentsHash: string
  settle(answer: ApprovalAnswer): void
}

export class ApprovalDesk {
  readonly #open = new Map<string, Open>()
  readonly #answered = new Map<string, { decision: string; by: string; at: string }>()

  /** Resolves with the answer, a denial by `timeout` after `timeoutMs`, or a denial when `signal` aborts: by `asker` where the question was withdrawn. */
  ask(request: { toolCallId: string; argumentsHash: string }, timeoutMs: number, signal: AbortSignalLike): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: ApprovalAnswer): void => {
        stopWaiting()
        signal.removeEventListener('abort', onAbort)
        this.#open.delete(request.toolCallId)
        this.#answered.set(request.toolCallId, { decision: answer.decision, by: answer.by, at: new Date().toISOString() })
        resolve(answer)
      }
      const onAbort = (): void =>
        settle({
          decision: 'deny',
          scope: 'once',
          ...(signal.reason === WITHDRAWN ? { by: 'asker', reason: WITHDRAWN } : { by: 'user', reason: 'stopped' }),
        })
      const stopWaiting = awakeTimeout(
        () =>
          settle({
            decision: 'deny',
            by: 'timeout',
            reason: 'no_answer',
            reasonParams: { seconds: `${Math.round(timeoutMs / 1000)}` },
            scope: 'once',
          }),
        timeoutMs,
      )
      this.#open.set(request.toolCallId, { argumentsHash: request.argumentsHash, settle })
      if (signal.aborted) onAbort()
      else signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** @throws AppError APPROVAL_GONE or APPROVAL_MISMATCH */
  answer(input: {
    toolCallId: string
    argumentsHash: string
    decision: 'allow' | 'deny'
    scope: ApprovalAnswer['scope']
    reason: string | undefined
    text?: string
  }): void {
    const open = this.#open.get(input.toolCallId)
    if (open === undefined) {
      const first = this.#answered.get(input.toolCallId)
      throw new AppError({
        code: 'APPROVAL_GONE',
        message: first === undefined ? 'this question is not open' : `already answered: ${first.decision} by ${first.by}`,
        ...(first === undefined ? {} : { params: first }),
      })
    }
    if (open.argumentsHash !== input.argumentsHash)
      throw new AppError({ code: 'APPROVAL_MISMATCH', message: 'the answer is for other arguments than the ones in question' })
    open.settle({
      decision: input.decision,
      by: 'user',
      reason: input.reason ?? '',
      scope: input.scope,
      ...(input.text === undefined ? {} : { text: input.text }),
    })
  }
}
