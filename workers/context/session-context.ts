/** What the context thread keeps of one session between builds. */
import type { BuildTask } from '#contracts/context/context-tasks.ts'
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { StableTools } from './domain/stable-tools.ts'
import type { FrozenPrompt } from './domain/system-prompt.ts'
import type { PartitionFile } from './domain/workspace-text.ts'
import { ListHash } from './list-hash.ts'

export interface SessionContext {
  readonly sessionId: string
  readonly workspace: string
  /** As received, never rewritten. */
  history: MetonaMessage[]
  frozen: FrozenPrompt | undefined
  /** Stamps of the four files when last read, and what to say of those that changed since freezing. */
  stamps: Partial<Record<PartitionFile, string | undefined>>
  changes: Partial<Record<PartitionFile, string>>
  tools: StableTools | undefined
  /** Frozen text by message key. */
  turnContexts: Map<string, string>
  announcedGoal: string | undefined
  nestedFiles: Set<string>
  /** Each message as it is sent. */
  readonly sent: WeakMap<MetonaMessage, MetonaMessage>
  readonly hash: ListHash<MetonaMessage>
}

export function createSessionContext(input: Pick<BuildTask, 'sessionId' | 'workspace'>): SessionContext {
  return { sessionId: input.sessionId, workspace: input.workspace, history: [], frozen: undefined, stamps: {}, changes: {}, tools: undefined, turnContexts: new Map(), announcedGoal: undefined, nestedFiles: new Set(), sent: new WeakMap(), hash: new ListHash() }
}
