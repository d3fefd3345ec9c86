/** The text forms of what goes into a request, the same for every provider. */
import type { MetonaSystemPrompt } from '#contracts/metona/metona-request.ts'
import type { MetonaToolResult } from '#contracts/metona/metona-tool.ts'

/** The non-empty parts in the standard's order, a blank line between them. */
export function systemText(prompt: MetonaSystemPrompt): string {
  return [prompt.roleDefinition, prompt.outputConstraints, prompt.safetyGuidelines, prompt.behaviorRules, prompt.userProfile, prompt.memory]
    .filter((part) => part !== undefined && part.trim() !== '')
    .join('\n\n')
}

/** What the model reads of a result: the summary when there is one, else the result; a failure says so. */
export function toolResultText(result: MetonaToolResult): string {
  const body =
    result.summary ??
    (typeof result.result === 'string'
      ? result.result
      : result.result === undefined || result.result === null
        ? ''
        : JSON.stringify(result.result))
  if (result.success) return body
  const error = result.error ?? 'the tool failed'
  return body === '' || body === error ? `Error: ${error}` : `Error: ${error}\n${body}`
}
