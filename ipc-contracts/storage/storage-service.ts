/** What the storage worker does for the session worker. It alone opens SQLite, JSONL and trace files. */
import * as z from 'zod'
import { SetDomainSchema } from '../tools/sandbox-network.ts'
import { ThreadHealthSchema } from '../health/thread-health.ts'
import { BannerSchema } from '../session/client-protocol.ts'
import { GrantSchema } from '../session/grant-commands.ts'
import { SessionEventSchema } from '../session/session-event.ts'
import { SessionSummarySchema } from '../session/session-snapshot.ts'
import { ConfigEntrySchema } from '../workspace/config-keys.ts'
import { memoryMethods } from './memory-methods.ts'
import { pageStateMethods } from './page-state-methods.ts'
import { McpServerEntrySchema } from '../tools/mcp-entry.ts'
import { McpApprovalSchema } from '../tools/mcp-server.ts'
import { AnswerFileSchema, ChangedFileSchema, FileVerdictSchema, SeenFileSchema, WrittenFileSchema } from '../workspace/agreed-file.ts'
import { WorkspaceFileNameSchema, WorkspaceFileSchema, WriteWorkspaceFileSchema } from '../workspace/workspace-file.ts'
import { UsageEntrySchema, UsageQuerySchema } from './usage.ts'
import { defineService } from '../wire/define-service.ts'
import { tokenMethods } from './token-methods.ts'

export const TrustEntrySchema = z.object({ path: z.string(), trustedAt: z.string() })
export type TrustEntry = z.infer<typeof TrustEntrySchema>

export const DifferenceSchema = z.object({
  kind: z.string(),
  sessionId: z.string().optional(),
  seq: z.number().optional(),
  message: z.string(),
})
export const DoctorReportSchema = z.object({
  sessions: z.number(),
  events: z.number(),
  auditRows: z.number(),
  differences: z.array(DifferenceSchema),
  notices: z.array(z.string()),
})
export type DoctorReport = z.infer<typeof DoctorReportSchema>

/** Streamed text not yet in an event, kept every 750 ms; outside the log and outside equality. */
export const PartialSchema = z.object({
  sessionId: z.string(),
  messageId: z.string(),
  turn: z.number(),
  iteration: z.number(),
  text: z.string(),
  thinking: z.string(),
  updatedAt: z.string(),
})
export type PartialText = z.infer<typeof PartialSchema>

export const ProviderSettingsSchema = z.object({ provider: z.string(), baseUrl: z.string() })

export const KeyPlaceSchema = z.enum(['secret_store', 'this_run'])
export type KeyPlace = z.infer<typeof KeyPlaceSchema>

const GrantKeySchema = GrantSchema.pick({ workspace: true, tool: true, prefix: true, sandbox: true })
export type GrantKey = z.infer<typeof GrantKeySchema>

const workspace = z.string()
const nothing = z.object({})
const method = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O, deadlineMs = 60_000) => ({ input, output, deadlineMs })

