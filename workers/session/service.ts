/** Puts the session worker's parts together and answers clients' calls. */
import type { ClientMessage, HostMessage } from '#contracts/session/client-protocol.ts'
import { commands } from '#contracts/session/commands.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import { callMeter } from '#contracts/wire/call-meter.ts'
import { describeIssues } from '#contracts/wire/describe-issues.ts'
import type { WorkerContext, WorkerParts } from '#workers/shared/start-worker.ts'
import { ClientHub, type Client } from './client-hub.ts'
import { createHandlers, type CommandHandlers } from './handlers/create-handlers.ts'
import { createServices } from './services.ts'
import { SessionManager } from './session-manager.ts'
import { WorkspaceRegistry } from './workspace-registry.ts'

/** Methods whose answers may hold what a provider said. */
const QUOTING = /^(?:models|providers)\./
/** Milliseconds between two looks at the banners of open workspaces. */
const BANNER_INTERVAL_MS = 1000

export function createSessionService(context: WorkerContext): WorkerParts {
  const services = createServices(context)
  const workspaces = new WorkspaceRegistry(services, (banners) => hub.setBanners(banners))
  const manager = new SessionManager(services, workspaces)
  const handlers: CommandHandlers = createHandlers({ services, workspaces, manager, hub: () => hub })
  /** Events are clean when they are made; what else may quote a provider or an address is cleaned here. */
  const clean = <T>(value: T): T => services.secrets.redactor.value(value)
  const calls = new Map<string, AbortController>()

  const answer = async (
    message: Extract<ClientMessage, { type: 'call' }>,
    client: Client,
    reply: (message: HostMessage) => void,
  ): Promise<void> => {
    const key = `${client.clientId} ${message.id}`
    const controller = new AbortController()
    const meter = callMeter()
    const takenUpAt = meter?.now() ?? 0
    calls.set(key, controller)
    try {
      if (!isCommand(message.method))
        throw new AppError({ code: WireErrorCode.UNKNOWN_METHOD, message: `${message.method} does not exist` })
      const input = commands.methods[message.method].input.safeParse(message.params)
      if (!input.success)
        throw new AppError({ code: WireErrorCode.BAD_INPUT, message: `${message.method}: ${describeIssues(input.error)}` })
      const handler = handlers[message.method] as (input: unknown, call: { client: Client; signal: AbortSignal }) => Promise<unknown>
      const value = await handler(input.data, { client, signal: controller.signal })
      reply({ type: 'result', id: message.id, ok: true, value: QUOTING.test(message.method) ? clean(value) : value })
    } catch (thrown) {
      reply({ type: 'failure', id: message.id, error: clean(toErrorData(thrown)) })
    } finally {
      calls.delete(key)
      if (meter !== undefined && isCommand(message.method)) meter.call(message.method, 0, meter.now() - takenUpAt, message.params)
    }
  }

  const hub: ClientHub = new ClientHub({
    snapshot: (sessionId) => manager.snapshot(sessionId),
    handle: (message, client, reply) => void answer(message, client, reply),
    cancel: (client, id) => calls.get(`${client.clientId} ${id}`)?.abort(),
    watchersChanged: (sessionId) => manager.setWatched(sessionId, hub.watched(sessionId)),
    gone: (client) => {
      for (const [key, controller] of calls) if (key.startsWith(`${client.clientId} `)) controller.abort()
    },
  })
  manager.showOn(hub)
  const bannerTimer = setInterval(() => void lookAtBanners(), BANNER_INTERVAL_MS)
  bannerTimer.unref()
  const lookAtBanners = async (): Promise<void> => {
    if (workspaces.paths.length === 0 || !services.storage.started) return
    try {
      hub.setBanners((await (await services.storage.client()).banners({})).banners)
    } catch (thrown) {
      context.log('warn', `banners: ${toErrorData(thrown).message}`)
    }
  }

  return {
    onClient: ({ clientId, port, remote }) => hub.attach(clientId, port, remote),
    stop: async () => {
      clearInterval(bannerTimer)
      await manager.closeAll()
      await workspaces.closeAll()
      hub.flush()
      await services.pool.close()
    },
  }
}

function isCommand(method: string): method is keyof typeof commands.methods {
  return Object.hasOwn(commands.methods, method)
}
