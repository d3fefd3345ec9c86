/**
 * Before the older part of a conversation is summarised the model is asked, once and unseen, what of it should outlive this session. The
 * question goes behind the request that was just built, so that the provider's cached prefix serves it; only calls of `remember` count.
 * Nobody is asked about what comes of it, so it happens only where `remember` needs no question, and it weighs little: the conversation
 * may hold words of strangers.
 */
import * as z from 'zod'
import type { ModelTarget } from '#contracts/llm/llm-service.ts'
import { MemoryDraftSchema } from '#contracts/metona/memory-entry.ts'
import type { MetonaRequest } from '#contracts/metona/metona-request.ts'
import type { MetonaResponse } from '#contracts/metona/metona-response.ts'
import type { PermissionMode } from '#contracts/session/session-enums.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { CallExposure } from '#contracts/session/call-exposure.ts'
import { decideApproval } from './domain/approval-policy.ts'
import { judged, REMEMBERS } from './domain/session-exposure.ts'
import type { TurnSettings } from './domain/turn-ports.ts'
import type { LiveSession } from './live-session.ts'
import { newId } from './new-id.ts'
import type { Services } from './services.ts'

/** A shorter conversation is summarised without loss worth another request. */
const LEAST_TOKENS = 8_000
const MOST_ITEMS = 10
const MOST_IMPORTANCE = 0.2
const ASK = {
  en: 'The older part of this conversation is about to be replaced by a summary. If it holds lasting facts, preferences of the user, or decisions with their reasons that later sessions should know and that are not remembered yet, call remember once for each (at most ten, no secrets). Do nothing else. If there is nothing, answer "nothing".',
  zh: '这段对话较早的部分即将被摘要取代。如果其中有以后的会话应当知道、而尚未记住的长期事实、用户偏好或带理由的决定，请对每一条调用一次 remember（最多十条，不含任何密钥）。不要做别的事。如果没有，回答“没有”。',
}

const CallSchema = MemoryDraftSchema.pick({ type: true, content: true, summary: true, importance: true })

export interface FlushOrder {
  readonly services: Services
  readonly session: LiveSession
  readonly target: ModelTarget
  readonly approval: TurnSettings['approval']
  readonly turn?: number
}

/** Never rejects: what cannot be saved is not worth stopping for. @param ask sends a request whose answer nobody sees. */
export async function flushMemories(
  { services, session, approval, turn }: FlushOrder,
  ask: (request: MetonaRequest) => Promise<MetonaResponse | undefined>,
): Promise<void> {
  const { held } = session
  if (held === undefined || held.tokens < LEAST_TOKENS || held.request.tools?.some((tool) => tool.name === REMEMBERS) !== true) return
  if (!mayFlush(session.snapshot.permission, approval, session.exposure)) return
  const spoken = held.messages.findLast((message) => message.role === 'user')?.content ?? ''
  const response = await ask({
    ...held.request,
    meta: { ...held.request.meta, requestId: newId('r'), timestamp: Date.now() },
    messages: [
      ...held.messages,
      { role: 'user', content: /\p{Script=Han}/u.test(spoken) ? ASK.zh : ASK.en, timestamp: Date.now(), id: newId('m') },
    ],
  })
  let count = 0
  for (const call of (response?.toolCalls ?? []).filter(({ name }) => name === REMEMBERS).slice(0, MOST_ITEMS)) {
    const draft = CallSchema.extend({ section: z.undefined().optional() }).safeParse(call.args)
    if (!draft.success) continue
    try {
      const { section: _none, ...item } = draft.data
      const storage = await services.storage.client()
      const { added } = await storage.memoryAdd({
        workspace: session.workspace,
        item: {
          ...item,
          importance: Math.min(item.importance ?? MOST_IMPORTANCE, MOST_IMPORTANCE),
          sessionId: session.sessionId,
          source: 'agent_thought',
        },
      })
      if (added) count++
    } catch (thrown) {
      services.context.log('info', `not remembered before compaction: ${toErrorData(thrown).message}`)
    }
  }
  if (count === 0) return
  await session.commit([
    {
      event: 'notice',
      code: 'memories_flushed',
      message: `${count} memories were kept before the conversation was summarised`,
      params: { count },
      ...(turn === undefined ? {} : { turn }),
    },
  ])
}

/** Where `remember` runs without a question, whatever it keeps; never while only a plan is made, nor once strangers' words were read. */
export function mayFlush(mode: PermissionMode, approval: TurnSettings['approval'], exposure: CallExposure): boolean {
  const call = judged({ ok: true, argumentsHash: '', display: '', risk: 'session' }, REMEMBERS, exposure)
  return mode !== 'plan' && decideApproval(REMEMBERS, call, { ...approval, mode, granted: false, interactive: false }).kind === 'allow'
}
