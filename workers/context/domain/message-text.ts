/** The texts of a message as a provider counts them. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaToolResult } from '#contracts/metona/metona-tool.ts'

/** What the model reads of a result: the summary when there is one, else the result itself. */
export function toolResultText(result: MetonaToolResult): string {
  if (result.summary !== undefined) return result.summary
  if (!result.success && result.error !== undefined && (result.result === undefined || result.result === null || result.result === '')) return result.error
  return typeof result.result === 'string' ? result.result : (JSON.stringify(result.result) ?? '')
}

/** Stable name of a message within its session; messages without an id of their own take their call's. */
export function messageKey(message: MetonaMessage): string | undefined {
  return message.id ?? message.toolResult?.toolCallId
}
