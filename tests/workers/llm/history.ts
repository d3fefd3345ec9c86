/** Short ways to write histories in tests. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaToolCall, MetonaToolDef, MetonaToolResult } from '#contracts/metona/metona-tool.ts'

export const pixel = { mediaType: 'image/png', data: 'iVBORw0KGgo=' }

export function toolCall(id: string, name: string, args: Record<string, unknown>, more: Partial<MetonaToolCall> = {}): MetonaToolCall {
  return { id, name, args, iteration: 1, timestamp: 1, ...more }
}

export function user(content: string, more: Partial<MetonaMessage> = {}): MetonaMessage {
  return { role: 'user', content, timestamp: 1, ...more }
}

export function assistant(content: string, toolCalls: MetonaToolCall[] = [], more: Partial<MetonaMessage> = {}): MetonaMessage {
  return { role: 'assistant', content, timestamp: 1, ...(toolCalls.length === 0 ? {} : { toolCalls }), ...more }
}

export function toolResult(
  toolCallId: string,
  toolName: string,
  result: unknown,
  more: Partial<MetonaToolResult> = {},
  message: Partial<MetonaMessage> = {},
): MetonaMessage {
  return {
    role: 'tool',
    content: '',
    timestamp: 1,
    toolResult: { toolCallId, toolName, result, success: true, durationMs: 1, timestamp: 1, ...more },
    ...message,
  }
}

export const readFile: MetonaToolDef = {
  name: 'read_file',
  description: 'Reads a file',
  parameters: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
}
