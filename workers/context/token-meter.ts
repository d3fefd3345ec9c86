/** Counts of one session for one model: each message once, the exact number when there is one, else the scanner's. */
import type { StoredCount } from '#contracts/context/token-report.ts'
import type { MetonaMessage, MetonaSystemPrompt } from '#contracts/metona/metona-request.ts'
import { estimateTokens } from './domain/class-scanner.ts'
import { messageRevision } from './domain/message-revision.ts'
import { modelFamily, type ExactCounterName, type ModelFamily } from './domain/model-family.ts'
import { countMessage, countSystem, countTools, promptOverheads, type CountText, type PromptOverhead } from './domain/prompt-overhead.ts'
import type { StableTools } from './domain/stable-tools.ts'
import { loadCounter, loadedCounter } from './tokenizers/exact-counters.ts'
import { countImages } from './tokenizers/image-tokens.ts'

/** Longer texts are left to the scanner: an exact count would hold up the thread. */
const LONGEST_EXACT = 2_000_000
export class TokenMeter {
  readonly family: ModelFamily
  readonly overhead: PromptOverhead
  readonly #scanned = new WeakMap<MetonaMessage, number>()
  readonly #exact = new WeakMap<MetonaMessage, number>()
  readonly #stored: ReadonlyMap<string, number>
  readonly #fixed = new WeakMap<object, { exact: boolean; tokens: number }>()
  #news: StoredCount[] = []

  /** @param stored counts kept from an earlier thread; those of other counters are passed over. */
  constructor(provider: string, model: string, stored: readonly StoredCount[] = []) {
    this.family = modelFamily(provider, model)
    this.overhead = promptOverheads[this.family.overhead]
    const exact = this.family.exact
    this.#stored = new Map(
      stored
        .filter((count) => count.counter === `exact:${exact ?? ''}`)
        .map((count) => [`${count.messageId}:${count.revision}`, count.tokens]),
    )
  }

  /** `exact:deepseek` once that counter is loaded, else `scan:…`. */
  get counter(): string {
    return this.isExact ? `exact:${this.family.exact ?? ''}` : `scan:${this.family.scanner}`
  }

  get isExact(): boolean {
    return this.family.exact !== undefined && loadedCounter(this.family.exact) !== undefined
  }

  readonly scanText: CountText = (text) => Math.round(estimateTokens(text, this.family.scanner) * this.family.factor)

  /** The best count there is without loading anything. */
  readonly text: CountText = (text) => (text.length > LONGEST_EXACT ? undefined : this.#counter()?.count(text)) ?? this.scanText(text)

  readonly message = (message: MetonaMessage): number => {
    const exact = this.#exact.get(message) ?? this.#recall(message)
    if (exact !== undefined) return exact
    let tokens = this.#scanned.get(message)
    if (tokens === undefined) {
      tokens = this.#count(message, this.scanText)
      this.#scanned.set(message, tokens)
    }
    return tokens
  }

  hasExact(message: MetonaMessage): boolean {
    return this.#exact.has(message)
  }

  /** System prompt and tools. */
  fixed(system: MetonaSystemPrompt, tools: StableTools): number {
    return this.#keepFixed(system, (count) => countSystem(system, count, this.overhead)) + this.tools(tools)
  }

  tools(tools: StableTools): number {
    return this.#keepFixed(tools, (count) => countTools(tools.tools, count, this.overhead))
  }

  /** Loads the exact counter. Resolves to false where the model has none. */
  async load(): Promise<boolean> {
    if (this.family.exact === undefined) return false
    await loadCounter(this.family.exact)
    return true
  }

  /** Counts `messages` exactly, the last ones first, for about `milliseconds`; true when all are done. */
  upgrade(messages: readonly MetonaMessage[], milliseconds: number, now: () => number): boolean {
    const counter = this.#counter()
    if (counter === undefined) return true
    const until = now() + milliseconds
    for (let index = messages.length - 1; index >= 0; index--) {
      const message = messages[index]
      if (message === undefined || this.#exact.has(message)) continue
      if (now() > until) return false
      this.#countExactly(message, counter)
    }
    return true
  }

  /** Exact counts made since the last call, to be stored. */
  takeNews(): StoredCount[] {
    const news = this.#news
    this.#news = []
    return news
  }

  #counter(): { count: CountText } | undefined {
    const name: ExactCounterName | undefined = this.family.exact
    return name === undefined ? undefined : loadedCounter(name)
  }

  #countExactly(message: MetonaMessage, counter: { count: CountText }): void {
    const tokens =
      this.#recall(message) ?? this.#count(message, (text) => (text.length > LONGEST_EXACT ? this.scanText(text) : counter.count(text)))
    this.#exact.set(message, tokens)
    if (message.id !== undefined)
      this.#news.push({ messageId: message.id, revision: messageRevision(message), counter: `exact:${this.family.exact ?? ''}`, tokens })
  }

  #recall(message: MetonaMessage): number | undefined {
    if (this.#stored.size === 0 || message.id === undefined) return undefined
    const tokens = this.#stored.get(`${message.id}:${messageRevision(message)}`)
    if (tokens !== undefined) this.#exact.set(message, tokens)
    return tokens
  }

  #count(message: MetonaMessage, count: CountText): number {
    return countMessage(message, count, this.overhead, (counted, each) => countImages(counted, this.family.overhead, each))
  }

  #keepFixed(owner: object, count: (text: CountText) => number): number {
    const known = this.#fixed.get(owner)
    if (known !== undefined && known.exact === this.isExact) return known.tokens
    const entry = { exact: this.isExact, tokens: count(this.text) }
    this.#fixed.set(owner, entry)
    return entry.tokens
  }
}
