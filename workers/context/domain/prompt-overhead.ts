/** What a provider's prompt format adds to the texts: constants per family of models. */
import type { MetonaMessage, MetonaSystemPrompt } from '#contracts/metona/metona-request.ts'
import type { MetonaToolDef } from '#contracts/metona/metona-tool.ts'
import { toolResultText } from './message-text.ts'

/** Counts the tokens of a text; the number 0 belongs to the empty text only. */
export type CountText = (text: string) => number

export interface PromptOverhead {
  /** Once per request. */
  readonly base: number
  readonly user: number
  readonly assistant: number
  readonly toolResult: number
  readonly system: number
  /** Once per request that offers any tool. */
  readonly toolsBlock: number
  /** Per tool, besides its schema. */
  readonly tool: number
  /** Once per assistant message that calls tools. */
  readonly toolTurn: number
  /** Per tool call, besides name and arguments; per argument. */
  readonly call: number
  readonly argument: number
  /** The server renders schemas with spaces behind `,` and `:`. */
  readonly spacedSchemas: boolean
  /** Earlier reasoning is part of the prompt for turns with tool calls, for all turns, or never. */
  readonly thinking: 'tool_turns' | 'never'
  /** Per image when its size cannot be read. */
  readonly image: number
}

export type OverheadFamily = 'deepseek' | 'openai' | 'anthropic' | 'qwen' | 'generic'

export const promptOverheads: Readonly<Record<OverheadFamily, PromptOverhead>> = {
  // A call is written as markup: 62 tokens where name and JSON take 14 for two arguments.
  deepseek: {
    base: 1,
    user: 3,
    assistant: 1,
    toolResult: 7,
    system: 0,
    toolsBlock: 221,
    tool: 0,
    toolTurn: 9,
    call: 20,
    argument: 14,
    spacedSchemas: true,
    thinking: 'tool_turns',
    image: 1_024,
  },
  openai: {
    base: 3,
    user: 4,
    assistant: 4,
    toolResult: 8,
    system: 4,
    toolsBlock: 24,
    tool: 6,
    toolTurn: 0,
    call: 8,
    argument: 1,
    spacedSchemas: false,
    thinking: 'never',
    image: 1_105,
  },
  anthropic: {
    base: 5,
    user: 4,
    assistant: 4,
    toolResult: 12,
    system: 4,
    toolsBlock: 340,
    tool: 45,
    toolTurn: 0,
    call: 30,
    argument: 8,
    spacedSchemas: false,
    thinking: 'tool_turns',
    image: 1_600,
  },
  qwen: {
    base: 3,
    user: 5,
    assistant: 5,
    toolResult: 9,
    system: 5,
    toolsBlock: 120,
    tool: 4,
    toolTurn: 0,
    call: 16,
    argument: 2,
    spacedSchemas: true,
    thinking: 'never',
    image: 1_600,
  },
  generic: {
    base: 4,
    user: 5,
    assistant: 5,
    toolResult: 8,
    system: 5,
    toolsBlock: 100,
    tool: 8,
    toolTurn: 0,
    call: 16,
    argument: 3,
    spacedSchemas: false,
    thinking: 'never',
    image: 1_600,
  },
}

export function countMessage(
  message: MetonaMessage,
  count: CountText,
  overhead: PromptOverhead,
  imageTokens: (message: MetonaMessage, each: number) => number,
): number {
  const images = message.images === undefined ? 0 : imageTokens(message, overhead.image)
  switch (message.role) {
    case 'user':
      return overhead.user + count(message.content) + images
    case 'system':
      return overhead.system + count(message.content)
    case 'tool':
      return overhead.toolResult + count(message.toolResult === undefined ? message.content : toolResultText(message.toolResult)) + images
    case 'assistant': {
      const calls = message.toolCalls ?? []
      let tokens = overhead.assistant + count(message.content) + (calls.length === 0 ? 0 : overhead.toolTurn)
      if (message.thinking !== undefined && overhead.thinking === 'tool_turns' && calls.length > 0)
        tokens += count(message.thinking.content)
      for (const call of calls) {
        const names = Object.keys(call.args)
        tokens += overhead.call + overhead.argument * names.length + count(call.name)
        for (const name of names) tokens += count(name) + count(argumentText(call.args[name]))
      }
      return tokens
    }
  }
}

export function countTools(tools: readonly MetonaToolDef[], count: CountText, overhead: PromptOverhead): number {
  if (tools.length === 0) return 0
  let tokens = overhead.toolsBlock
  for (const tool of tools) {
    const rendered = { name: tool.name, description: tool.description, parameters: tool.parameters }
    tokens += overhead.tool + count(overhead.spacedSchemas ? spacedJson(rendered) : JSON.stringify(rendered))
  }
  return tokens
}

export function countSystem(prompt: MetonaSystemPrompt, count: CountText, overhead: PromptOverhead): number {
  return overhead.base + overhead.system + count(systemText(prompt))
}

/** The partitions in the order adapters join them. */
export function systemText(prompt: MetonaSystemPrompt): string {
  return [prompt.roleDefinition, prompt.outputConstraints, prompt.safetyGuidelines, prompt.behaviorRules, prompt.userProfile, prompt.memory]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n')
}

function argumentText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** JSON with a space behind every comma and colon between values, as Python writes it. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
    return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}: ${spacedJson(entry)}`).join(', ')}}`
  }
  return JSON.stringify(value) ?? 'null'
}
