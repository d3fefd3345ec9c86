import { compactSession, type CompactionEnd } from './compact-session.ts'
import { contextBuilder } from './context-builder.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'
import { storedBaseUrl } from './stored-base-url.ts'
import { splitModel, type TurnConfig } from './turn-runner.ts'

/** Between turns. @param instructions what the person wants kept in the summary */
export async function compactAtWish(
  services: Services,
  session: LiveSession,
  config: TurnConfig,
  instructions: string | undefined,
  signal: AbortSignal,
): Promise<CompactionEnd> {
  const { provider, model } = splitModel(session.snapshot.model)
  const baseUrl = session.effectiveBaseUrl ?? (await storedBaseUrl(services, provider))
  const target = { provider, model, ...(baseUrl === undefined ? {} : { baseUrl }) }
  const order = { services, session, target, signal }
  // The thread may not have this session yet, or not all of it.
  await contextBuilder({ ...order, config })(await services.toolList.get(session.workspace), session.snapshot.iteration, '')
  return compactSession({
    ...order,
    approval: config.approval,
    reason: 'manual',
    ...(instructions === undefined ? {} : { instructions }),
  })
}
