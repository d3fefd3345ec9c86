/** A number that changes with what is counted of a message, so that a stored count is never used for another text. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'
import { toolResultText } from './message-text.ts'

export function messageRevision(message: MetonaMessage): number {
  let hash = 0x811c9dc5
  const add = (text: string): void => {
    for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    hash = Math.imul(hash ^ 0x1f, 0x01000193)
  }
  add(message.role)
  add(message.content)
  if (message.toolResult !== undefined) add(toolResultText(message.toolResult))
  if (message.thinking !== undefined) add(message.thinking.content)
  for (const call of message.toolCalls ?? []) add(call.name + JSON.stringify(call.args))
  add(String(message.images?.length ?? 0))
  return hash >>> 0
}
