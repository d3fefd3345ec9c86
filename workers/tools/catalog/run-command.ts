/** run_command: a shell command in the workspace, in the foreground or the background. */
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import type { Limit } from '#contracts/tools/command-host-protocol.ts'
import type { NetworkRefusal } from '#contracts/tools/allowed-domains.ts'
import type { SandboxReason } from '#contracts/tools/sandbox-state.ts'
import { bringsText } from '../domain/shell/brings-text.ts'
import { ToolError } from '../domain/tool-error.ts'
import { hasHiddenText } from '#workers/shared/visible-text.ts'
import { defineTool, type PrepareContext, type RunContext, type ToolOutput } from '../define-tool.ts'
import { heldNote, ignoredNote, maskedNote } from '../commands/masked-note.ts'
import { networkNote, unreachedHosts } from '../commands/network-note.ts'
import { BACKGROUND_LIMIT } from '../commands/background-commands.ts'
import type { FinishedCommand, FollowedCommand } from '../commands/execute-command.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 3_600_000
const EXCEEDED: Readonly<Record<Limit, string>> = {
  memory: 'used more memory than a command may',
  processes: 'started more processes than a command may',
}
/** How long a background command is watched for an early end before the model goes on. */
const EARLY_END_MS = 1000

export const runCommandTool = defineTool({
  name: 'run_command',
  description:
    `Runs a command with the shell (bash where there is one) in the workspace folder and returns its output and exit code. It gets no input: anything that asks a question fails, so pass options such as --yes. ` +
    `It is ended after timeout_ms (default ${DEFAULT_TIMEOUT_MS}). For servers and watchers set background to true: the call returns at once with an id for command_output and stop_command. Processes left behind by a foreground command are ended with it. Long output is cut in the middle; the whole is kept in a file.`,
  input: z.strictObject({
    command: z.string().min(1).max(100_000).describe('The command line'),
    timeout_ms: z.number().int().min(1).max(MAX_TIMEOUT_MS).optional().describe('Milliseconds after which it is ended'),
    background: z.boolean().optional().describe('Let it run on while the work continues'),
  }),
  risk: 'execute',
  parallel: false,
  prepare: async (input, context) => {
    if (input.command.includes('\0'))
      throw new ToolError('BAD_ARGUMENTS', 'The command holds a NUL character, which no program can be given.')
    const holding = await describeHolding(context)
    // In the sandbox only what the person named can be reached, by default nothing.
    const reaches = !holding.permit.sandboxed || holding.domains !== undefined
    const foreign = reaches && bringsText(input.command) ? { foreign: true } : {}
    // It would still reach out when secrets have been read later, and nothing would ask again.
    const runsOn =
      input.background === true && holding.domains !== undefined
        ? { mustAsk: { code: 'network_in_background', params: { domains: holding.domains.join(', ') } } }
        : {}
    if (hasHiddenText(input.command)) return { display: input.command, mustAsk: { code: 'hidden_characters' }, ...holding, ...foreign }
    const [{ judgeCommand }, { chooseShell }] = await Promise.all([
      import('../commands/judge-command.ts'),
      import('../commands/shell-choice.ts'),
    ])
    const { name } = await chooseShell()
    if (name !== 'bash' && name !== 'sh') return { display: input.command, ...holding, ...foreign, ...runsOn }
    const judged = await judgeCommand(input.command, context)
    return {
      display: input.command,
      ...holding,
      ...foreign,
      permit: { ...holding.permit, scripts: judged.scripts, secrets: judged.revealed.secrets },
      ...(judged.revealed.reason === undefined ? {} : { reveals: judged.revealed.reason }),
      ...(judged.subjects === undefined ? {} : { subjects: judged.subjects }),
      ...(judged.hidden === true ? { hidden: true } : {}),
      ...(judged.secret === undefined ? {} : { secret: judged.secret }),
      ...(judged.unclear === undefined
        ? judged.incomplete === true
          ? { mustAsk: { code: 'files_unbound' } }
          : {}
        : { mustAsk: { code: 'command_unclear', params: { what: judged.unclear } } }),
      ...runsOn,
      ...(judged.grantPrefix === undefined ? {} : { grantPrefix: judged.grantPrefix }),
      // A background command would go on unseen, so it is not waved through.
      ...(judged.harmless && input.background !== true ? { harmless: true } : {}),
    }
  },
  run: async (input, context) => {
    const { executeCommand } = await import('../commands/execute-command.ts')
    const background = input.background ?? false
    if (background) requireRoom(context)
    if (context.permit?.scripts !== undefined) {
      const { requireSameScripts } = await import('../commands/named-scripts.ts')
      await requireSameScripts(context.permit.scripts, context)
    }
    context.signal.throwIfAborted()
    const timeoutMs = input.timeout_ms ?? (background ? undefined : DEFAULT_TIMEOUT_MS)
    const permit = context.permit ?? (await describeHolding(context)).permit
    const followed = await executeCommand({
      place: context.place,
      callId: context.callId,
      command: input.command,
      services: context.services,
      live: context.live,
      sandboxed: permit.sandboxed ?? true,
      domains: (permit.domains ?? []).filter((domain) => context.place.domains?.includes(domain)),
      secrets: context.permit?.secrets ?? [],
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    })
    return background ? runInBackground(input.command, followed, context) : runInForeground(input.command, followed, context, timeoutMs)
  },
})

