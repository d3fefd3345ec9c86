import { AppError } from '#contracts/wire/app-error.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import type { LiveSession } from './live-session.ts'
import type { Services } from './services.ts'
import { turnConfig } from './session-config.ts'
import { endBrokenTurn, runSessionTurn } from './turn-runner.ts'
import type { WorkspaceRegistry } from './workspace-registry.ts'

/** A turn with the settings and the time limit of its folder. Never rejects. */
export async function runLimitedTurn(
  services: Services,
  workspaces: WorkspaceRegistry,
  session: LiveSession,
  input: { turn: number; userInput: string; signal: AbortSignal },
): Promise<void> {
  try {
    const config = turnConfig(await workspaces.configValues(session.workspace))
    const { turnTimeoutMs } = config
    const timed = new AbortController()
    const overdue = new AppError({ code: 'TURN_TIMEOUT', message: `the turn took longer than ${turnTimeoutMs / 1000} s` })
    const limited = session.timeoutMs === undefined && turnTimeoutMs !== Infinity
    const stopWaiting = limited ? awakeTimeout(() => timed.abort(overdue), turnTimeoutMs) : undefined
    const signal = limited ? AbortSignal.any([input.signal, timed.signal]) : input.signal
    await runSessionTurn(services, session, config, { ...input, signal })
    stopWaiting?.()
  } catch (thrown) {
    await endBrokenTurn(services, session, input.turn, thrown)
  }
}
