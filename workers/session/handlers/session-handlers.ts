/** Everything a client does with sessions. */
import { AppError } from '#contracts/wire/app-error.ts'
import type { LiveSession } from '../live-session.ts'
import { newId } from '../new-id.ts'
import { newestItems } from '../newest-items.ts'
import { undoChanges } from '../undo-changes.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function sessionHandlers({ workspaces, manager, services }: HandlerParts): HandlersOf<'session'> {
  return {
    'session.create': async ({ workspace, interactive, ...settings }) => ({
      sessionId: (await manager.create(workspace, settings, interactive)).sessionId,
    }),
    'session.open': async ({ workspace, sessionId, interactive, ...settings }) => ({
      sessionId: (await manager.open(workspace, sessionId, settings, interactive)).sessionId,
    }),
    'session.list': async ({ workspace }) => ({ sessions: await manager.list(workspace) }),
    'session.read': async ({ workspace, sessionId, fromSeq, limit }) =>
      (await workspaces.open(workspace)).readEvents({ workspace, sessionId, fromSeq, limit }),
    'session.subscribe': async ({ sessionId, deltas, newest }, { client }) => ({
      snapshot: newestItems(manager.get(sessionId).snapshot, newest),
      rev: client.subscribe(sessionId, { deltas }),
    }),
    'session.items': async ({ sessionId, before, limit }) => ({
      items: manager.get(sessionId).snapshot.items.slice(Math.max(0, before - limit), before),
    }),
    'session.unsubscribe': async ({ sessionId }, { client }) => {
      client.unsubscribe(sessionId)
      return {}
    },
    'session.subscribeList': async (_input, { client }) => {
      client.subscribeList()
      return { sessions: await manager.list(undefined) }
    },
    'session.prompt': async ({ sessionId, messageId, content, images, whenBusy }) => ({
      state: await manager.get(sessionId).turns.prompt({ messageId, content, images, whenBusy }),
    }),
    'session.unqueue': async ({ sessionId, messageId }) => {
      const session = manager.get(sessionId)
      const queued = session.snapshot.queue.find((message) => message.messageId === messageId)
      if (queued === undefined) return {}
      await session.commit([{ event: 'message_unqueued', messageId }])
      return { content: queued.content }
    },
    'session.stop': async ({ sessionId }) => {
      const session = manager.getToStop(sessionId)
      const stopped = await session.turns.stop()
      return { stopped, survivors: session.lastSurvivors }
    },
    'session.answer': async ({ sessionId, toolCallId, argumentsHash, decision, scope, reason, answer }) => {
      manager
        .get(sessionId)
        .approvals.answer({ toolCallId, argumentsHash, decision, scope, reason, ...(answer === undefined ? {} : { text: answer }) })
      return {}
    },
    'session.resume': async ({ sessionId }) => {
      const session = idle(manager.get(sessionId))
      // What was queued is the next thing the person wanted; else the model is asked, visibly, to go on.
      if (session.snapshot.queue.length > 0) session.turns.runQueued()
      else
        await session.turns.prompt({
          messageId: newId('m'),
          content: continueText(session.messages),
          images: undefined,
          whenBusy: 'refuse',
        })
      return {}
    },
    'session.compact': async ({ sessionId, instructions }, { signal }) => {
      const session = manager.get(sessionId)
      const step = await session.turns.betweenTurns((ended) => manager.compact(session, instructions, ended), signal)
      if (step.kind !== 'applied') throw new AppError({ code: step.code, message: step.message })
      return { tokensBefore: step.record.tokensBefore, tokensAfter: step.record.tokensAfter }
    },
    'session.changes': async ({ sessionId }) => {
      const session = manager.get(sessionId)
      const { changes } = await (await services.tools.client()).listChanges({ workspace: session.workspace, sessionId })
      const turns = new Map(session.snapshot.items.map((item) => [item.id, item.kind === 'tool' ? item.turn : 0]))
      return {
        changes: changes.map(({ callId, at, path, created }) => ({ toolCallId: callId, turn: turns.get(callId) ?? 0, at, path, created })),
      }
    },
    'session.undo': async ({ sessionId, toolCallIds }, { signal }) => {
      const session = manager.get(sessionId)
      return session.turns.betweenTurns(() => undoChanges(services, session, toolCallIds), signal)
    },
    'session.retry': async ({ sessionId }) => {
      await manager.get(sessionId).turns.retry()
      return {}
    },
    'session.update': async ({ sessionId, ...settings }) => {
      const session = manager.get(sessionId)
      await manager.open(session.workspace, sessionId, settings, session.interactive)
      return {}
    },
    'session.delete': async ({ workspace, sessionId }) => {
      await manager.forget(sessionId, async () => (await workspaces.open(workspace)).deleteSession({ workspace, sessionId }))
      return {}
    },
    'session.fork': async ({ workspace, sessionId, atSeq }) => ({ sessionId: (await manager.fork(workspace, sessionId, atSeq)).sessionId }),
    'session.search': async ({ workspace, query, limit }) => {
      const paths = workspace === undefined ? workspaces.paths : [workspace]
      const found = await Promise.all(
        paths.map(async (path) => (await (await workspaces.open(path)).searchMessages({ workspace: path, query, limit })).hits),
      )
      return { hits: found.flat().slice(0, limit) }
    },
    'session.close': async ({ sessionId }) => {
      await manager.close(sessionId)
      // Its history need not stay in the context thread.
      if (services.pool.started) await services.pool.run(sessionId, 'forget', { sessionId })
      return {}
    },
  }
}

function idle(session: LiveSession): LiveSession {
  if (session.turns.running) throw new AppError({ code: 'SESSION_BUSY', message: 'a turn is running in this session' })
  return session
}

/** In the language the person last wrote in. */
function continueText(messages: readonly { role: string; content: string }[]): string {
  const last = messages.findLast((message) => message.role === 'user')?.content ?? ''
  return /\p{Script=Han}/u.test(last) ? '继续。' : 'Continue.'
}