interface Holding {
  /** It can be relied on. */
  readonly sandboxed: boolean
  readonly permit: { readonly sandboxed: boolean; readonly domains?: readonly string[] }
  readonly unheld?: SandboxReason
  readonly domains?: string[]
}

/** Whether the command will run in the sandbox; what is said here is what is done. */
async function describeHolding({ place, services }: PrepareContext): Promise<Holding> {
  const unheld = place.sandbox === 'off' ? undefined : await services.sandbox.unheld(place.workspace)
  const sandboxed = place.sandbox !== 'off' && unheld === undefined
  // A profile that was never run holds what it holds, and nobody counts on it.
  if (sandboxed && (await services.sandbox.state()).kind === 'seatbelt')
    return { sandboxed: false, permit: { sandboxed }, unheld: 'untested' }
  const allowed = sandboxed ? (place.domains ?? []) : []
  const domains = allowed.length > 0 && (await services.sandbox.opensDomains()) ? { domains: allowed } : {}
  return { sandboxed, permit: { sandboxed, ...domains }, ...(unheld === undefined ? {} : { unheld }), ...domains }
}

async function runInForeground(
  command: string,
  followed: FollowedCommand,
  context: RunContext,
  timeoutMs: number | undefined,
): Promise<ToolOutput> {
  const stop = (): void => void followed.stop()
  if (context.signal.aborted) stop()
  context.signal.addEventListener('abort', stop, { once: true })
  const finished = await followed.done
  context.signal.removeEventListener('abort', stop)
  return describeEnd(command, followed, finished, { stopped: context.signal.aborted, timeoutMs })
}

async function runInBackground(command: string, followed: FollowedCommand, context: RunContext): Promise<ToolOutput> {
  const early = await Promise.race([followed.done, delay(EARLY_END_MS, undefined, { signal: context.signal }).catch(() => undefined)])
  if (early !== undefined) return describeEnd(command, followed, early, { stopped: false, timeoutMs: undefined })
  const entry = context.services.background.add(context.place.sessionId, command, followed)
  const output = followed.collector.takeUnread()
  return {
    result: `Running in the background as ${entry.id} (process ${followed.handle.pid}). Read what it writes with command_output, end it with stop_command.${heldNote(followed.held)}${output === '' ? '' : `\nFirst output:\n${output}`}`,
    display: { kind: 'terminal', command, background: entry.id, pid: followed.handle.pid, text: output },
  }
}

