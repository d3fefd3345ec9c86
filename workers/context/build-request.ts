/** One build: append, freeze, assemble, mend, count, keep within the window, hash. */
import type { BuildOutput, BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { SeenFile } from '#contracts/workspace/agreed-file.ts'
import { fitState } from './domain/assemble-history.ts'
import { irreducible, largestParts } from './domain/largest-parts.ts'
import { promptTexts } from './domain/prompt-texts.ts'
import { partitionFiles } from './domain/system-prompt.ts'
import { stableTools } from './domain/stable-tools.ts'
import { fitWindow } from './fit-window.ts'
import { folderFiles, freezeFolderRules } from './freeze-rules.ts'
import { freezePrompt, freezeTurns, noticeChanges } from './freeze-turn.ts'
import type { ModelAccounts } from './model-accounts.ts'
import type { SessionContext } from './session-context.ts'
import { budgetOf } from './session-view.ts'

const COMPRESS_RATIO = 0.8

export async function buildRequest(
  session: SessionContext,
  input: BuildTask,
  accounts: ModelAccounts,
  threadId: number,
): Promise<BuildOutput> {
  const notes: string[] = []
  append(session, input)
  const unseen = await lookAtFiles(session, input)
  if (unseen.length > 0) return { ok: false, reason: 'unseen_files', files: unseen }
  if (mustFreeze(session)) notes.push(...freezePrompt(session, input.userInput))
  else noticeChanges(session)
  const frozen = session.frozen
  if (frozen === undefined) throw new Error('the system prompt was not made')
  const texts = promptTexts[frozen.language]
  const turnContexts = [...freezeTurns(session, input), ...freezeFolderRules(session, input)]
  session.tools = stableTools(input.tools, session.tools)
  session.input = input

  const budget = budgetOf(session, input)
  const meter = session.meter(input.model.provider, input.model.id)
  const fitted = await fitWindow(session, accounts, budget)
  if (fitted.kind === 'irreducible') {
    const parts = largestParts({
      systemPrompt: frozen.systemPrompt,
      tools: meter.tools(session.tools),
      messages: fitted.view.messages,
      tokensOf: meter.message,
      count: meter.text,
    })
    return { ok: false, reason: 'irreducible', ...irreducible(fitted.tokens, budget.inputLimit, parts, frozen.language) }
  }
  const { view, estimate, compaction } = fitted
  if (compaction !== undefined && compaction.method !== 'prune') notes.push(texts.cutToFit(compaction.tokensBefore, compaction.tokensAfter))
  if (view.mended > 0) notes.push(texts.repaired(view.mended))
  const fixed = meter.fixed(frozen.systemPrompt, session.tools)
  if (input.from === 0 && fixed > budget.budget / 2) notes.push(texts.heavyPrompt(fixed, budget.budget))

  const budgetRatio = estimate.tokens / budget.budget
  const kept =
    input.heldRequestId !== undefined && session.sent?.requestId === input.heldRequestId
      ? sameAtStart(session.sent.messages, view.messages)
      : 0
  session.sent = {
    requestId: input.requestId,
    provider: input.model.provider,
    model: input.model.id,
    frozen,
    tools: session.tools,
    messages: view.messages,
    counted: estimate.counted,
    estimated: estimate.tokens,
    anchored: estimate.anchored,
  }
  const counts = meter.takeNews()
  return {
    ok: true,
    request: {
      meta: {
        sessionId: input.sessionId,
        iteration: input.iteration,
        requestId: input.requestId,
        timestamp: input.now,
        agentVersion: input.agentVersion,
        model: input.model.id,
      },
      systemPrompt: frozen.systemPrompt,
      messages: kept === 0 ? view.messages : view.messages.slice(kept),
      ...(session.tools.tools.length === 0 ? {} : { tools: [...session.tools.tools] }),
      params: { stream: true, thinkingEnabled: input.thinkingEnabled },
    },
    ...(kept === 0 ? {} : { kept }),
    context: {
      id: `c_${input.requestId}`,
      sessionId: input.sessionId,
      systemPrompt: frozen.systemPrompt,
      relevantMemories: input.memories ?? [],
      currentTask: {
        userInput: input.userInput,
        iteration: input.iteration,
        ...(input.taskGoal === undefined ? {} : { taskGoal: input.taskGoal }),
      },
      estimatedTokens: estimate.tokens,
      usageRatio: estimate.tokens / budget.window,
      needsCompression: budgetRatio >= COMPRESS_RATIO,
      budgetRatio,
    },
    messagesHash: session.hash.digest(view.messages),
    notes,
    ...(turnContexts.length === 0 ? {} : { turnContexts }),
    ...(compaction === undefined ? {} : { compaction }),
    ...(counts.length === 0 ? {} : { counts }),
    threadId,
  }
}

/** The four files where they are needed or changed, and those of folders that were touched. @returns what has to be judged first. */
async function lookAtFiles(session: SessionContext, input: BuildTask): Promise<SeenFile[]> {
  session.files.take(input)
  const ownTurn = session.history.at(-1)?.role === 'user'
  const four = mustFreeze(session) ? partitionFiles : ownTurn ? await session.files.changed(partitionFiles) : []
  const below = folderFiles(session, input)
  return four.length + below.length === 0 ? [] : session.files.look([...four, ...below])
}

function mustFreeze(session: SessionContext): boolean {
  return session.frozen === undefined || session.renewPrompt
}

function append(session: SessionContext, input: BuildTask): void {
  if (input.from < session.history.length) session.history.length = input.from
  for (const message of input.messages) session.history.push(normalise(message))
  if (input.from === 0 && input.compaction !== undefined) session.state = input.compaction
  if (session.state !== undefined) session.state = fitState(session.state, session.history)
}

function sameAtStart(before: readonly MetonaMessage[], now: readonly MetonaMessage[]): number {
  let same = 0
  while (same < before.length && same < now.length && before[same] === now[same]) same++
  return same
}

/** A call without a time takes its message's, as the contract's schema does it. */
function normalise(message: MetonaMessage): MetonaMessage {
  const calls = message.toolCalls as
    | (Omit<NonNullable<MetonaMessage['toolCalls']>[number], 'timestamp'> & { timestamp?: number })[]
    | undefined
  if (calls === undefined || calls.every((call) => call.timestamp !== undefined)) return message
  return { ...message, toolCalls: calls.map((call) => ({ ...call, timestamp: call.timestamp ?? message.timestamp })) }
}
