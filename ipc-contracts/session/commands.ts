/** Every call a client may make, each a schema pair. The session worker's handler table is typed from it. */
import * as z from 'zod'
import { SetDomainSchema } from '../tools/sandbox-network.ts'
import { ModelTokenStatsSchema } from '../context/token-stats.ts'
import { MetonaImageSchema } from '../metona/metona-request.ts'
import { MetonaModelInfoSchema } from '../metona/metona-adapter.ts'
import { defineService } from '../wire/define-service.ts'
import { ConfigEntrySchema } from '../workspace/config-keys.ts'
import { DiagnosisSchema, ProviderDescriptorSchema } from '../llm/llm-service.ts'
import { DoctorReportSchema, TrustEntrySchema } from '../storage/storage-service.ts'
import { grantCommands } from './grant-commands.ts'
import { healthCommands } from './health-commands.ts'
import { fileCommands } from './file-commands.ts'
import { inspectCommands } from './inspect-commands.ts'
import { historyCommands } from './history-commands.ts'
import { mcpCommands } from './mcp-commands.ts'
import { memoryCommands } from './memory-commands.ts'
import { pageCommands } from './page-commands.ts'
import { providerCommands } from './provider-commands.ts'
import { sandboxCommands } from './sandbox-commands.ts'
import { PermissionModeSchema } from './session-enums.ts'
import { SessionEventSchema } from './session-event.ts'
import { SessionSnapshotSchema, SessionSummarySchema } from './session-snapshot.ts'
import { usageCommands } from './usage-commands.ts'
import { workspaceFileCommands } from './workspace-file-commands.ts'

const nothing = z.object({})
const sessionId = z.string()
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 30_000) => ({ input, output, deadlineMs })

export const SessionSettingsSchema = z.object({
  title: z.string().optional(),
  /** `provider/model`, split at the first slash. */
  model: z.string().optional(),
  permission: PermissionModeSchema.optional(),
  sandbox: z.enum(['auto', 'off']).optional(),
  maxIterations: z.number().int().min(1).optional(),
  /** Seconds for a whole turn. */
  timeoutSeconds: z.number().positive().optional(),
  baseUrl: z.string().optional(),
  taskGoal: z.string().optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
})
export type SessionSettings = z.infer<typeof SessionSettingsSchema>

