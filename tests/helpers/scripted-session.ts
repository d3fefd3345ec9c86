/** The session worker's end of a client port, played by a test: answers calls, posts parts. */
import type { ClientMessage, HostMessage, PostPart } from '#contracts/session/client-protocol.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { toErrorData } from '#contracts/wire/app-error.ts'
import type { Port } from '#contracts/wire/port.ts'
import { localPorts } from '#main/host/local-port.ts'

type Call = Extract<ClientMessage, { type: 'call' }>

export interface ScriptedSession {
  /** For `createClient`. */
  readonly port: Port
  readonly calls: Call[]
  readonly acks: number[]
  /** What to answer a method with; an AppError thrown becomes a failure. */
  answer(method: string, reply: (params: never) => unknown): void
  post(...parts: PostPart[]): void
  say(message: HostMessage): void
  close(): void
}

export function scriptedSession(): ScriptedSession {
  const [near, far] = localPorts()
  const replies = new Map<string, (params: never) => unknown>()
  const calls: Call[] = []
  const acks: number[] = []
  let posts = 0
  const say = (message: HostMessage): void => far.postMessage(message)
  far.addEventListener('message', ({ data }) => {
    const message = data as ClientMessage
    if (message.type === 'ack') return void acks.push(message.post)
    if (message.type !== 'call') return
    calls.push(message)
    const reply = replies.get(message.method)
    if (reply === undefined) return
    setImmediate(() => {
      try {
        say({ type: 'result', id: message.id, ok: true, value: reply(message.params as never) })
      } catch (error) {
        say({ type: 'failure', id: message.id, error: toErrorData(error) })
      }
    })
  })
  far.start()
  return {
    port: near,
    calls,
    acks,
    answer: (method, reply) => void replies.set(method, reply),
    post: (...parts) => say({ type: 'post', post: ++posts, parts }),
    say,
    close: () => far.close(),
  }
}

/** A small durable event. */
export function noticeEvent(seq: number, sessionId = 's_one'): SessionEvent {
  return { seq, ts: '2026-01-01T00:00:00.000Z', event: 'notice', sessionId, code: 'N', message: `event ${seq}`, eventId: `e_${seq}` }
}
