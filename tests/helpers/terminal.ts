/** The command line on a terminal: a pseudo-terminal that Python gives, with a person who answers what appears on it. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import type { CliPlace } from './cli.ts'

const PYTHON = `
import json, os, pty, select, sys, time
plan = json.loads(sys.argv[1])
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
screen = b''
end = time.time() + 60
while time.time() < end:
    if select.select([fd], [], [], 0.2)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        screen += data
    while plan and plan[0][0].encode() in screen:
        os.write(fd, plan.pop(0)[1].encode())
_, status = os.waitpid(pid, 0)
sys.stdout.buffer.write(screen)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`

export interface TerminalResult {
  readonly code: number | null
  /** All that appeared, both outputs mixed as a person sees them. */
  readonly screen: string
}

/** @param plan what to type once a text has appeared, in order; `\u0003` is Ctrl+C. */
export function runOnTerminal(
  place: CliPlace,
  args: readonly string[],
  plan: readonly (readonly [string, string])[] = [],
): Promise<TerminalResult> {
  const entry = path.resolve(
    import.meta.dirname,
    '..',
    '..',
    'main',
    'cli',
    process.env['METONA_TEST_CLI'] === 'sources' ? 'entry.ts' : 'metona.cjs',
  )
  const child = spawn('python3', ['-c', PYTHON, JSON.stringify(plan), process.execPath, entry, ...args], {
    env: { ...place.environment, TERM: 'xterm' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (screen += text))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, screen: screen.replaceAll('\r\n', '\n') })))
}
