/** The provider-neutral request, as the internal API standard defines it. */
import * as z from 'zod'
import { MetonaThinkingSchema } from './metona-thinking.ts'
import { MetonaToolCallSchema, MetonaToolDefSchema, MetonaToolResultSchema } from './metona-tool.ts'

/** The parts of the system prompt. Adapters join the non-empty ones in this order. */
export const MetonaSystemPromptSchema = z.object({
  roleDefinition: z.string(),
  outputConstraints: z.string(),
  safetyGuidelines: z.string(),
  /** From AGENTS.md. */
  behaviorRules: z.string().optional(),
  /** From USERS.md. */
  userProfile: z.string().optional(),
  /** From MEMORY.md. */
  memory: z.string().optional(),
})
export type MetonaSystemPrompt = z.infer<typeof MetonaSystemPromptSchema>

export const MetonaImageSchema = z.object({
  /** For example `image/png`. */
  mediaType: z.string(),
  /** Base64 without a `data:` prefix. */
  data: z.string(),
})
export type MetonaImage = z.infer<typeof MetonaImageSchema>

/**
 * What a provider wants back unchanged in later turns (Anthropic thinking blocks with signatures,
 * Responses reasoning items). Opaque outside the adapter that made it; sent only to the same
 * provider and model.
 */
export const MetonaProviderStateSchema = z.object({
  provider: z.string(),
  model: z.string(),
  blocks: z.array(z.unknown()),
})
export type MetonaProviderState = z.infer<typeof MetonaProviderStateSchema>

const MetonaMessageShape = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  /** Milliseconds since the epoch. */
  timestamp: z.number(),
  toolCalls: z.array(MetonaToolCallSchema).optional(),
  toolResult: MetonaToolResultSchema.optional(),
  thinking: MetonaThinkingSchema.optional(),
  images: z.array(MetonaImageSchema).optional(),
  providerState: MetonaProviderStateSchema.optional(),
  /** Ours; stable over the life of the session. */
  id: z.string().optional(),
  /** Ours: date, goal, memories, folder rules frozen with this message. The context worker joins it to the text; adapters never see it. */
  turnContext: z.string().optional(),
})
export type MetonaMessage = z.infer<typeof MetonaMessageShape>

/**
 * A message. A tool call without `timestamp` takes its message's (the standard's own example leaves
 * it out); nothing else is loosened.
 */
export const MetonaMessageSchema = MetonaMessageShape.extend({
  toolCalls: z.array(MetonaToolCallSchema.partial({ timestamp: true })).optional(),
}).transform(({ toolCalls, ...message }): MetonaMessage =>
  toolCalls === undefined
    ? message
    : { ...message, toolCalls: toolCalls.map((call) => ({ ...call, timestamp: call.timestamp ?? message.timestamp })) },
)

export const MetonaRequestParamsSchema = z.object({
  maxTokens: z.number().int().positive().optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  stop: z.array(z.string()).optional(),
  stream: z.boolean(),
  thinkingEnabled: z.boolean(),
  /** How hard to think, where the provider has levels. */
  thinkingEffort: z.enum(['low', 'medium', 'high']).optional(),
  toolChoice: z.enum(['auto', 'none', 'required']).optional(),
  responseFormat: z
    .union([
      z.object({ type: z.enum(['text', 'json_object']) }),
      z.object({ type: z.literal('json_schema'), name: z.string(), schema: z.record(z.string(), z.unknown()) }),
    ])
    .optional(),
})
export type MetonaRequestParams = z.infer<typeof MetonaRequestParamsSchema>

export const MetonaRequestSchema = z.object({
  meta: z.object({
    sessionId: z.string(),
    iteration: z.number().int().min(0),
    requestId: z.string(),
    timestamp: z.number(),
    agentVersion: z.string(),
    /** Joined by us: the provider's model id. The standard leaves it to the adapter's configuration. */
    model: z.string().optional(),
  }),
  systemPrompt: MetonaSystemPromptSchema,
  messages: z.array(MetonaMessageSchema),
  tools: z.array(MetonaToolDefSchema).optional(),
  params: MetonaRequestParamsSchema,
})
export type MetonaRequest = z.infer<typeof MetonaRequestSchema>
