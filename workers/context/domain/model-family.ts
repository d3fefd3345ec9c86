/** Which tokenizer and which prompt format a model has, as far as its name tells. */
import type { OverheadFamily } from './prompt-overhead.ts'
import type { ScannerFamily } from './scanner-weights.ts'

export type ExactCounterName = 'deepseek' | 'qwen' | 'o200k'

export interface ModelFamily {
  readonly overhead: OverheadFamily
  /** Absent where no public vocabulary is to be trusted; then the scanner and the provider's reports decide. */
  readonly exact?: ExactCounterName
  readonly scanner: ScannerFamily
  /** Applied to the scanner where its weights stand in for another tokenizer. */
  readonly factor: number
}

export function modelFamily(provider: string, model: string): ModelFamily {
  const name = model.toLowerCase()
  // Distilled models carry the tokenizer of what they were distilled into.
  const distilled = /distill|deepseek-r1:(1\.5|7|8|14|32|70)b/.test(name)
  if (provider === 'deepseek' || (name.includes('deepseek') && !distilled))
    return { overhead: 'deepseek', exact: 'deepseek', scanner: 'deepseek', factor: 1 }
  if (/qwen|qwq/.test(name) || /deepseek-r1:(1\.5|7|14|32)b/.test(name))
    return { overhead: 'qwen', exact: 'qwen', scanner: 'qwen', factor: 1 }
  if (provider === 'openai' || /^(openai\/)?(gpt-|chatgpt|o[1-9](-|$))/.test(name)) {
    // Older than the o200k vocabulary.
    const old = /gpt-3\.5|gpt-4(?!o|\.|-?[5-9])/.test(name)
    return old
      ? { overhead: 'openai', scanner: 'o200k', factor: 1.08 }
      : { overhead: 'openai', exact: 'o200k', scanner: 'o200k', factor: 1 }
  }
  if (provider === 'anthropic' || name.includes('claude')) return { overhead: 'anthropic', scanner: 'o200k', factor: 1.18 }
  if (name.includes('llama')) return { overhead: 'generic', scanner: 'o200k', factor: 1 }
  return { overhead: 'generic', scanner: 'deepseek', factor: 1.02 }
}
