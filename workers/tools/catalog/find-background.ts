/** A background command of the calling session by id, or an error that lists what there is. */
import type { BackgroundCommand } from '../commands/background-commands.ts'
import type { RunContext } from '../define-tool.ts'
import { ToolError } from '../domain/tool-error.ts'

export function findBackground(context: RunContext, id: string): BackgroundCommand {
  const entry = context.services.background.find(context.place.sessionId, id)
  if (entry !== undefined) return entry
  const there = context.services.background
    .ofSession(context.place.sessionId)
    .map((command) => `${command.id} (${command.finished === undefined ? 'running' : 'ended'}: ${command.command.slice(0, 60)})`)
  throw new ToolError(
    'NOT_FOUND',
    `This session has no background command ${id}. ${there.length === 0 ? 'It has none at all; start one with run_command and background: true.' : `There are: ${there.join('; ')}.`}`,
  )
}
