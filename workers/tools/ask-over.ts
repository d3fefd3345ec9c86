/** Questions to the person while a call runs, over the call's port. */
import type { ApprovalReason } from '#contracts/tools/approval-reasons.ts'
import { ToolAnswerSchema } from '#contracts/tools/tool-live.ts'
import { listen } from '#contracts/wire/listen.ts'
import type { Port } from '#contracts/wire/port.ts'

export interface LiveQuestion {
  readonly text: string
  readonly options?: readonly string[]
  /** Yes or no to what `text` shows, for this reason; any text is a yes. */
  readonly reason?: ApprovalReason
}

export interface Questions {
  /** `withdrawn` aborts when whoever asks has given up: the person is not asked on. */
  ask(question: LiveQuestion, withdrawn?: AbortSignal): Promise<string | undefined>
  /** Whoever still waits gets no answer. */
  close(): void
}

export function askOver(port: Port): Questions {
  const open = new Map<number, (text: string | undefined) => void>()
  let next = 1
  let stop: (() => void) | undefined
  // One at a time: the person sees one question of a call, and two would have one card.
  let turn: Promise<unknown> = Promise.resolve()
  let closed = false
  const settle = (id: number, text: string | undefined): void => {
    open.get(id)?.(text)
    open.delete(id)
  }
  return {
    ask: (question, withdrawn) => {
      if (closed) return Promise.resolve(undefined)
      if (stop === undefined) {
        stop = listen(port, (data) => {
          const { answer } = ToolAnswerSchema.parse(data)
          settle(answer.id, answer.text)
        })
        port.start()
      }
      const asked = turn.then(
        () =>
          new Promise<string | undefined>((resolve) => {
            if (closed || withdrawn?.aborted) return resolve(undefined)
            const id = next++
            const withdraw = (): void => {
              port.postMessage({ withdrawn: { id } })
              settle(id, undefined)
            }
            withdrawn?.addEventListener('abort', withdraw, { once: true })
            open.set(id, (text) => {
              withdrawn?.removeEventListener('abort', withdraw)
              resolve(text)
            })
            const { text, options, reason } = question
            port.postMessage({
              question: {
                id,
                text,
                ...(options === undefined ? {} : { options: [...options] }),
                ...(reason === undefined ? {} : { reason }),
              },
            })
          }),
      )
      turn = asked
      return asked
    },
    close: () => {
      closed = true
      stop?.()
      for (const id of [...open.keys()]) settle(id, undefined)
    },
  }
}
