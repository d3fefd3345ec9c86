/**
 * The types the internal API standard prints, as it prints them (comments left out; its enum as a union of its
 * values). Only `standard.test.ts` uses them, to hold the contracts to the standard.
 */

export interface MetonaThinking {
  content: string
  status: 'thinking' | 'complete'
  durationMs: number
  tokensUsed: number
}

export interface MetonaToolCall {
  id: string
  name: string
  args: Record<string, unknown>
  iteration: number
  timestamp: number
}

export interface MetonaToolResult {
  toolCallId: string
  toolName: string
  result: unknown
  summary?: string
  success: boolean
  error?: string
  durationMs: number
  timestamp: number
}

export interface MetonaError {
  code: MetonaErrorCode
  message: string
  provider?: string
  providerCode?: string
  retryable: boolean
  retryAfterMs?: number
}

export const errorCodes = {
  NETWORK_TIMEOUT: 'network_timeout',
  NETWORK_ERROR: 'network_error',
  AUTH_INVALID: 'auth_invalid',
  AUTH_EXPIRED: 'auth_expired',
  RATE_LIMITED: 'rate_limited',
  QUOTA_EXCEEDED: 'quota_exceeded',
  MODEL_OVERLOADED: 'model_overloaded',
  MODEL_NOT_FOUND: 'model_not_found',
  CONTEXT_LENGTH_EXCEEDED: 'context_length_exceeded',
  OUTPUT_LENGTH_EXCEEDED: 'output_length_exceeded',
  CONTENT_FILTERED: 'content_filtered',
  PARSE_ERROR: 'parse_error',
  INVALID_RESPONSE: 'invalid_response',
  MAX_ITERATIONS: 'max_iterations',
  USER_ABORTED: 'user_aborted',
  TIMEOUT: 'timeout',
  UNKNOWN: 'unknown',
} as const
export type MetonaErrorCode = (typeof errorCodes)[keyof typeof errorCodes]

export interface MetonaMemoryItem {
  id: string
  type: 'episodic' | 'semantic' | 'working'
  content: string
  summary?: string
  source: 'user_input' | 'tool_result' | 'agent_thought' | 'imported'
  importance: number
  relevanceScore?: number
  sessionId?: string
  createdAt: number
  expiresAt?: number
}

export interface MetonaModelInfo {
  id: string
  providerId: string
  displayName: string
  contextWindow: number
  maxOutput: number
  supportsStreaming: boolean
  supportsThinking: boolean
  supportsImages: boolean
  supportsToolCalling: boolean
  supportsStructuredOutput: boolean
  pricing?: MetonaPricing
}

export interface MetonaPricing {
  inputPerMillion: number
  outputPerMillion: number
  currency: string
}

/** The context and the adapter name types the standard does not print; they are parameters here. */
export interface MetonaContext<SystemPrompt, Message, ToolDef> {
  id: string
  sessionId: string
  systemPrompt: SystemPrompt
  history: Message[]
  relevantMemories: MetonaMemoryItem[]
  currentTask: { userInput: string; iteration: number; taskGoal?: string }
  availableTools: ToolDef[]
  estimatedTokens: number
  usageRatio: number
  needsCompression: boolean
}

export interface IMetonaProviderAdapter<Request, Response, StreamEvent> {
  readonly providerId: string
  readonly supportedModels: string[]
  getContextWindow(model: string): number
  healthCheck(): Promise<boolean>
  send(request: Request): Promise<Response>
  sendStream(request: Request, onEvent: (event: StreamEvent) => void): Promise<Response>
  listModels(): Promise<MetonaModelInfo[]>
}
