/** `metona serve`: the web shell, started from the terminal. */
import { pathToFileURL } from 'node:url'
import { profileFolder } from '#main/host/profile-folder.ts'
import type { HostOptions } from '#main/host/compose.ts'
import { report, type CommandContext } from '../command-context.ts'
import type { ExitCode } from '../exit-code.ts'
import type { Language } from '../language.ts'
import { HOST_PLACES, shellEntry } from '../places.ts'

/** What `main/web/entry.ts` exports. Loaded by path: shells do not import each other. */
interface WebShell {
  serve(
    options: Pick<HostOptions, 'profile' | 'bundles' | 'entryFor' | 'commandHostEntry' | 'onLog'> & {
      port: number
      open: boolean
      language: Language
      writeLine(line: string): void
      writeNote(line: string): void
    },
  ): Promise<number>
}

export async function serve(context: CommandContext): Promise<ExitCode> {
  const { flags, numbers } = context.arguments
  return serveWeb(context, { port: numbers['port'] ?? 0, open: !flags.has('no-open') })
}

export async function serveWeb(context: CommandContext, { port, open }: { port: number; open: boolean }): Promise<ExitCode> {
  // The web shell settles its own end; the second signal still ends at once.
  const forget = context.interruption.handle(() => undefined)
  try {
    const shell = (await import(pathToFileURL(shellEntry('web')).href)) as WebShell
    const debug = context.environment['METONA_LOG'] === 'debug'
    return (await shell.serve({
      ...HOST_PLACES,
      profile: profileFolder(context.environment),
      port,
      open,
      language: context.language,
      writeLine: (line) => context.out.line(line),
      writeNote: (line) => context.err.line(line),
      onLog: (name, level, message) => {
        if (debug) context.err.line(`[${performance.now().toFixed(0)} ms ${name} ${level}] ${message.trimEnd()}`)
      },
    })) as ExitCode
  } catch (error) {
    return report(context, error, { port })
  } finally {
    forget()
  }
}
