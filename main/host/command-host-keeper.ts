/** One command host at a time, started when first needed. Its address is good for one connection. */

export interface CommandHostAddress {
  readonly socketPath: string
  /** To say first on the socket. */
  readonly token: string
}

export interface RunningCommandHost extends CommandHostAddress {
  /** Called once when the process is gone, for whatever reason. */
  onExit(listener: () => void): void
  stop(): Promise<void>
}

export interface CommandHostKeeper {
  /**
   * A fresh one each time: whoever asks again (the tools worker, when its socket closed or was refused, or a
   * new tools worker) can no longer use the one before, which is ended with everything it started.
   */
  address(): Promise<CommandHostAddress>
  stop(): Promise<void>
  running(): boolean
}

export function keepCommandHost(launch: () => Promise<RunningCommandHost>): CommandHostKeeper {
  let current: Promise<RunningCommandHost> | undefined

  const end = async (ending: Promise<RunningCommandHost> | undefined): Promise<void> => {
    await ending?.then(
      (host) => host.stop(),
      () => undefined, // It never came up; whoever asked for it was told why.
    )
  }
  return {
    address: () => {
      void end(current)
      const started = launch()
      const forget = (): void => {
        if (current === started) current = undefined
      }
      current = started
      started.then((host) => host.onExit(forget), forget)
      return started
    },
    stop: async () => {
      const ending = current
      current = undefined
      await end(ending)
    },
    running: () => current !== undefined,
  }
}
