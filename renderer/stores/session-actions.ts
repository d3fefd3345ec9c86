/** What a person does to sessions. Every action names its session: nothing is bound to "the current one" after an await. */
import type { MetonaImage } from '#contracts/metona/metona-request.ts'
import type { PendingApproval } from '#contracts/session/pending-approval.ts'
import type { SessionSettings } from '#contracts/session/session-commands.ts'
import { defineStore } from 'pinia'
import { ref } from 'vue'
import { useConnectionStore } from './connection.ts'

export interface Answer {
  readonly decision: 'allow' | 'deny'
  readonly scope?: 'once' | 'session' | 'always'
  readonly reason?: string
  /** What the person wrote to a question of the model's. */
  readonly answer?: string
}

export const useSessionActionsStore = defineStore('session-actions', () => {
  const connection = useConnectionStore()
  /** Sessions whose Stop was pressed and has not finished. */
  const stopping = ref<ReadonlySet<string>>(new Set())
  /** Questions (`questionKey`) that were answered here, or whose answer is on its way: until one is gone nothing more is sent. */
  const answering = ref<ReadonlySet<string>>(new Set())

  /** Resolves with the new session's id. */
  async function create(workspace: string, settings: SessionSettings): Promise<string> {
    return (await connection.call('session.create', { workspace, ...settings })).sessionId
  }

  async function prompt(
    sessionId: string,
    content: string,
    whenBusy: 'queue' | 'steer',
    images: readonly MetonaImage[] = [],
    messageId: string = newMessageId(),
  ): Promise<void> {
    await connection.call('session.prompt', {
      sessionId,
      messageId,
      content,
      whenBusy,
      ...(images.length === 0 ? {} : { images: [...images] }),
    })
  }

  /** Takes a message out of the queue; answers its text, or nothing when it had already gone in. */
  async function unqueue(sessionId: string, messageId: string): Promise<string | undefined> {
    return (await connection.call('session.unqueue', { sessionId, messageId })).content
  }

  /** Resolves when the host has ended everything; `survivors` are processes that would not die. */
  async function stop(sessionId: string): Promise<{ survivors: readonly number[] }> {
    if (stopping.value.has(sessionId)) return { survivors: [] }
    stopping.value = new Set([...stopping.value, sessionId])
    try {
      return await connection.call('session.stop', { sessionId })
    } finally {
      stopping.value = without(stopping.value, sessionId)
    }
  }

  async function answer(sessionId: string, approval: PendingApproval, given: Answer): Promise<void> {
    const key = questionKey(approval)
    if (answering.value.has(key)) return
    answering.value = new Set([...answering.value, key])
    try {
      await connection.call('session.answer', {
        sessionId,
        toolCallId: approval.toolCallId,
        argumentsHash: approval.argumentsHash,
        decision: given.decision,
        ...(given.scope === undefined ? {} : { scope: given.scope }),
        ...(given.reason === undefined ? {} : { reason: given.reason }),
        ...(given.answer === undefined ? {} : { answer: given.answer }),
      })
    } catch (error) {
      answering.value = without(answering.value, key)
      throw error
    }
  }

  const resume = async (sessionId: string): Promise<void> => void (await connection.call('session.resume', { sessionId }))
  const retry = async (sessionId: string): Promise<void> => void (await connection.call('session.retry', { sessionId }))
  /** Says a message anew in its place; what came after it is no longer sent. */
  const edit = async (sessionId: string, messageId: string, content: string): Promise<void> =>
    void (await connection.call('history.edit', { sessionId, messageId, newMessageId: newMessageId(), content }))
  /** Resolves with the id of the new session, which begins with everything up to `atSeq`. */
  const fork = async (workspace: string, sessionId: string, atSeq: number): Promise<string> =>
    (await connection.call('session.fork', { workspace, sessionId, atSeq })).sessionId
  const update = async (sessionId: string, settings: SessionSettings): Promise<void> =>
    void (await connection.call('session.update', { sessionId, ...settings }))

  return { stopping, answering, create, prompt, unqueue, stop, answer, resume, retry, edit, fork, update }
})

/** One call may ask several questions, one after the other: each is a question of its own. */
export function questionKey({ toolCallId, argumentsHash, requestedAt }: PendingApproval): string {
  return `${toolCallId} ${argumentsHash} ${requestedAt}`
}

/** Made here, so that a call repeated after a lost answer is still one message. */
export function newMessageId(): string {
  const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
  return `m_${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => letters[byte % 36]).join('')}`
}

function without<T>(set: ReadonlySet<T>, member: T): ReadonlySet<T> {
  const rest = new Set(set)
  rest.delete(member)
  return rest
}
