/** Client calls about the sandbox of commands. */
import * as z from 'zod'
import { SandboxStateSchema } from '../tools/sandbox-state.ts'

export const sandboxCommands = {
  /** Tried on this machine at the first call, then known. Starts the tools worker. */
  'sandbox.read': { input: z.object({}), output: SandboxStateSchema, deadlineMs: 30_000 },
}
