/** What the tools worker does for the session worker. */
import * as z from 'zod'
import { ThreadHealthSchema } from '../health/thread-health.ts'
import { MetonaToolCallSchema, MetonaToolResultSchema } from '../metona/metona-tool.ts'
import { ToolOutcomeSchema } from '../session/session-enums.ts'
import { defineService } from '../wire/define-service.ts'
import type { Port } from '../wire/port.ts'
import { WrittenFileSchema } from '../workspace/agreed-file.ts'
import { mcpServiceMethods } from './mcp-service-methods.ts'
import { PreparedCallSchema, ToolDescriptorSchema } from './prepared-call.ts'
import { SandboxStateSchema } from './sandbox-state.ts'
import { workspaceFileMethods } from './workspace-files.ts'

export const ToolPlaceSchema = z.object({
  workspace: z.string(),
  sessionId: z.string(),
  sandbox: z.enum(['auto', 'off']),
  /** Names that commands in the sandbox may reach in this folder, by the person's setting. */
  domains: z.array(z.string()).optional(),
})
export type ToolPlace = z.infer<typeof ToolPlaceSchema>

export const toolsService = defineService({
  name: 'tools',
  methods: {
    describe: { input: z.object({}), output: z.object({ tools: z.array(ToolDescriptorSchema) }), deadlineMs: 10_000 },
    /** Parses and freezes the arguments. Runs nothing, changes nothing. */
    prepare: { input: z.object({ place: ToolPlaceSchema, call: MetonaToolCallSchema }), output: PreparedCallSchema, deadlineMs: 30_000 },
    /**
     * Runs a prepared call; `argumentsHash` must be the prepared one. Never fails for the tool's own reasons:
     * those are results with `success: false`. Cancel ends the call's processes as a tree and resolves with what was there.
     */
    run: {
      input: z.object({
        place: ToolPlaceSchema,
        call: MetonaToolCallSchema,
        argumentsHash: z.string(),
        answer: z.string().optional(),
        port: z.custom<Port>(),
        /** Serves `memoryPort`; only for calls of tools that have to do with memory. */
        memory: z.custom<Port>().optional(),
        /** Serves `samplingPort`; only for calls of MCP servers. */
        sampling: z.custom<Port>().optional(),
      }),
      output: z.object({
        result: MetonaToolResultSchema,
        outcome: ToolOutcomeSchema,
        display: z.record(z.string(), z.unknown()).optional(),
        /** A file that speaks in the person's name was written, exactly as the call's diff showed it. */
        written: WrittenFileSchema.optional(),
        stop: z.object({ processesFound: z.number(), processesKilled: z.number(), survivors: z.array(z.number()) }).optional(),
      }),
      deadlineMs: Infinity,
      transfer: ['port', 'memory', 'sampling'],
    },
    /** Values to keep out of output that goes to a file, beside those of the environment. Added to the known ones. */
    setSecrets: {
      input: z.object({ secrets: z.array(z.object({ name: z.string(), value: z.string() })) }),
      output: z.object({}),
      deadlineMs: 10_000,
    },
    /** What holds commands back on this machine; tried at the first call. */
    sandboxState: { input: z.object({}), output: SandboxStateSchema, deadlineMs: 20_000 },
    /** Starts the command host ahead of the first command. */
    warm: { input: z.object({}), output: z.object({}), deadlineMs: 15_000 },
    /** Ends background commands and forgets the session's file stamps. */
    endSession: { input: z.object({ sessionId: z.string() }), output: z.object({ survivors: z.array(z.number()) }), deadlineMs: 15_000 },
    /** Changes of files that can still be taken back, oldest first. `at` is milliseconds since the epoch. */
    listChanges: {
      input: z.object({ workspace: z.string(), sessionId: z.string() }),
      output: z.object({ changes: z.array(z.object({ callId: z.string(), at: z.number(), path: z.string(), created: z.boolean() })) }),
      deadlineMs: 15_000,
    },
    /** Takes changes back, newest first: of these calls (one call, or all of a turn), or of the whole session. A file changed since is refused by itself. Only for a person's wish. */
    undo: {
      input: z.object({ workspace: z.string(), sessionId: z.string(), callIds: z.array(z.string()).optional() }),
      output: z.object({
        restored: z.array(z.object({ path: z.string(), callId: z.string(), removed: z.boolean() })),
        refused: z.array(z.object({ path: z.string(), callId: z.string(), reason: z.string() })),
      }),
      deadlineMs: 60_000,
    },
    ...workspaceFileMethods,
    health: {
      input: z.object({}),
      output: z.object({ threadId: z.number(), running: z.number(), thread: ThreadHealthSchema }),
      deadlineMs: 5_000,
    },
    ...mcpServiceMethods,
  },
})
