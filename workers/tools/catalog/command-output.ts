/** command_output: what a background command has written since it was last looked at. */
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { networkNote } from '../commands/network-note.ts'
import { findBackground } from './find-background.ts'

const MAX_WAIT_MS = 120_000

export const commandOutputTool = defineTool({
  name: 'command_output',
  description:
    'Returns what a background command has written since the last look, and whether it still runs. wait_ms waits for its end that long at most.',
  input: z.strictObject({
    command_id: z.string().min(1).describe('The id run_command gave, such as cmd_1'),
    wait_ms: z.number().int().min(0).max(MAX_WAIT_MS).optional().describe('Milliseconds to wait for its end (default 0)'),
  }),
  risk: 'session',
  parallel: true,
  prepare: (input) => ({ display: `Output of ${input.command_id}` }),
  run: async (input, context) => {
    const entry = findBackground(context, input.command_id)
    const wait = input.wait_ms ?? 0
    if (entry.finished === undefined && wait > 0)
      await Promise.race([entry.followed.done, delay(wait, undefined, { signal: context.signal }).catch(() => undefined)])
    context.signal.throwIfAborted()
    const text = entry.followed.collector.takeUnread().replace(/\n+$/, '')
    const state = describeState(entry)
    const { refused, domainsShut } = entry.followed
    const note = networkNote(refused, domainsShut)
    return {
      result: `${text === '' ? '[nothing new]' : text}\n[${entry.id}: ${state}]${note === undefined ? '' : `\n${note}`}`,
      display: { kind: 'terminal', command: entry.command, background: entry.id, running: entry.finished === undefined, text, refused },
    }
  },
})

function describeState(entry: ReturnType<typeof findBackground>): string {
  const exit = entry.finished?.exit
  if (exit === undefined)
    return `still running, process ${entry.followed.handle.pid}, ${entry.followed.collector.bytes} bytes written so far`
  if (exit.kind === 'lost') return exit.message
  const because = entry.followed.endedBecause()
  if (because !== undefined) return `ended because ${because}`
  return exit.timedOut
    ? 'ended by its time limit'
    : exit.signal === null
      ? `ended with exit code ${exit.exitCode}`
      : `ended by signal ${exit.signal}`
}
