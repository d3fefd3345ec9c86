/** What may be remembered. An item becomes part of a prompt, so text that could pass for structure, or for a secret, is refused. */

import { hasHiddenCharacters } from './hidden-characters.ts'
import { isSecretText } from './secret-text.ts'

export type TextProblem = 'empty' | 'too_long' | 'control_characters' | 'heading' | 'code_fence' | 'prompt_tag' | 'secret'

const HEADING = /^\s{0,3}(?:[-*+>]\s+)*#{1,6}(?:\s|$)|^\s{0,3}(?:={3,}|-{3,})\s*$/m
const FENCE = /^\s{0,3}(?:[-*+>]\s+)*(?:`{3,}|~{3,})|`{3,}/m
const TAG =
  /<\s*\/?\s*(?:context|summary|user_message|folder_rules|system|assistant|user|human|developer|tool|tools|instructions?|memory|im_start|im_end)\b[^>]*>|<\|[^|>]{1,40}\|>|<!--/i
/** @param longest characters. @returns undefined when the text may be kept. */
export function textProblem(text: string, longest: number): TextProblem | undefined {
  if (text.trim() === '') return 'empty'
  if (text.length > longest) return 'too_long'
  if (hasHiddenCharacters(text)) return 'control_characters'
  // The full-width forms of these signs are read as the signs themselves.
  const plain = text.normalize('NFKC')
  if (HEADING.test(plain)) return 'heading'
  if (FENCE.test(plain)) return 'code_fence'
  if (TAG.test(plain)) return 'prompt_tag'
  return isSecretText(text) ? 'secret' : undefined
}

/** For the model and for people; the texts of other languages are the clients'. */
export const problemTexts: Readonly<Record<TextProblem, string>> = {
  empty: 'there is no text',
  too_long: 'the text is too long',
  control_characters: 'the text holds control characters or invisible marks',
  heading: 'a line of the text is a heading or a rule (#, ---), which would begin a new section of the prompt',
  code_fence: 'the text holds a code fence (``` or ~~~), which would swallow what follows it',
  prompt_tag: 'the text holds a tag that structures prompts, or a comment mark',
  secret: 'the text holds a password, key or token; those are never remembered',
}
