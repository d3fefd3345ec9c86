/** The prompt of `run`: from the command line, or from standard input. */
import { UsageError } from './arguments.ts'

/** @throws UsageError NO_PROMPT when standard input is a terminal and nothing was written, EMPTY_PROMPT when it is blank. */
export async function readPrompt(words: readonly string[]): Promise<string> {
  const fromInput = words.length === 0 || (words.length === 1 && words[0] === '-')
  if (fromInput && process.stdin.isTTY) throw new UsageError('NO_PROMPT')
  const prompt = fromInput ? await readInput() : words.join(' ')
  if (prompt.trim() === '') throw new UsageError('EMPTY_PROMPT')
  return prompt
}

/** Standard input as text; a byte order mark is no part of it. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replace(/\r?\n$/, '')
}
