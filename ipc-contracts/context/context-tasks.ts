/** Tasks of the context pool (Piscina, one thread). Task name = export of `workers/context/entry.ts`. */
import * as z from 'zod'
import { MetonaContextSchema } from '../metona/metona-context.ts'
import { MetonaMemoryItemSchema } from '../metona/metona-memory.ts'
import { MetonaMessageSchema, MetonaRequestSchema } from '../metona/metona-request.ts'
import { MetonaToolDefSchema } from '../metona/metona-tool.ts'
import { CompactionRecordSchema, CompactionStateSchema, IrreducibleSchema } from './compaction.ts'
import { FileVerdictSchema, SeenFileSchema } from '../workspace/agreed-file.ts'
import { ModelAccountSchema, StoredCountSchema } from './token-report.ts'

/** The history is kept per session in the pool's thread; only new messages cross. */
export const BuildInputSchema = z.object({
  sessionId: z.string(),
  requestId: z.string(),
  agentVersion: z.string(),
  workspace: z.string(),
  model: z.object({ provider: z.string(), id: z.string(), contextWindow: z.number(), maxOutput: z.number() }),
  /** Append `messages` after the first `from` the thread already has. */
  from: z.number().int().min(0),
  messages: z.array(MetonaMessageSchema),
  tools: z.array(MetonaToolDefSchema),
  iteration: z.number().int(),
  userInput: z.string(),
  taskGoal: z.string().optional(),
  /** The person's own ceiling for input tokens; 200,000 when absent. The window bounds it in any case. */
  contextBudget: z.number().int().positive().optional(),
  /** Files touched since the last build besides those named in tool calls; brings in AGENTS.md files below the root. */
  touchedPaths: z.array(z.string()).optional(),
  /** Answers to an `unseen_files`, for this and later builds. */
  verdicts: z.array(FileVerdictSchema).optional(),
  /** Another number than at the last build: the person may have agreed to something, so all verdicts are asked for anew. */
  agreements: z.number().optional(),
  /** Found for the newest user message; frozen with it at its first build. */
  memories: z.array(MetonaMemoryItemSchema).optional(),
  /**
   * The build whose message list the caller still holds. When it was the session's last one, the answer leaves out the
   * messages that are still the same at its start (`kept`): a long history does not cross again at every step.
   */
  heldRequestId: z.string().optional(),
  /** With a whole history (`from` 0): the state of the session's last `compaction` event. */
  compaction: CompactionStateSchema.optional(),
  /** With a whole history: counts stored earlier. */
  counts: z.array(StoredCountSchema).optional(),
  /** With a whole history: what is stored of the model; taken over by a thread that has no report of it yet. */
  account: ModelAccountSchema.optional(),
  thinkingEnabled: z.boolean(),
  now: z.number(),
})
export type BuildInput = z.input<typeof BuildInputSchema>
/** The same as the context thread sees it. */
export type BuildTask = z.output<typeof BuildInputSchema>

export const BuildOutputSchema = z.union([
  z.object({
    ok: z.literal(true),
    request: MetonaRequestSchema,
    /** So many messages of the held list come before `request.messages`; absent or 0: the list is whole. */
    kept: z.number().int().min(0).optional(),
    /** The context without its history and tools (they are in `request`), for the record. */
    context: MetonaContextSchema.omit({ history: true, availableTools: true }),
    /** SHA-256 (hex) of the message list in `request`. */
    messagesHash: z.string(),
    /** For people: files cut to their limit, damaged pairs mended, and the like. */
    notes: z.array(z.string()),
    /** Text frozen with messages by this build. Kept and given back as `turnContext` with a whole history, the bytes stay the same. */
    turnContexts: z.array(z.object({ messageId: z.string(), turnContext: z.string() })).optional(),
    /** Results were pruned, or the history was cut because it did not fit: to be committed as an event. */
    compaction: CompactionRecordSchema.optional(),
    /** Exact counts made since the previous build, to be stored. */
    counts: z.array(StoredCountSchema).optional(),
    threadId: z.number(),
  }),
  /** The thread does not hold `from` messages of this session (it is new): send the history whole. */
  z.object({ ok: z.literal(false), reason: z.literal('unknown_session') }),
  /** Files that speak to the model in the person's name and were not judged yet: call again with verdicts. Nothing was frozen. */
  z.object({ ok: z.literal(false), reason: z.literal('unseen_files'), files: z.array(SeenFileSchema) }),
  /** Even cut down, the request does not fit the model's window. Nothing may be sent. */
  z.object({ ok: z.literal(false), reason: z.literal('irreducible'), ...IrreducibleSchema.shape }),
])
export type BuildOutput = z.infer<typeof BuildOutputSchema>
