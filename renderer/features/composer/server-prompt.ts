/** Messages that are a prompt of an MCP server, and what becomes of its text. Pure. */
import type { McpPrompt, McpPromptText } from '#contracts/tools/mcp-prompt.ts'

/** Words of a command line; quotes hold spaces together. */
function wordsOf(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '')
}

/** @returns undefined for a message like any other. Words behind the name fill its arguments in their order, the last takes the rest. */
export function readPrompt(
  text: string,
  find: (word: string) => McpPrompt | undefined,
): { readonly prompt: McpPrompt; readonly given: Record<string, string> } | undefined {
  const [, word = '', rest = ''] = /^\/([^\s/]+:[^\s/]+)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  const prompt = find(word)
  if (prompt === undefined) return undefined
  const words = wordsOf(rest)
  const last = prompt.arguments.length - 1
  const given: Record<string, string> = {}
  for (const [index, { name }] of prompt.arguments.entries()) {
    const value = index === last ? words.slice(index).join(' ') : (words[index] ?? '')
    if (value !== '') given[name] = value
  }
  return { prompt, given }
}

export function isComplete({ prompt, given }: { readonly prompt: McpPrompt; readonly given: Readonly<Record<string, string>> }): boolean {
  return prompt.arguments.every(({ name }) => given[name] !== undefined)
}

/**
 * Every line of the server's is quoted: it cannot pose as what the person wrote.
 * @param lead says whose text it is. @param leftOut says what is missing, where something is.
 */
export function quotePrompt({ messages }: McpPromptText, lead: string, leftOut: string | undefined): string {
  const lines = messages.flatMap(({ role, text }) => [...(role === 'user' ? [] : [`[${role}]`]), ...text.split('\n')])
  return [lead, '', ...lines.map((line) => `> ${line}`), ...(leftOut === undefined ? [] : ['', leftOut]), ''].join('\n')
}
