/** The command line as people start it, in a process of its own, in folders of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { builtBundles } from './built-bundles.ts'
import { eventually } from './eventually.ts'

const ROOT = path.resolve(import.meta.dirname, '..', '..')
/** `METONA_TEST_CLI=sources` runs the TypeScript as it is; for work on a tree that does not build at the moment. */
const FROM_SOURCES = process.env['METONA_TEST_CLI'] === 'sources'

/** The program to start, built once. */
async function program(): Promise<string> {
  if (FROM_SOURCES) return path.join(ROOT, 'main', 'cli', 'entry.ts')
  await builtBundles()
  return path.join(ROOT, 'main', 'cli', 'metona.cjs')
}

export interface CliPlace {
  /** Everything of this place is in here. */
  readonly folder: string
  readonly workspace: string
  readonly profile: string
  /** Part of paths in the environment that the app and the command host hand on; every process of either carries it. */
  readonly marker: string
  readonly environment: Record<string, string>
  remove(): Promise<void>
}

/** A folder with an empty workspace and an empty profile, and an environment in which nothing else of this machine counts. */
export async function makeCliPlace(environment: Record<string, string> = {}): Promise<CliPlace> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'metona-cli-'))
  const workspace = path.join(folder, 'work space 工作')
  const profile = path.join(folder, 'profile')
  const temporary = path.join(folder, 'tmp')
  await Promise.all([mkdir(workspace), mkdir(temporary)])
  return {
    folder,
    workspace,
    profile,
    marker: path.basename(folder),
    environment: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      METONA_HOME: profile,
      LANG: 'C.UTF-8',
      TMPDIR: temporary,
      ...(FROM_SOURCES ? {} : { METONA_BUILD: 'never' }),
      ...environment,
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

export interface CliResult {
  /** `null` when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningCli {
  readonly child: ChildProcess
  readonly done: Promise<CliResult>
  readonly output: { stdout: string; stderr: string }
  /** Waits until standard output (or error) contains `text`. */
  printed(text: string, where?: 'stdout' | 'stderr'): Promise<void>
  kill(signal: NodeJS.Signals): void
}

export interface CliOptions {
  readonly input?: string
  readonly cwd?: string
  readonly environment?: Record<string, string | undefined>
  /** Ends the process hard after this long; the result then has the signal. */
  readonly deadlineMs?: number
}

export async function startCli(place: CliPlace, args: readonly string[], options: CliOptions = {}): Promise<RunningCli> {
  const entry = await program()
  const environment = Object.fromEntries(
    Object.entries({ ...place.environment, ...options.environment }).filter(([, value]) => value !== undefined),
  ) as Record<string, string>
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: options.cwd ?? place.folder,
    env: environment,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8')
    child[name]?.on('data', (text: string) => (output[name] += text))
  }
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input)
  const timer = setTimeout(() => child.kill('SIGKILL'), options.deadlineMs ?? 60_000)
  const done = new Promise<CliResult>((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, ...output })
    })
  })
  return {
    child,
    done,
    output,
    printed: async (text, where = 'stdout') => {
      let ended = false
      void done.then(() => (ended = true))
      await eventually(`${JSON.stringify(text)} on ${where}`, () => {
        if (ended && !output[where].includes(text))
          throw new Error(`it ended without printing ${JSON.stringify(text)} on ${where}\n${output.stdout}\n${output.stderr}`)
        return output[where].includes(text)
      })
    },
    kill: (signal) => child.kill(signal),
  }
}

export async function runCli(place: CliPlace, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return (await startCli(place, args, options)).done
}

/** Every line of `run --json`, parsed; a line that is no JSON fails here. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** The text of a session's log file, found by its id. */
export async function readLog(workspace: string, sessionId: string): Promise<string> {
  const folder = path.join(workspace, 'logs')
  const name = (await readdir(folder)).find((file) => file.startsWith(`session_${sessionId}_`))
  if (name === undefined) throw new Error(`no log of ${sessionId} in ${folder}`)
  return readFile(path.join(folder, name), 'utf8')
}

/** Waits until no process of the place is left. @throws naming those that stay. */
export async function nothingLeft(place: CliPlace, deadlineMs = 10_000): Promise<void> {
  let left: { pid: number; command: string }[] = []
  await eventually('every process to be gone', async () => (left = await processesWith(place.marker)).length === 0, deadlineMs).catch(
    () => {
      throw new Error(`still running: ${JSON.stringify(left)}`)
    },
  )
}

/** Marks of command hosts that were seen beside a marker: a sandbox that waits for its command has no other. */
const hostMarks = new Map<string, Set<string>>()

/**
 * Processes whose environment or command line holds `marker`, and what else the command hosts of such processes started; this
 * one left out. The kernel's word, not the app's.
 */
export async function processesWith(marker: string): Promise<{ pid: number; command: string }[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => Number.isInteger(pid) && pid !== process.pid)
  const all = await Promise.all(
    pids.map(async (pid) => {
      const [environment, command] = await Promise.all(
        ['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')),
      )
      const named = (environment ?? '').includes(marker) || (command ?? '').includes(marker)
      return { pid, named, mark: /METONA_HOST=[0-9a-f]{32}/.exec(environment ?? '')?.[0], command: command ?? '' }
    }),
  )
  const marks = hostMarks.get(marker) ?? new Set()
  hostMarks.set(marker, marks)
  for (const { named, mark } of all) if (named && mark !== undefined) marks.add(mark)
  return all
    .filter(({ named, mark }) => named || (mark !== undefined && marks.has(mark)))
    .map(({ pid, command }) => ({ pid, command: command.replaceAll('\0', ' ').trim() }))
}

export async function writeCsv(place: CliPlace, text = 'name,age\nAda,36\nBob,41\n'): Promise<void> {
  await writeFile(path.join(place.workspace, 'data.csv'), text)
}
