/** What a generation of OpenAI models accepts on the Responses API. Read from the name. */

export interface OpenAiTraits {
  /** Takes `reasoning`, hands out encrypted reasoning. */
  readonly reasoning: boolean
  /** The effort that means "do not think"; absent where thinking cannot be reduced to nothing. */
  readonly off: 'none' | 'minimal' | 'low' | undefined
  /** Takes `temperature` and `top_p` while effort is `none`, or always where there is no reasoning. */
  readonly sampling: 'always' | 'without_thinking' | 'never'
}

export function openAiTraits(model: string): OpenAiTraits {
  const gpt = /^gpt-(\d+)(?:\.(\d+))?/.exec(model)
  if (gpt !== null) {
    const version = Number(gpt[1]) + Number(gpt[2] ?? 0) / 10
    if (version < 5 || model.includes('chat-latest')) return { reasoning: false, off: undefined, sampling: 'always' }
    return version >= 5.1
      ? { reasoning: true, off: 'none', sampling: 'without_thinking' }
      : { reasoning: true, off: 'minimal', sampling: 'never' }
  }
  if (/^o\d/.test(model)) return { reasoning: true, off: 'low', sampling: 'never' }
  return { reasoning: false, off: undefined, sampling: 'always' }
}

/** Models of the account that cannot answer here: embeddings, speech, pictures, moderation and the like. */
export function isChatModel(id: string): boolean {
  return (
    /^(?:gpt-|o\d|chatgpt-|codex-|ft:)/.test(id) &&
    !/(?:audio|realtime|transcribe|tts|image|search|instruct|embedding|moderation|live)/.test(id)
  )
}