export const storageService = defineService({
  name: 'storage',
  methods: {
    /**
     * Resolves the real path, checks trust (stored in the profile, or `trust: 'once'`), takes the lock, opens or
     * makes the database, reconciles it with the logs. Repeating it for an open workspace is harmless.
     * Error codes as `workspace.open` in commands. `created` names files made from templates.
     */
    openWorkspace: method(
      z.object({
        path: z.string(),
        trust: z.enum(['stored', 'once']),
        mode: z.enum(['write', 'read']),
        waitMs: z.number(),
        language: z.enum(['zh', 'en']).default('en'),
      }),
      z.object({
        workspace,
        created: z.array(z.string()),
        readOnly: z.boolean(),
        banners: z.array(BannerSchema),
        /** Of the four files of the root: the text that is agreed to. */
        agreed: z.array(FileVerdictSchema),
      }),
      120_000,
    ),
    /** For `workspace.sample`: a few small files under the folder for new workspaces, then trust. Repeating it is harmless. */
    createSample: method(z.object({ language: z.enum(['zh', 'en']) }), z.object({ path: z.string() })),
    /** Flushes, `fdatasync`s, checkpoints, releases the lock. */
    closeWorkspace: method(z.object({ workspace }), nothing),
    /** Current banners of all open workspaces (disk full, database busy, read-only …). */
    banners: method(nothing, z.object({ banners: z.array(BannerSchema) })),

    /**
     * Commits events, in order, of one session; resolves once they are durable (FULL, grouped with other sessions).
     * An event already stored under the same seq and eventId is skipped. `SEQ_CONFLICT`: same seq, other eventId, or a gap.
     * Busy or full disk: keeps trying while the deadline lasts, with a banner. Rows of messages, audit, usage and
     * the session list are derived from the events in the same transaction.
     */
    appendEvents: method(
      z.object({ workspace, events: z.array(SessionEventSchema).min(1) }),
      z.object({ lastSeq: z.number().int() }),
      120_000,
    ),
    savePartial: method(z.object({ workspace, partial: PartialSchema }), nothing),
    clearPartial: method(z.object({ workspace, sessionId: z.string() }), nothing),
    readPartials: method(z.object({ workspace, sessionId: z.string().optional() }), z.object({ partials: z.array(PartialSchema) })),
    readEvents: {
      ...method(
        z.object({ workspace, sessionId: z.string(), fromSeq: z.number().int(), limit: z.number().int().max(5000) }),
        z.object({ events: z.array(SessionEventSchema) }),
      ),
      answerChecked: 'on_arrival',
    },
    listSessions: method(z.object({ workspace }), z.object({ sessions: z.array(SessionSummarySchema) })),
    /** Sessions whose last turn has no `turn_end`. Which of them still run, the caller knows; the others a death cut off. */
    unfinishedSessions: method(z.object({ workspace }), z.object({ sessionIds: z.array(z.string()) })),
    searchMessages: method(
      z.object({ workspace, query: z.string(), limit: z.number().int() }),
      z.object({
        hits: z.array(z.object({ sessionId: z.string(), seq: z.number(), title: z.string(), snippet: z.string(), ts: z.string() })),
      }),
    ),
    /** By day, session and model. */
    readUsage: method(UsageQuerySchema.extend({ workspace }), z.object({ entries: z.array(UsageEntrySchema) })),
    /** One of the four files; errors as `workspaceFiles.read` and `workspaceFiles.write` in commands. */
    readWorkspaceFile: method(z.object({ workspace, name: WorkspaceFileNameSchema }), WorkspaceFileSchema),
    writeWorkspaceFile: method(WriteWorkspaceFileSchema, WorkspaceFileSchema),
    /** What of these files the model may be given; what the person has not agreed to becomes a banner. */
    judgeFiles: method(z.object({ workspace, files: z.array(SeenFileSchema) }), z.object({ verdicts: z.array(FileVerdictSchema) })),
    /** As `workspaceFiles.changes` and `workspaceFiles.answer` in commands. */
    changedFiles: method(z.object({ workspace }), z.object({ files: z.array(ChangedFileSchema) })),
    answerFile: method(AnswerFileSchema, nothing),
    /** The person approved this very change of a text they had agreed to, so they agree to what came of it. */
    agreeToWritten: method(WrittenFileSchema.extend({ workspace }), nothing),
    deleteSession: method(z.object({ workspace, sessionId: z.string() }), nothing),
    /** `name` is `trace_<sessionId>_<turn>_<iteration>.json`; written by temporary file and rename, not fsynced. */
    writeTrace: method(z.object({ workspace, name: z.string().regex(/^trace_s_[0-9a-z]+_\d+_\d+\.json$/), json: z.string() }), nothing),
    /** The newest traces of a session, oldest first, as they are in their files. */
    readTraces: method(
      z.object({ workspace, sessionId: z.string(), limit: z.number().int() }),
      z.object({ traces: z.array(z.object({ name: z.string(), json: z.string() })) }),
    ),
    /** Turn end: the session's log is on disk after this. */
    syncLog: method(z.object({ workspace, sessionId: z.string() }), nothing),

    ...tokenMethods,

    /** Effective values: workspace over profile over default; `profile` scope and tightening rules applied. */
    configList: method(z.object({ workspace: workspace.optional() }), z.object({ entries: z.array(ConfigEntrySchema) })),
    /** The same values alone: what a turn needs, without what describes them to a person. */
    configValues: method(z.object({ workspace: workspace.optional() }), z.object({ values: z.record(z.string(), z.unknown()) })),
    configSet: method(z.object({ workspace: workspace.optional(), key: z.string(), value: z.unknown() }), ConfigEntrySchema),
    /** As `config.setDomain` in commands. */
    configSetDomain: method(SetDomainSchema, z.object({ changed: z.boolean(), entry: ConfigEntrySchema })),
    trustAdd: method(z.object({ path: z.string() }), TrustEntrySchema),
    trustRemove: method(z.object({ path: z.string() }), z.object({ removed: z.boolean() })),
    trustList: method(nothing, z.object({ entries: z.array(TrustEntrySchema) })),
    /** Permanent permissions, in the profile only. The same one given again holds from then on. */
    grantAdd: method(GrantKeySchema, GrantSchema),
    /** Whether one covers exactly this, given in this very folder. */
    grantCovers: method(GrantKeySchema, z.object({ covered: z.boolean() })),
    grantList: method(z.object({ workspace: workspace.optional() }), z.object({ grants: z.array(GrantSchema) })),
    grantRemove: method(z.object({ id: z.number().int() }), z.object({ removed: z.boolean() })),
    recentWorkspaces: method(
      nothing,
      z.object({ workspaces: z.array(z.object({ path: z.string(), openedAt: z.string(), trusted: z.boolean() })) }),
    ),

    /** Values the redactor must keep out of everything written, beside those of the environment (`*_API_KEY`, `*_TOKEN`). Added to the known ones. */
    setSecrets: method(z.object({ secrets: z.array(z.object({ name: z.string(), value: z.string() })) }), nothing),
    /** Base URLs are authority and live in the profile only. `baseUrl: null` removes the entry. */
    providerSettingsList: method(nothing, z.object({ providers: z.array(ProviderSettingsSchema) })),
    providerSettingsSet: method(z.object({ provider: z.string(), baseUrl: z.string().nullable() }), nothing),
    /** Where the key of a provider was put, so that one that is gone after a restart is missed. Never the key. */
    keyPlaces: method(nothing, z.object({ places: z.record(z.string(), KeyPlaceSchema) })),
    keyPlaceSet: method(z.object({ provider: z.string(), place: KeyPlaceSchema.nullable() }), nothing),
    /** MCP entries of the workspace, as written there; whether one may run is decided by approvals in the profile. */
    mcpList: method(z.object({ workspace }), z.object({ servers: z.array(McpServerEntrySchema) })),
    /** Replaces the entry of the same `id`. */
    mcpSet: method(z.object({ workspace, server: McpServerEntrySchema }), nothing),
    mcpRemove: method(z.object({ workspace, id: z.string() }), z.object({ removed: z.boolean() })),
    /** What the person agreed to, by workspace and server; in the profile. */
    mcpApprovals: method(z.object({ workspace }), z.object({ approvals: z.array(McpApprovalSchema) })),
    mcpApprovalSet: method(z.object({ workspace, approval: McpApprovalSchema }), nothing),
    mcpApprovalRemove: method(z.object({ workspace, id: z.string() }), z.object({ removed: z.boolean() })),

    ...memoryMethods,
    ...pageStateMethods,

    verify: method(z.object({ path: z.string() }), DoctorReportSchema, 600_000),
    rebuild: method(z.object({ path: z.string() }), DoctorReportSchema, 600_000),
    health: method(
      nothing,
      z.object({ threadId: z.number(), queued: z.number(), commits: z.number(), sqlite: z.string(), thread: ThreadHealthSchema }),
      5_000,
    ),
  },
})
