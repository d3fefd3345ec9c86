/** What a session's next request consists of, part by part, for people. */
import type { ContextParts } from '#contracts/context/context-parts.ts'
import type { MetonaMessage, MetonaSystemPrompt } from '#contracts/metona/metona-request.ts'
import { SUMMARY_ID } from './domain/assemble-history.ts'
import type { SessionContext } from './session-context.ts'
import { budgetOf, viewSession } from './session-view.ts'

const PARTITIONS: readonly (readonly [keyof MetonaSystemPrompt, string])[] = [
  ['roleDefinition', 'SOUL.md'],
  ['behaviorRules', 'AGENTS.md'],
  ['userProfile', 'USERS.md'],
  ['memory', 'MEMORY.md'],
]

/** @returns undefined before the session's first build in this thread. */
export function readParts(session: SessionContext | undefined): ContextParts | undefined {
  const { input, frozen, sent, tools } = session ?? {}
  if (session === undefined || input === undefined || frozen === undefined || tools === undefined) return undefined
  const meter = session.meter(input.model.provider, input.model.id)
  const budget = budgetOf(session, input)
  const { systemPrompt } = frozen
  const partitions = PARTITIONS.flatMap(([partition, name]) => {
    const text = systemPrompt[partition]
    return text === undefined || text === '' ? [] : [{ name, tokens: meter.text(text) }]
  })
  const toolTokens = meter.tools(tools)
  const named = partitions.reduce((sum, part) => sum + part.tokens, 0)
  // Whatever else stands in the prompt: the app's own rules and what joins the parts.
  const rest = Math.max(0, meter.fixed(systemPrompt, tools) - toolTokens - named)
  const { messages } = viewSession(session)
  const of = (isPart: (message: MetonaMessage) => boolean): number =>
    messages.reduce((sum, message) => sum + (isPart(message) ? meter.message(message) : 0), 0)
  const isSummary = (message: MetonaMessage): boolean => message.id === SUMMARY_ID
  const reported = session.anchor?.usage.inputTokens
  return {
    partitions: [...partitions, { name: '', tokens: rest }],
    tools: { count: tools.tools.length, tokens: toolTokens },
    history: {
      messages: messages.length,
      user: of((message) => message.role === 'user' && !isSummary(message)),
      assistant: of((message) => message.role === 'assistant'),
      toolResults: of((message) => message.role === 'tool'),
      summary: of(isSummary),
    },
    estimated: sent?.estimated ?? 0,
    ...(reported === undefined ? {} : { reported }),
    budget: budget.budget,
    window: budget.window,
    counter: meter.counter,
  }
}
