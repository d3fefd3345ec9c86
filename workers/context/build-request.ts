/** One build: append, freeze, mend, count, hash. */
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { estimateTokens } from './domain/class-scanner.ts'
import { messageKey } from './domain/message-text.ts'
import { countMessage, countSystem, countTools, promptOverheads } from './domain/prompt-overhead.ts'
import { promptTexts } from './domain/prompt-texts.ts'
import { repairPairs } from './domain/repair-pairs.ts'
import { stableTools } from './domain/stable-tools.ts'
import { computeBudget } from './domain/token-budget.ts'
import { withTurnContext } from './domain/turn-context.ts'
import { freezePrompt, freezeTurns, noticeChanges } from './freeze-turn.ts'
import type { SessionContext } from './session-context.ts'

export async function buildRequest(session: SessionContext, input: BuildTask, threadId: number): Promise<BuildOutput> {
  const notes: string[] = []
  session.history.length = input.from
  for (const message of input.messages) session.history.push(normalise(message))
  if (session.frozen === undefined) notes.push(...(await freezePrompt(session, input.userInput)))
  else if (session.history.at(-1)?.role === 'user') await noticeChanges(session)
  const frozen = session.frozen
  if (frozen === undefined) throw new Error('the system prompt was not made')
  const texts = promptTexts[frozen.language]

  const turnContexts = freezeTurns(session, input)
  session.tools = stableTools(input.tools, session.tools)
  const { messages: paired, report } = repairPairs(session.history)
  const mended = report.missingResults + report.orphanResults + report.duplicates + report.moved
  if (mended > 0) notes.push(texts.repaired(mended))
  const messages = paired.map((message) => asSent(session, message))

  const budget = computeBudget(input.model, input.contextBudget)
  const count = (text: string): number => estimateTokens(text, 'deepseek')
  const overhead = promptOverheads.deepseek
  const fixed = countSystem(frozen.systemPrompt, count, overhead) + countTools(session.tools.tools, count, overhead)
  let estimatedTokens = fixed
  for (const message of messages) estimatedTokens += countMessage(message, count, overhead, (counted, each) => (counted.images?.length ?? 0) * each)
  if (input.from === 0 && fixed > budget.budget / 2) notes.push(texts.heavyPrompt(fixed, budget.budget))
  const budgetRatio = estimatedTokens / budget.budget

  return {
    ok: true,
    request: {
      meta: { sessionId: input.sessionId, iteration: input.iteration, requestId: input.requestId, timestamp: input.now, agentVersion: input.agentVersion, model: input.model.id },
      systemPrompt: frozen.systemPrompt,
      messages,
      ...(session.tools.tools.length === 0 ? {} : { tools: [...session.tools.tools] }),
      params: { stream: true, thinkingEnabled: input.thinkingEnabled },
    },
    context: {
      id: `c_${input.requestId}`,
      sessionId: input.sessionId,
      systemPrompt: frozen.systemPrompt,
      relevantMemories: input.memories ?? [],
      currentTask: { userInput: input.userInput, iteration: input.iteration, ...(input.taskGoal === undefined ? {} : { taskGoal: input.taskGoal }) },
      estimatedTokens,
      usageRatio: estimatedTokens / budget.window,
      needsCompression: budgetRatio >= 0.8,
      budgetRatio,
    },
    messagesHash: session.hash.digest(messages),
    notes,
    ...(turnContexts.length === 0 ? {} : { turnContexts }),
    threadId,
  }
}

/** The same object for the same message each time, so that counts and hashes are kept by identity. */
function asSent(session: SessionContext, message: MetonaMessage): MetonaMessage {
  const known = session.sent.get(message)
  if (known !== undefined) return known
  const key = messageKey(message)
  const block = key === undefined ? message.turnContext : session.turnContexts.get(key)
  const sent = withTurnContext(message, block === '' ? undefined : block)
  session.sent.set(message, sent)
  return sent
}

/** A call without a time takes its message's, as the contract's schema does it. */
function normalise(message: MetonaMessage): MetonaMessage {
  const calls = message.toolCalls as (Omit<NonNullable<MetonaMessage['toolCalls']>[number], 'timestamp'> & { timestamp?: number })[] | undefined
  if (calls === undefined || calls.every((call) => call.timestamp !== undefined)) return message
  return { ...message, toolCalls: calls.map((call) => ({ ...call, timestamp: call.timestamp ?? message.timestamp })) }
}
