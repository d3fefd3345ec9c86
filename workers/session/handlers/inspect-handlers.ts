/** What can be looked at behind a session: traces, the parts of its context, and what waits for the person. */
import { ContextPartsSchema } from '#contracts/context/context-parts.ts'
import type { WaitingApproval } from '#contracts/session/inspect-commands.ts'
import * as z from 'zod'
import { readTrace } from '../read-trace.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

const PartsAnswerSchema = z.object({ parts: ContextPartsSchema.optional() })

export function inspectHandlers({ services, workspaces, manager }: HandlerParts): HandlersOf<'inspect'> {
  return {
    'inspect.traces': async (input) => {
      const { traces } = await workspaces.ask(input.workspace, (storage) => storage.readTraces(input))
      return { traces: traces.flatMap(({ name, json }) => readTrace(name, json) ?? []) }
    },
    'inspect.context': async ({ sessionId }) =>
      // A thread that was never started has built nothing; it is not started for a look.
      services.pool.started ? PartsAnswerSchema.parse(await services.pool.run(sessionId, 'parts', { sessionId })) : {},
    'inspect.approvals': async () => ({
      waiting: manager.live
        .flatMap((session): WaitingApproval[] => {
          const { sessionId, workspace, title, sandbox, approvals } = session.snapshot
          return approvals.map((approval) => ({ sessionId, workspace, title, sandbox, approval }))
        })
        .toSorted((left, right) => left.approval.requestedAt.localeCompare(right.approval.requestedAt)),
    }),
  }
}
