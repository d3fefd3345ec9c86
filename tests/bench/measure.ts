/** Runs a command and says what it cost: wall time, CPU seconds of the whole tree, memory, and what others used meanwhile. */
import { spawn } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { monotonicNow } from '#tests/helpers/fake-provider.ts'

export interface RunCost {
  /** On the monotonic clock shared with the fake provider's log. */
  readonly startedAt: number
  readonly wallMs: number
  /** User and system seconds of the process and all it waited for. */
  readonly cpuSeconds: number
  /** Proportional set size of the tree at its highest sample; 0 when not sampled. */
  readonly peakPssMiB: number
  /** Cores used by processes that are neither the run nor named in `own`. */
  readonly foreignCores: number
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  readonly samplePss?: boolean
  /** Other processes of the measurement (the provider): their CPU is not foreign. */
  readonly own?: readonly number[]
  readonly keepStdout?: boolean
}

const TICKS_PER_SECOND = 100
const PSS_INTERVAL_MS = 200

/** Needs bash for `time`, which counts all waited-for children. Rejects only when the command cannot be started. */
export async function runMeasured(argv: readonly string[], options: RunOptions = {}): Promise<RunCost> {
  const own = [process.pid, ...(options.own ?? [])]
  const [busyBefore, ownBefore] = await Promise.all([busySeconds(), cpuOf(own)])
  const startedAt = monotonicNow()
  const child = spawn('bash', ['-c', 'TIMEFORMAT="%R %U %S"; time "$@"', 'bash', ...argv], {
    env: { ...process.env, ...options.env } as NodeJS.ProcessEnv,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (options.keepStdout === true) stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-20_000)
  })
  let peakPss = 0
  let sampling = options.samplePss === true
  const sampled = (async () => {
    while (sampling) {
      peakPss = Math.max(peakPss, await treePssMiB(child.pid ?? 0))
      await new Promise((resolve) => setTimeout(resolve, PSS_INTERVAL_MS))
    }
  })()
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const wallMs = monotonicNow() - startedAt
  sampling = false
  await sampled
  const [busyAfter, ownAfter] = await Promise.all([busySeconds(), cpuOf(own)])
  const lines = stderr.trimEnd().split('\n')
  const [, user, system] = (lines.pop() ?? '').split(' ').map(Number)
  const cpuSeconds = (user ?? Number.NaN) + (system ?? Number.NaN)
  const foreign = busyAfter - busyBefore - cpuSeconds - (ownAfter - ownBefore)
  return {
    startedAt,
    wallMs,
    cpuSeconds,
    peakPssMiB: peakPss,
    foreignCores: Math.max(0, foreign / (wallMs / 1000)),
    exitCode,
    stdout,
    stderr: lines.join('\n'),
  }
}

/** CPU seconds used on this machine since it started, all processes together. */
export function busySeconds(): Promise<number> {
  const times = os.cpus().map((cpu) => cpu.times)
  return Promise.resolve(times.reduce((sum, time) => sum + time.user + time.sys + time.nice + time.irq, 0) / 1000)
}

/** CPU seconds of these processes with the children they have waited for. A process that is gone counts 0. */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(
    pids.map(async (pid) => {
      const fields = await statFields(pid)
      return fields === undefined ? 0 : fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
    }),
  )
  return each.reduce((sum, seconds) => sum + seconds, 0)
}

/** Fields of `/proc/<pid>/stat` after the command's name; the first is the state, the second the parent. */
async function statFields(pid: number): Promise<string[] | undefined> {
  const text = await readOrNothing(`/proc/${pid}/stat`)
  return text === '' ? undefined : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

async function treePssMiB(root: number): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const fields = await statFields(Number(name))
    if (fields !== undefined) parents.set(Number(name), Number(fields[1]))
  }
  const inTree = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true
    return false
  }
  let kibibytes = 0
  for (const pid of parents.keys()) {
    if (!inTree(pid)) continue
    kibibytes += Number(/^Pss:\s+(\d+)/m.exec(await readOrNothing(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0)
  }
  return kibibytes / 1024
}

/** Processes come and go while they are listed; one that is gone has nothing to say. */
async function readOrNothing(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '')
}

/**
 * The bare loop as a program that needs nothing done to it before it runs: types that are taken out at each start would be
 * 0.05 s of processor time that no floor has to spend, and flatter us.
 */
export async function floorProgram(root: string): Promise<string> {
  const source = await readFile(path.join(root, 'tests', 'bench', 'floor-loop.ts'), 'utf8')
  const folder = path.join(root, 'out', 'bench')
  await mkdir(folder, { recursive: true })
  const program = path.join(folder, 'floor-loop.mjs')
  await writeFile(program, stripTypeScriptTypes(source))
  return program
}

/** What others used beside two sides that are compared: a disturbed floor flatters as much as a disturbed run harms. */
export function foreignBeside(...sides: readonly (readonly { readonly foreignCores: number }[])[]): number {
  return Math.max(...sides.map((runs) => median(runs.map((run) => run.foreignCores))))
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Linear interpolation between the two nearest of the sorted values; NaN for none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  const position = (sorted.length - 1) * share
  const low = sorted[Math.floor(position)] ?? Number.NaN
  const high = sorted[Math.ceil(position)] ?? Number.NaN
  return low + (high - low) * (position - Math.floor(position))
}
