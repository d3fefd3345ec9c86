/** What MCP servers are started with and reached through; handed in, so that a test can stand in for any of it. */
import type { ProxySetting } from '#workers/shared/proxy-setting.ts'
import type { Redactor } from '#workers/shared/redact.ts'
import type { CommandRunner } from '../commands/command-runner.ts'

export interface McpSurroundings {
  readonly commands: CommandRunner
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly agentVersion: string
  searchPath(): Promise<string>
  proxyFor(url: URL): Promise<ProxySetting>
  redactor(): Redactor
  /** False only in the control of the proof: what is not approved is then neither refused nor hidden. */
  readonly checkApproval: boolean
}