export const commands = defineService({
  name: 'app',
  methods: {
    ...historyCommands,
    ...fileCommands,
    ...inspectCommands,
    ...memoryCommands,
    ...pageCommands,
    ...sandboxCommands,
    /**
     * Opens a workspace. Errors: `UNTRUSTED` (nothing of the folder was read; `details` may hold
     * `{ found, creates, special }`: names of files in it that would influence an agent, of what opening
     * it would make, and whether it is `/`, the home folder or a network folder), `NOT_A_FOLDER`,
     * `NEEDS_STORED_TRUST` (`/`, home, network folder), `WORKSPACE_IN_USE` (after `waitMs`, names the holder).
     * Reading mode takes no lock, needs no trust and runs nothing.
     */
    'workspace.open': method(
      z.object({
        path: z.string(),
        trust: z.enum(['stored', 'once']).default('stored'),
        mode: z.enum(['write', 'read']).default('write'),
        waitMs: z.number().default(10_000),
      }),
      z.object({ workspace: z.string(), created: z.array(z.string()), readOnly: z.boolean() }),
      60_000,
    ),
    /** Makes the demonstration's sample folder where it is missing (never over an existing file) and stores trust in it. */
    'workspace.sample': method(z.object({ language: z.enum(['zh', 'en']).default('en') }), z.object({ path: z.string() })),
    'workspace.close': method(z.object({ workspace: z.string() }), nothing),
    'workspace.recent': method(
      nothing,
      z.object({ workspaces: z.array(z.object({ path: z.string(), openedAt: z.string(), trusted: z.boolean() })) }),
    ),
    'trust.add': method(z.object({ path: z.string() }), TrustEntrySchema),
    'trust.remove': method(z.object({ path: z.string() }), z.object({ removed: z.boolean() })),
    'trust.list': method(nothing, z.object({ entries: z.array(TrustEntrySchema) })),
    ...grantCommands,
    ...workspaceFileCommands,
    ...usageCommands,
    ...providerCommands,

    /** `interactive: false` (terminal without a person) makes every question a denial. */
    'session.create': method(
      SessionSettingsSchema.extend({ workspace: z.string(), interactive: z.boolean().default(true) }),
      z.object({ sessionId }),
    ),
    /** Takes up a stored session; a turn that was running when the app died is marked interrupted. */
    'session.open': method(
      SessionSettingsSchema.extend({ workspace: z.string(), sessionId, interactive: z.boolean().default(true) }),
      z.object({ sessionId }),
    ),
    'session.list': method(z.object({ workspace: z.string().optional() }), z.object({ sessions: z.array(SessionSummarySchema) })),
    'session.read': method(
      z.object({ workspace: z.string(), sessionId, fromSeq: z.number().int().default(0), limit: z.number().int().max(5000).default(1000) }),
      z.object({ events: z.array(SessionEventSchema) }),
    ),
    /** Posts with this session's parts follow the answer, starting at `rev` + 1. */
    'session.subscribe': method(
      z.object({ sessionId, /** False: durable events only. */ deltas: z.boolean().default(true) }),
      z.object({ snapshot: SessionSnapshotSchema, rev: z.number().int() }),
    ),
    'session.unsubscribe': method(z.object({ sessionId }), nothing),
    /** `list` messages follow for every session of every open workspace. */
    'session.subscribeList': method(nothing, z.object({ sessions: z.array(SessionSummarySchema) })),
    /** `messageId` comes from the client, so that a repeated call is one message. */
    'session.prompt': method(
      z.object({
        sessionId,
        messageId: z.string(),
        content: z.string(),
        images: z.array(MetonaImageSchema).optional(),
        whenBusy: z.enum(['queue', 'steer', 'refuse']).default('queue'),
      }),
      z.object({ state: z.enum(['started', 'queued', 'duplicate']) }),
    ),
    'session.unqueue': method(z.object({ sessionId, messageId: z.string() }), z.object({ content: z.string().optional() })),
    /** Resolves when the turn has ended on disk, its socket is closed and its processes are gone. */
    'session.stop': method(z.object({ sessionId }), z.object({ stopped: z.boolean(), survivors: z.array(z.number()) })),
    /** Errors: `APPROVAL_GONE` (answered elsewhere, with by whom; or ended), `APPROVAL_MISMATCH` (hash). */
    'session.answer': method(
      z.object({
        sessionId,
        toolCallId: z.string(),
        argumentsHash: z.string(),
        decision: z.enum(['allow', 'deny']),
        scope: z.enum(['once', 'session', 'always']).default('once'),
        reason: z.string().optional(),
        /** What the person wrote to a question. */ answer: z.string().optional(),
      }),
      nothing,
    ),
    /** Continues an interrupted turn: unknown tool outcomes are told to the model, nothing is run again. */
    'session.resume': method(z.object({ sessionId }), nothing),
    /** Runs the last user message again as a new turn. */
    /** Summarises the older part of the conversation for the model; the transcript stays. Errors: `NOTHING_TO_COMPACT`, `COMPACTION_STOPPED` (it does not help any more), `CONTEXT_TOO_LARGE`, `TRY_AGAIN`. */
    'session.compact': method(
      z.object({ sessionId, instructions: z.string().optional() }),
      z.object({ tokensBefore: z.number(), tokensAfter: z.number() }),
      300_000,
    ),
    /** Changes of files by this session's tools that can still be taken back, oldest first. */
    'session.changes': method(
      z.object({ sessionId }),
      z.object({ changes: z.array(z.object({ toolCallId: z.string(), at: z.number(), path: z.string(), created: z.boolean() })) }),
    ),
    /** Takes back the changes of these calls, or of the whole session; a file changed since is refused by itself and left alone. */
    'session.undo': method(
      z.object({ sessionId, toolCallIds: z.array(z.string()).optional() }),
      z.object({
        restored: z.array(z.object({ path: z.string(), toolCallId: z.string(), removed: z.boolean() })),
        refused: z.array(z.object({ path: z.string(), toolCallId: z.string(), reason: z.string() })),
      }),
      90_000,
    ),
    'session.retry': method(z.object({ sessionId }), nothing),
    'session.update': method(SessionSettingsSchema.extend({ sessionId }), nothing),
    'session.delete': method(z.object({ workspace: z.string(), sessionId }), nothing),
    'session.fork': method(z.object({ workspace: z.string(), sessionId, atSeq: z.number().int().optional() }), z.object({ sessionId })),
    'session.search': method(
      z.object({ workspace: z.string().optional(), query: z.string(), limit: z.number().int().max(200).default(50) }),
      z.object({ hits: z.array(z.object({ sessionId, seq: z.number().int(), title: z.string(), snippet: z.string(), ts: z.string() })) }),
    ),
    /** Writes `session_end` with totals. */
    'session.close': method(z.object({ sessionId }), nothing),

    'config.list': method(z.object({ workspace: z.string().optional() }), z.object({ entries: z.array(ConfigEntrySchema) })),
    'config.set': method(z.object({ workspace: z.string().optional(), key: z.string(), value: z.unknown() }), ConfigEntrySchema),
    /** Of `security.sandboxNetwork`. `changed` is false where it was so already. */
    'config.setDomain': method(SetDomainSchema, z.object({ changed: z.boolean(), entry: ConfigEntrySchema })),
    'models.list': method(
      z.object({ provider: z.string().optional(), live: z.boolean().default(true) }),
      z.object({ models: z.array(MetonaModelInfoSchema), problems: z.array(DiagnosisSchema) }),
      60_000,
    ),
    /** How well each model's prompts were estimated, from all runs of this profile. */
    'models.tokenStats': method(nothing, z.object({ models: z.array(ModelTokenStatsSchema) })),
    'providers.list': method(nothing, z.object({ providers: z.array(ProviderDescriptorSchema) })),
    'providers.diagnose': method(
      z.object({ provider: z.string(), baseUrl: z.string().optional(), apiKey: z.string().optional(), model: z.string().optional() }),
      DiagnosisSchema,
      60_000,
    ),
    /** Kept by the shell's secret store, or for this run only where there is none; the answer says which. */
    'providers.setKey': method(
      z.object({ provider: z.string(), apiKey: z.string().nullable(), baseUrl: z.string().optional() }),
      z.object({ stored: z.enum(['secret_store', 'this_run']) }),
    ),
    ...mcpCommands,

    'doctor.verify': method(z.object({ workspace: z.string() }), DoctorReportSchema, 600_000),
    'doctor.rebuild': method(z.object({ workspace: z.string() }), DoctorReportSchema, 600_000),
    /** Thread ids by concern, loop delay and heap; for the health page, the bench and a test. */
    'health.read': method(
      nothing,
      z.object({ threads: z.record(z.string(), z.number()), workers: z.array(z.record(z.string(), z.unknown())) }),
    ),
    ...healthCommands,
    /** `pickFolder`, `openExternal`, `notify` …: passed on to the shell. */
    'native.call': method(z.object({ method: z.string(), params: z.unknown() }), z.object({ value: z.unknown() }), 600_000),
    /** Ends what runs, settles and closes everything; the host may then exit. */
    'app.shutdown': method(z.object({ deadlineMs: z.number().default(5000) }), nothing, 60_000),
  },
})
