/** stop_command: ends a background command with everything it started. */
import * as z from 'zod'
import { defineTool } from '../define-tool.ts'
import { findBackground } from './find-background.ts'

export const stopCommandTool = defineTool({
  name: 'stop_command',
  description: 'Ends a background command and every process it started.',
  input: z.strictObject({ command_id: z.string().min(1).describe('The id run_command gave, such as cmd_1') }),
  risk: 'session',
  parallel: false,
  prepare: (input) => ({ display: `Stop ${input.command_id}` }),
  run: async (input, context) => {
    const entry = findBackground(context, input.command_id)
    if (entry.finished !== undefined) return { result: `${entry.id} had already ended.` }
    const { exit, output } = await entry.followed.stop()
    const text = entry.followed.collector.takeUnread().replace(/\n+$/, '')
    const found = exit.kind === 'exit' ? exit.found : 0
    const survivors = exit.kind === 'exit' ? exit.survivors : []
    const killed = exit.kind === 'exit' ? exit.killed : 0
    const alive = survivors.length === 0 ? '' : ` Still alive, could not be ended: ${survivors.join(', ')}.`
    return {
      result: `${text === '' ? '' : `${text}\n`}[${entry.id} stopped: ${killed} of ${found} processes ended.${alive}]`,
      display: { kind: 'terminal', command: entry.command, background: entry.id, running: false, text: output.text },
      stop: { processesFound: found, processesKilled: killed, survivors },
      ...(survivors.length === 0 ? {} : { error: `Processes ${survivors.join(', ')} could not be ended.` }),
    }
  },
})
