/** What the storage worker does for the session worker. It alone opens SQLite, JSONL and trace files. */
import * as z from 'zod'
import { ThreadHealthSchema } from '../health/thread-health.ts'
import { BannerSchema } from '../session/client-protocol.ts'
import { SessionEventSchema } from '../session/session-event.ts'
import { SessionSummarySchema } from '../session/session-snapshot.ts'
import { DoctorReportSchema } from './doctor-report.ts'
import { mcpMethods } from './mcp-methods.ts'
import { memoryMethods } from './memory-methods.ts'
import { pageStateMethods } from './page-state-methods.ts'
import { PartialSchema } from './partial-text.ts'
import { profileMethods } from './profile-methods.ts'
import { workspaceFileMethods } from './workspace-file-methods.ts'
import { FileVerdictSchema } from '../workspace/agreed-file.ts'
import { UsageEntrySchema, UsageQuerySchema } from './usage.ts'
import { defineService } from '../wire/define-service.ts'
import { tokenMethods } from './token-methods.ts'

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
        profileVersion: z.number().int(),
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

    ...workspaceFileMethods,
    ...tokenMethods,
    ...profileMethods,
    ...mcpMethods,

    /** Values the redactor must keep out of everything written, beside those of the environment (`*_API_KEY`, `*_TOKEN`). Added to the known ones. */
    setSecrets: method(z.object({ secrets: z.array(z.object({ name: z.string(), value: z.string() })) }), nothing),
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
