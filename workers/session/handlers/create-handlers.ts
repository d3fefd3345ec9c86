/** The handler table of all client calls; a missing or extra one does not compile. */
import type * as z from 'zod'
import type { commands } from '#contracts/session/commands.ts'
import type { Client, ClientHub } from '../client-hub.ts'
import type { Services } from '../services.ts'
import type { SessionManager } from '../session-manager.ts'
import type { WorkspaceRegistry } from '../workspace-registry.ts'
import { appHandlers } from './app-handlers.ts'
import { grantHandlers } from './grant-handlers.ts'
import { healthHandlers } from './health-handlers.ts'
import { fileHandlers } from './file-handlers.ts'
import { inspectHandlers } from './inspect-handlers.ts'
import { mcpHandlers } from './mcp-handlers.ts'
import { historyHandlers } from './history-handlers.ts'
import { memoryHandlers } from './memory-handlers.ts'
import { providerHandlers } from './provider-handlers.ts'
import { sandboxHandlers } from './sandbox-handlers.ts'
import { sessionHandlers } from './session-handlers.ts'
import { settingsHandlers } from './settings-handlers.ts'
import { workbenchHandlers } from './workbench-handlers.ts'
import { workspaceHandlers } from './workspace-handlers.ts'

type Methods = (typeof commands)['methods']

export interface CommandCall {
  readonly client: Client
  readonly signal: AbortSignal
}

export type CommandHandlers = {
  readonly [M in keyof Methods]: (input: z.output<Methods[M]['input']>, call: CommandCall) => Promise<z.input<Methods[M]['output']>>
}

/** The handlers of one area: those methods whose name starts with one of `P`. */
export type HandlersOf<P extends string> = Pick<CommandHandlers, Extract<keyof Methods, P | `${P}.${string}`>>

export interface HandlerParts {
  readonly services: Services
  readonly workspaces: WorkspaceRegistry
  readonly manager: SessionManager
  readonly hub: () => ClientHub
}

export function createHandlers(parts: HandlerParts): CommandHandlers {
  return {
    ...workspaceHandlers(parts),
    ...grantHandlers(parts),
    ...sessionHandlers(parts),
    ...settingsHandlers(parts),
    ...mcpHandlers(parts),
    ...memoryHandlers(parts),
    ...providerHandlers(parts),
    ...appHandlers(parts),
    ...healthHandlers(parts),
    ...historyHandlers(parts),
    ...fileHandlers(parts),
    ...inspectHandlers(parts),
    ...workbenchHandlers(parts),
    ...sandboxHandlers(parts),
  }
}