export function describeEnd(
  command: string,
  followed: FollowedCommand,
  finished: FinishedCommand,
  how: { stopped: boolean; timeoutMs: number | undefined },
): ToolOutput {
  const { exit, output, durationMs } = finished
  const text = output.text.trim() === '' ? '[no output]' : output.text.replace(/\n+$/, '')
  if (exit.kind === 'lost') {
    return {
      outcome: 'unknown',
      error: exit.message,
      result: `${text}\n[${exit.message} How far it got is unknown; look before you run it again.]`,
      display: { kind: 'terminal', command, text: output.text, lost: true },
    }
  }
  const because = followed.endedBecause()
  const end = how.stopped
    ? `[Stopped by the user after ${durationMs} ms.]`
    : exit.timedOut
      ? `[Ended after the time limit of ${how.timeoutMs ?? durationMs} ms. Give a longer timeout_ms, or background: true for something that runs on.]`
      : because !== undefined
        ? `[Ended because ${because}.]`
        : exit.exceeded !== undefined
          ? `[Ended because it ${EXCEEDED[exit.exceeded]}.]`
          : exit.signal !== null
            ? `[Ended by signal ${exit.signal}.]`
            : `[Exit code ${exit.exitCode}.]`
  const notes = [end]
  const endedByUs = how.stopped || exit.timedOut || because !== undefined || exit.exceeded !== undefined
  if (exit.restored !== undefined) notes.push(`[Protected, and put back as before: ${exit.restored.join(', ')}.]`)
  if (!endedByUs && exit.found > 0)
    notes.push(`[${exit.found} process(es) it had left running were ended with it. Use background: true for what should run on.]`)
  const refused = refusedConnections(followed, finished)
  const note = networkNote(refused, followed.domainsShut && exit.exitCode !== 0)
  if (note !== undefined) notes.push(note)
  if (followed.masked !== undefined) {
    const stopped = exit.exitCode === 0 ? undefined : maskedNote(output.text)
    const ignored = ignoredNote(command, followed.masked)
    notes.push(...[stopped, ignored].filter((text) => text !== undefined))
  }
  if (exit.survivors.length > 0) notes.push(`[Still alive, could not be ended: ${exit.survivors.join(', ')}.]`)
  const failed = endedByUs || exit.exitCode !== 0
  return {
    outcome: how.stopped ? 'aborted' : failed ? 'error' : 'ok',
    ...(failed ? { error: end.slice(1, -1) } : {}),
    result: `${text}\n${notes.join('\n')}`,
    display: {
      kind: 'terminal',
      command,
      text: output.text,
      exitCode: exit.exitCode,
      signal: exit.signal,
      durationMs,
      bytes: output.bytes,
      timedOut: exit.timedOut,
      ...(output.path === undefined ? {} : { file: output.path }),
      ...(refused.length === 0 ? {} : { refused }),
    },
    ...(endedByUs ? { stop: { processesFound: exit.found, processesKilled: exit.killed, survivors: exit.survivors } } : {}),
  }
}

/** As the proxy told; where there is none, as a command that failed says itself. */
function refusedConnections(followed: FollowedCommand, { exit, output }: FinishedCommand): readonly NetworkRefusal[] {
  const { refused, networkClosed, domainsShut } = followed
  if (!networkClosed || domainsShut || exit.kind === 'lost' || exit.exitCode === 0) return refused
  return unreachedHosts(output.text)
}

function requireRoom(context: RunContext): void {
  const running = context.services.background.ofSession(context.place.sessionId).filter((entry) => entry.finished === undefined)
  if (running.length < BACKGROUND_LIMIT) return
  throw new ToolError(
    'TOO_MANY',
    `${running.length} commands run in the background already (${running.map((entry) => entry.id).join(', ')}). Stop one with stop_command first.`,
  )
}
