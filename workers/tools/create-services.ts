/** Puts the real services together. */
import { createProxies } from '#workers/shared/proxy-setting.ts'
import { Secrets } from '#workers/shared/secrets.ts'
import type { ToolServices } from './tool-services.ts'
import { BackgroundCommands } from './commands/background-commands.ts'
import { createCommandRunner } from './commands/command-runner.ts'
import { createSearchPath } from './commands/search-path.ts'
import { CheckpointStore } from './files/checkpoint-store.ts'
import { FileGuard } from './files/file-guard.ts'
import { OutputStore } from './files/output-store.ts'
import { MCP_LIMITS } from './mcp/mcp-surroundings.ts'
import { createPoolTasks } from './pool/pool-tasks.ts'
import { createSandbox } from './sandbox/sandbox.ts'

export interface ServiceSources {
  readonly profile: string
  /** The proxy as the shell knows it; undefined where it does not. */
  readonly shellProxy?: (url: string) => Promise<string | undefined>
  readonly agentVersion?: string
  /** Asks for a running command host. */
  commandHost(): Promise<{ socketPath: string; token: string }>
}

export function createToolServices(sources: ServiceSources): ToolServices {
  const secrets = new Secrets(process.env)
  const commands = createCommandRunner(() => sources.commandHost())
  const sandbox = createSandbox(commands, [sources.profile])
  const searchPath = createSearchPath(commands, process.env)
  const proxies = createProxies(process.env, sources.shellProxy)
  return {
    commands,
    background: new BackgroundCommands(),
    guard: new FileGuard(),
    checkpoints: new CheckpointStore(sources.profile),
    outputs: new OutputStore(sources.profile, secrets),
    secrets,
    pool: createPoolTasks(),
    sandbox,
    mcp: {
      commands,
      environment: process.env,
      agentVersion: sources.agentVersion ?? '0',
      searchPath,
      proxyFor: (url) => proxies.for(url),
      forgetProxies: () => proxies.forget(),
      limits: MCP_LIMITS,
      sandbox,
      checkApproval: true,
    },
    searchPath,
    now: () => Date.now(),
  }
}
