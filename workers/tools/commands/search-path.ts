/** PATH as the user's terminal has it. An app started from a dock or a menu gets a bare one. */
import { delimiter } from 'node:path'
import type { CommandRunner } from './command-runner.ts'

const WAIT_MS = 3000
const MARK = '__METONA_PATH__'

/** Asks the user's own login shell once, only on the desktop; never per command. */
export function createSearchPath(
  commands: CommandRunner,
  environment: Readonly<Record<string, string | undefined>>,
  desktop = process.versions['electron'] !== undefined,
): () => Promise<string> {
  let known: Promise<string> | undefined
  return () => {
    known ??= resolveSearchPath(commands, environment, desktop)
    return known
  }
}

async function resolveSearchPath(
  commands: CommandRunner,
  environment: Readonly<Record<string, string | undefined>>,
  desktop: boolean,
): Promise<string> {
  const own = environment['PATH'] ?? environment['Path'] ?? ''
  const shell = environment['SHELL']
  if (process.platform === 'win32' || !desktop || shell === undefined || !shell.startsWith('/')) return own
  let output = ''
  try {
    const handle = await commands.start({
      callId: 'login_path',
      argv: [shell, '-l', '-c', `printf '${MARK}%s${MARK}' "$PATH"`],
      cwd: environment['HOME'] ?? '/',
      env: Object.fromEntries(
        Object.entries(environment).filter(
          (entry): entry is [string, string] =>
            entry[1] !== undefined && ['HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'PATH'].includes(entry[0]),
        ),
      ),
      timeoutMs: WAIT_MS,
      onOutput: (_stream, bytes) => {
        output = (output + bytes.toString('utf8')).slice(-64 * 1024)
      },
    })
    await handle.exit
  } catch {
    return own
  }
  const found = output.split(MARK)[1]
  if (found === undefined || found === '') return own
  return [...new Set([...found.split(delimiter), ...own.split(delimiter)])].join(delimiter)
}
