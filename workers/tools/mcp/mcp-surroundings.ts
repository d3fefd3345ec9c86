/** What MCP servers are started with and reached through; handed in, so that a test can stand in for any of it. */
import type { ProxySetting } from '#workers/shared/proxy-setting.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { CommandRunner } from '../commands/command-runner.ts'

/** Milliseconds. */
export interface McpLimits {
  readonly handshakeMs: number
  /** For one page of a list. */
  readonly listMs: number
  /** Silence of a call, and a call altogether. */
  readonly idleMs: number
  readonly totalMs: number
}

export const MCP_LIMITS: McpLimits = { handshakeMs: 30_000, listMs: 15_000, idleMs: 120_000, totalMs: 30 * 60_000 }

export interface McpSurroundings {
  readonly commands: CommandRunner
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly agentVersion: string
  readonly sandbox: Pick<Sandbox, 'wrap'>
  readonly limits: McpLimits
  searchPath(): Promise<string>
  proxyFor(url: URL): Promise<ProxySetting>
  /** What is known of proxies is asked anew. */
  forgetProxies(): void
  redactor(): Redactor
  /** False only in the control of the proof: what is not approved is then neither refused nor hidden. */
  readonly checkApproval: boolean
}
