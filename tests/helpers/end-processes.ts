import { processesWith } from './cli.ts'

/** Ends whatever still carries the marker; what ends by itself meanwhile is as good. */
export async function endProcesses(marker: string): Promise<void> {
  for (const { pid } of await processesWith(marker)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}
