/** What a running call of an MCP server's tool may ask of its session's model, over a port of its own that ends with the call. */
import * as z from 'zod'
import { defineService } from '../wire/define-service.ts'

/** Tokens of one answer, whatever the server wishes for. */
export const SAMPLING_TOKENS = 4_096

export const SamplingRequestSchema = z.object({
  systemPrompt: z.string(),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant']), text: z.string() })).min(1),
  maxTokens: z.number().int().min(1).max(SAMPLING_TOKENS),
  temperature: z.number().optional(),
  stop: z.array(z.string()).optional(),
})
export type SamplingRequest = z.infer<typeof SamplingRequestSchema>

export const samplingPort = defineService({
  name: 'sampling',
  methods: {
    /**
     * Sends nothing of the conversation, and no tools. The person has agreed to it before. What it costs is the session's.
     * Errors: `SPENDING_LIMIT`, `MODEL_FAILED` (the message says why).
     */
    sample: {
      input: SamplingRequestSchema,
      output: z.object({ text: z.string(), model: z.string(), cut: z.boolean() }),
      deadlineMs: 600_000,
    },
  },
})
