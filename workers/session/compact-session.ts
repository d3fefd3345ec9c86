/** Compaction from the session's side: asks the context thread what to do, the model for a summary, and writes down what came of it. */
import {
  CompactionStepSchema,
  type CompactionRecord,
  type CompactionStep,
  type PlanCompactionInput,
} from '#contracts/context/compaction.ts'
import type { BuildInput } from '#contracts/context/context-tasks.ts'
import type { ModelTarget } from '#contracts/llm/llm-service.ts'
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import { stopped, unlessAborted } from './context-pool.ts'
import { flushMemories } from './flush-memories.ts'
import type { TurnSettings } from './domain/turn-ports.ts'
import type { LiveSession } from './live-session.ts'
import { newId } from './new-id.ts'
import type { Services } from './services.ts'
import { sideRequest, type SideRequestOrder } from './side-request.ts'

export interface CompactionOrder {
  readonly services: Services
  readonly session: LiveSession
  readonly target: ModelTarget
  readonly approval: TurnSettings['approval']
  readonly reason: PlanCompactionInput['reason']
  readonly instructions?: string
  readonly signal: AbortSignal
  readonly turn?: number
  readonly onSpent?: SideRequestOrder['onSpent']
}

export type CompactionEnd =
  | Extract<CompactionStep, { kind: 'applied' }>
  | { readonly kind: 'none'; readonly code: string; readonly message: string }

/** Follows the context thread's steps to their end. Never rejects for the model's reasons: a digest stands in for a summary. */
export async function compactSession(order: CompactionOrder): Promise<CompactionEnd> {
  const { session, reason, instructions } = order
  const { sessionId } = session
  let step = await run(order, 'planCompaction', {
    sessionId,
    requestId: newId('r'),
    reason,
    ...(instructions === undefined ? {} : { instructions }),
    carryOver: carriedOver(session),
    now: Date.now(),
  })
  // Only where something is about to be summarised; after an overflow no model is asked at all.
  if (step.kind === 'ask_model') await flushMemories(order, (request) => askModel(order, request, 'memories'))
  while (step.kind === 'ask_model') {
    const response = await askModel(order, step.request, 'summary')
    step = await run(order, 'applySummary', {
      sessionId,
      planId: step.planId,
      ...(response === undefined
        ? {}
        : {
            response: {
              content: response.content,
              finishReason: response.finishReason,
              ...(response.toolCalls === undefined ? {} : { toolCalls: response.toolCalls }),
            },
          }),
    })
  }
  switch (step.kind) {
    case 'applied':
      await commitCompaction(session, step.record, order.turn)
      return step
    case 'unknown_session':
      // Its thread was replaced: the next build sends the history whole, and asks again if it must.
      session.contextCursor = 0
      return { kind: 'none', code: 'TRY_AGAIN', message: 'the context was being rebuilt' }
    case 'nothing':
      return { kind: 'none', code: 'NOTHING_TO_COMPACT', message: step.message }
    case 'irreducible':
      return { kind: 'none', code: 'CONTEXT_TOO_LARGE', message: step.message }
    case 'stopped':
      if (reason !== 'manual' && !session.noticed.has('compaction_stopped'))
        await session.commit([{ event: 'notice', code: 'compaction_stopped', message: step.message }])
      return { kind: 'none', code: 'COMPACTION_STOPPED', message: step.message }
  }
}

/** What the summary may not lose of the session's own state. */
function carriedOver({ snapshot, grants }: LiveSession): string[] {
  return [`Permission mode: ${snapshot.permission}`, ...[...grants].map((grant) => `Allowed for this session: ${grant.replace('\n', ' ')}`)]
}

export async function commitCompaction(session: LiveSession, record: CompactionRecord, turn: number | undefined): Promise<void> {
  const { summary, method, tokensBefore, tokensAfter, state } = record
  await session.commit([
    {
      event: 'compaction',
      summary,
      upToSeq: session.seqOf(record.upToId),
      tokensBefore,
      tokensAfter,
      method,
      state,
      ...(turn === undefined ? {} : { turn }),
    },
  ])
}

/** What goes with a history that is sent from its start. */
export function wholeHistory(session: LiveSession): Pick<BuildInput, 'compaction' | 'counts'> {
  return {
    ...(session.compaction === undefined ? {} : { compaction: session.compaction }),
    ...(session.counts.size === 0 ? {} : { counts: [...session.counts.values()] }),
  }
}

async function run(
  { services, session, signal }: CompactionOrder,
  task: 'planCompaction' | 'applySummary',
  input: unknown,
): Promise<CompactionStep> {
  // Stopped: a summary that came too late must not be put in force.
  const step = signal.aborted ? Promise.reject(stopped()) : services.pool.run(session.sessionId, task, input)
  try {
    return CompactionStepSchema.parse(await unlessAborted(step, signal))
  } catch (thrown) {
    // What the thread made of it is not known: it gets the session anew.
    session.contextCursor = 0
    throw thrown
  }
}

/** The summary is not part of the conversation. */
async function askModel(
  order: CompactionOrder,
  request: Extract<CompactionStep, { kind: 'ask_model' }>['request'],
  purpose: 'summary' | 'memories',
): Promise<MetonaResponse | undefined> {
  try {
    const response = await sideRequest(order, request, purpose)
    return response.finishReason === 'error' || response.finishReason === 'aborted' ? undefined : response
  } catch (thrown) {
    order.services.context.log('warn', `summary: ${toErrorData(thrown).message}`)
    return undefined
  }
}
