/** The texts of a message as a provider counts them. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import type { MetonaToolResult } from '#contracts/metona/metona-tool.ts'

/** The result itself: the summary when there is one, else what the tool returned. */
export function resultBody(result: MetonaToolResult): string {
  if (result.summary !== undefined) return result.summary
  if (result.result === undefined || result.result === null) return ''
  return typeof result.result === 'string' ? result.result : (JSON.stringify(result.result) ?? '')
}

/** What the model reads of it; a failure says so. Adapters write the same. */
export function toolResultText(result: MetonaToolResult): string {
  const body = resultBody(result)
  if (result.success) return body
  const error = result.error ?? 'the tool failed'
  return body === '' || body === error ? `Error: ${error}` : `Error: ${error}\n${body}`
}

/** Stable name of a message within its session; messages without an id of their own take their call's. */
export function messageKey(message: MetonaMessage): string | undefined {
  return message.id ?? message.toolResult?.toolCallId
}
