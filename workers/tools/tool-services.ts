/** What tools may use besides their arguments. Made once per worker, handed in, so that a test can stand in for any of it. */
import type { Secrets } from '#workers/shared/secrets.ts'
import type { BackgroundCommands } from './commands/background-commands.ts'
import type { CommandRunner } from './commands/command-runner.ts'
import type { FetchNetwork } from './fetch/fetch-page.ts'
import type { CheckpointStore } from './files/checkpoint-store.ts'
import type { FileGuard } from './files/file-guard.ts'
import type { OutputStore } from './files/output-store.ts'
import type { McpSurroundings } from './mcp/mcp-surroundings.ts'
import type { PoolTasks } from './pool/pool-tasks.ts'
import type { Sandbox } from './sandbox/sandbox.ts'

export interface ToolServices {
  readonly commands: CommandRunner
  readonly background: BackgroundCommands
  readonly guard: FileGuard
  readonly checkpoints: CheckpointStore
  readonly outputs: OutputStore
  readonly pool: PoolTasks
  /** What must not get into a file of ours. */
  readonly secrets: Secrets
  /** How fetch_url resolves and dials; absent for the system's own way. */
  readonly network?: FetchNetwork
  readonly sandbox: Sandbox
  /** What MCP servers are started with and reached through. */
  readonly mcp: Omit<McpSurroundings, 'redactor'>
  /** PATH for commands. */
  searchPath(): Promise<string>
  /** Milliseconds since the epoch. */
  now(): number
}
