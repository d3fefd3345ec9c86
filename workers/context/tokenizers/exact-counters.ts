/** The exact counters of this thread, each loaded once and only when asked for. */
import type { ExactCounterName } from '../domain/model-family.ts'

export interface TextCounter {
  count(text: string): number
}

const loaded = new Map<ExactCounterName, TextCounter>()
const loading = new Map<ExactCounterName, Promise<TextCounter>>()

/** Without loading anything. */
export function loadedCounter(name: ExactCounterName): TextCounter | undefined {
  return loaded.get(name)
}

export function loadCounter(name: ExactCounterName): Promise<TextCounter> {
  let promise = loading.get(name)
  if (promise === undefined) {
    promise = makeCounter(name).then((counter) => {
      loaded.set(name, counter)
      return counter
    })
    promise.catch(() => loading.delete(name))
    loading.set(name, promise)
  }
  return promise
}

async function makeCounter(name: ExactCounterName): Promise<TextCounter> {
  if (name !== 'o200k') return (await import('./load-vocabulary.ts')).loadBytePairCounter(name)
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  return { count: (text) => countTokens(text, { allowedSpecial: 'all' }) }
}
