/**
 * Runs commands as the tools worker does, in a process of its own, so that it can be another user's and can be killed.
 * In: argument 1 the place as JSON, then a JSON line per command. Out: a JSON line per event.
 */
import { createInterface } from 'node:readline'
import { launchCommandHost } from '#main/command-host/launch.ts'
import { commandEnvironment } from '#workers/tools/commands/command-environment.ts'
import { createCommandRunner } from '#workers/tools/commands/command-runner.ts'
import { executeCommand } from '#workers/tools/commands/execute-command.ts'
import { OutputStore } from '#workers/tools/files/output-store.ts'
import { createSandbox } from '#workers/tools/sandbox/sandbox.ts'
import type { ToolServices } from '#workers/tools/tool-services.ts'
import { Secrets } from '#workers/shared/secrets.ts'
import type { BenchCommand, BenchPlace, BenchEvent } from './sandbox-bench.ts'

const place = JSON.parse(process.argv[2] ?? '') as BenchPlace
const say = (event: BenchEvent): void => void process.stdout.write(`${JSON.stringify(event)}\n`)
const secrets = new Secrets(process.env)
const commands = createCommandRunner(async () => {
  const host = await launchCommandHost({ entry: place.commandHost, execPath: process.execPath })
  say({ kind: 'host', pid: host.pid, socketPath: host.socketPath })
  return host
})
const sandbox = createSandbox(commands, [place.profile], place.memoryBytes)
const services = {
  commands,
  sandbox,
  secrets,
  outputs: new OutputStore(place.profile, secrets),
  searchPath: async () => process.env['PATH'] ?? '',
} as unknown as ToolServices

async function run({ id, command, sandboxed, timeoutMs, bare, secrets = [], domains = [] }: BenchCommand): Promise<void> {
  if (bare === true) return runBare(id, command)
  try {
    const followed = await executeCommand({
      place: { workspace: place.workspace, sessionId: 's_bench00001', sandbox: sandboxed ? 'auto' : 'off' },
      callId: id,
      command,
      sandboxed,
      domains,
      secrets,
      services,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      live: () => undefined,
    })
    say({ kind: 'started', id, pid: followed.handle.pid })
    const { exit, output, durationMs } = await followed.done
    say({
      kind: 'end',
      id,
      exit,
      text: output.text,
      bytes: output.bytes,
      durationMs,
      refused: followed.refused,
      because: followed.endedBecause(),
    })
  } catch (error) {
    say({ kind: 'refused', id, message: (error as Error).message })
  }
}

/** The same command line without command host, output store and files held: what a sandbox costs at the least. */
async function runBare(id: string, command: string): Promise<void> {
  const { spawn } = await import('node:child_process')
  const env = commandEnvironment(process.env, process.env['PATH'] ?? '', place.workspace)
  const argv = ['/bin/bash', '--noprofile', '--norc', '--rcfile', `METONA_CALL=${id}`, '-c', command]
  const wrapped = await sandbox.wrap({ workspace: place.workspace, argv, env })
  const { mkdir, rmdir, writeFile, open } = await import('node:fs/promises')
  const standIns = wrapped.confinement?.standIns ?? []
  for (const path of standIns) await mkdir(path)
  const program = `${place.profile}/seccomp`
  await writeFile(program, Buffer.from(wrapped.confinement?.seccomp ?? '', 'base64'))
  const seccomp = await open(program, 'r')
  const from = performance.now()
  const [file, ...words] = wrapped.argv
  const child = spawn(file as string, words, { cwd: wrapped.cwd, env: wrapped.env, stdio: ['ignore', 'pipe', 'pipe', seccomp.fd] })
  child.stdout?.resume()
  child.stderr?.resume()
  await new Promise((resolve) => child.once('close', resolve))
  const durationMs = performance.now() - from
  await seccomp.close()
  for (const path of standIns) await rmdir(path)
  say({ kind: 'bare', id, durationMs })
}

say({ kind: 'ready', uid: process.getuid?.() ?? -1, state: await sandbox.state() })
createInterface({ input: process.stdin }).on('line', (line) => void run(JSON.parse(line) as BenchCommand))
process.stdin.on('end', () => commands.close())
