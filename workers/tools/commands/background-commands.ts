/** Commands that run on while the session goes on. They belong to a session and end with it. */
import type { FinishedCommand, FollowedCommand } from './execute-command.ts'

export interface BackgroundCommand {
  /** `cmd_1`, `cmd_2` … within a session. */
  readonly id: string
  readonly sessionId: string
  readonly command: string
  readonly followed: FollowedCommand
  /** Set once it has ended. */
  finished?: FinishedCommand
}

/** Ended ones are remembered so that their last output can still be read. */
const REMEMBERED = 50
export const BACKGROUND_LIMIT = 16

export class BackgroundCommands {
  private readonly commands = new Map<string, BackgroundCommand>()
  private readonly counters = new Map<string, number>()

  add(sessionId: string, command: string, followed: FollowedCommand): BackgroundCommand {
    const number = (this.counters.get(sessionId) ?? 0) + 1
    this.counters.set(sessionId, number)
    const entry: BackgroundCommand = { id: `cmd_${number}`, sessionId, command, followed }
    this.commands.set(`${sessionId}\0${entry.id}`, entry)
    void followed.done.then((finished) => {
      entry.finished = finished
      this.forgetOldest()
    })
    return entry
  }

  find(sessionId: string, id: string): BackgroundCommand | undefined {
    return this.commands.get(`${sessionId}\0${id}`)
  }

  ofSession(sessionId: string): BackgroundCommand[] {
    return [...this.commands.values()].filter((entry) => entry.sessionId === sessionId)
  }

  running(): number {
    return [...this.commands.values()].filter((entry) => entry.finished === undefined).length
  }

  /** @returns processes that could not be ended. */
  async endSession(sessionId: string): Promise<number[]> {
    const ended = await Promise.all(
      this.ofSession(sessionId).map(async (entry) => (entry.finished === undefined ? entry.followed.stop() : entry.finished)),
    )
    for (const entry of this.ofSession(sessionId)) this.commands.delete(`${sessionId}\0${entry.id}`)
    this.counters.delete(sessionId)
    return ended.flatMap((finished) => (finished.exit.kind === 'exit' ? finished.exit.survivors : []))
  }

  private forgetOldest(): void {
    const ended = [...this.commands].filter(([, entry]) => entry.finished !== undefined)
    for (const [key] of ended.slice(0, Math.max(0, ended.length - REMEMBERED))) this.commands.delete(key)
  }
}
