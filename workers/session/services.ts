/** The other workers as the session worker sees them, and what of the shell it may use. */
import { llmService } from '#contracts/llm/llm-service.ts'
import { storageService } from '#contracts/storage/storage-service.ts'
import { toolsService } from '#contracts/tools/tools-service.ts'
import type { WorkerContext } from '#workers/shared/start-worker.ts'
import { ContextPool } from './context-pool.ts'
import type { Secret } from '#workers/shared/redact.ts'
import { Secrets } from '#workers/shared/secrets.ts'
import { Agreements } from './judge-files.ts'
import { keepSecret } from './keep-secret.ts'
import { McpDesk } from './mcp-desk.ts'
import { Peer } from './peer.ts'
import { ProviderKeys } from './provider-keys.ts'
import { SessionMeter } from './session-meter.ts'
import { TokenKnowledge } from './token-knowledge.ts'
import { ToolList } from './tool-list.ts'

export interface Services {
  readonly context: WorkerContext
  readonly llm: Peer<typeof llmService>
  readonly tools: Peer<typeof toolsService>
  readonly storage: Peer<typeof storageService>
  readonly pool: ContextPool
  readonly meter: SessionMeter
  readonly toolList: ToolList
  readonly tokens: TokenKnowledge
  readonly mcp: McpDesk
  readonly secrets: Secrets
  readonly keys: ProviderKeys
  readonly agreements: Agreements
}

export function createServices(context: WorkerContext): Services {
  const secrets = new Secrets(process.env)
  const added = (): { secrets: Secret[] } => ({ secrets: [...secrets.added] })
  const tools = new Peer(context, 'tools', toolsService, async (client) => {
    if (secrets.added.length > 0) await client.setSecrets(added())
    await services.mcp.greet(client)
  })
  const storage = new Peer(context, 'storage', storageService, async (client) => {
    if (secrets.added.length > 0) await client.setSecrets(added())
  })
  const redacted: WorkerContext = { ...context, log: (level, message) => context.log(level, secrets.redactor.text(message)) }
  const services: Services = {
    context: redacted,
    llm: new Peer(context, 'llm', llmService, (llm) => services.keys.tell(llm)),
    tools,
    storage,
    pool: new ContextPool(),
    meter: new SessionMeter(),
    tokens: new TokenKnowledge({ context: redacted, storage }),
    toolList: new ToolList(
      tools,
      (workspace) => services.mcp.toolsFor(workspace),
      (message) => redacted.log('warn', message),
    ),
    get mcp() {
      return mcp
    },
    secrets,
    agreements: new Agreements(),
    keys: new ProviderKeys(redacted, (secret) => keepSecret(services, secret)),
  }
  const mcp = new McpDesk(services)
  return services
}
