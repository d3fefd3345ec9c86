/** Every row, in the order of the table in README. */
import type { BenchRow } from '../bench-row.ts'
import { contextCost } from '../context-cost.ts'
import { llmThroughput } from '../llm-throughput.ts'
import { storageCost } from '../storage-cost.ts'
import { bigWorkspace } from './big-workspace.ts'
import { coldStart } from './cold-start.ts'
import { instrumentation } from './instrumentation.ts'
import { pacedSessions } from './paced-sessions.ts'
import { sandboxedCommand } from './sandboxed-command.ts'
import { soak } from './soak.ts'
import { hostThread, loopDelay, manySessions } from './streaming.ts'
import { tokenFlood } from './token-flood.ts'
import { disturbed, tokenPage } from './token-page.ts'
import { toolLoop } from './tool-loop.ts'

export const benchRows: readonly BenchRow[] = [
  coldStart,
  tokenFlood,
  llmThroughput,
  contextCost,
  storageCost,
  toolLoop,
  sandboxedCommand,
  pacedSessions,
  loopDelay,
  manySessions,
  hostThread,
  tokenPage,
  disturbed,
  bigWorkspace,
  instrumentation,
  soak,
]
