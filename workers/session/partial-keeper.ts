/** Keeps the text of a running stream every 750 ms, so that a crash loses no more than that. */
import type { PartialText } from '#contracts/storage/partial-text.ts'
import type { MetonaStreamEvent } from '#contracts/metona/metona-response.ts'

/** Milliseconds between two saves of one stream. */
export const PARTIAL_INTERVAL_MS = 750

export class PartialKeeper {
  readonly #save: (partial: PartialText) => void
  readonly #identity: Pick<PartialText, 'sessionId' | 'messageId' | 'turn' | 'iteration'>
  #text: string[] = []
  #thinking: string[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(identity: Pick<PartialText, 'sessionId' | 'messageId' | 'turn' | 'iteration'>, save: (partial: PartialText) => void) {
    this.#identity = identity
    this.#save = save
  }

  take(event: MetonaStreamEvent): void {
    if (event.type === 'text_delta') this.#text.push(event.delta)
    else if (event.type === 'reasoning_delta') this.#thinking.push(event.delta)
    else return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#save({ ...this.#identity, text: this.text, thinking: this.thinking, updatedAt: new Date().toISOString() })
    }, PARTIAL_INTERVAL_MS)
  }

  get text(): string {
    return this.#text.join('')
  }

  get thinking(): string {
    return this.#thinking.join('')
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
