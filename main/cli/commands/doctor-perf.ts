/**
 * `metona doctor --perf`: a short turn of the scripted model through every thread, in a folder and a profile of its own,
 * and what the threads then say of themselves. So it measures this machine and disk, whatever the person's own state is.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { PipelineHealth } from '#contracts/health/pipeline-health.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { Client } from '../client.ts'
import type { CommandContext } from '../command-context.ts'
import { ExitCode } from '../exit-code.ts'
import { fill } from '../fill.ts'
import { withApp } from '../open-app.ts'
import { printTable } from '../table.ts'

const TURNS = 3
const TURN_MS = 60_000
/** The meters of the event loops sample for so long. */
const LOOK_MS = 1_200
const MIB = 1024 * 1024

export async function doctorPerf(context: CommandContext): Promise<ExitCode> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'metona-perf-'))
  try {
    const workspace = path.join(folder, 'workspace')
    await mkdir(workspace)
    const own = { ...context, environment: { ...context.environment, METONA_HOME: path.join(folder, 'profile') } }
    return await withApp(own, { warm: ['storage', 'llm', 'tools'] }, async ({ client }) => {
      const health = await measured(client, workspace)
      if (context.json) context.out.line(JSON.stringify(asJson(health)))
      else print(context, health)
      return ExitCode.DONE
    })
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Thread ids by concern first; then all there is. */
function asJson({ threads: workers, ...rest }: PipelineHealth): object {
  return { threads: Object.fromEntries(workers.map((thread) => [thread.name, thread.threadId])), workers, ...rest }
}

async function measured(client: Client, folder: string): Promise<PipelineHealth> {
  const { workspace } = await client.call('workspace.open', { path: folder, trust: 'once' })
  const settings = { model: 'demo/scripted', permission: 'full_access', sandbox: 'off', interactive: false } as const
  const { sessionId } = await client.call('session.create', { workspace, ...settings })
  let ended: () => void = () => undefined
  client.watch(sessionId, (part) => {
    if (part.entries.some((entry) => 'seq' in entry && entry.event === 'turn_end')) ended()
  })
  await client.call('session.subscribe', { sessionId })
  for (let turn = 0; turn < TURNS; turn++) {
    const end = Promise.withResolvers<void>()
    ended = end.resolve
    const late = setTimeout(
      () => end.reject(new AppError({ code: 'CALL_TIMEOUT', message: 'a turn of the scripted model did not end' })),
      TURN_MS,
    )
    await client.call('session.prompt', { sessionId, messageId: `m_${randomBytes(8).toString('hex')}`, content: 'Run `echo metona`' })
    await end.promise.finally(() => clearTimeout(late))
    // The first reading starts the meters of the event loops.
    if (turn === 0) await client.call('health.pipeline', {})
  }
  await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  return client.call('health.pipeline', {})
}

function print({ text, out }: CommandContext, health: PipelineHealth): void {
  printTable(
    out,
    text.perfHeader,
    (health.host?.workers ?? []).map((worker) => [
      worker.name,
      worker.state,
      String(worker.threadId ?? ''),
      worker.startedInMs === undefined ? '' : `${Math.round(worker.startedInMs)} ms`,
      worker.utilization === undefined ? '' : `${(worker.utilization * 100).toFixed(1)} %`,
    ]),
  )
  out.line('')
  printTable(
    out,
    text.perfThreadsHeader,
    health.threads.map((thread) => [
      thread.name,
      `${Math.round(thread.cpuMs)} ms`,
      milliseconds(thread.loopDelay?.p99Ms),
      milliseconds(thread.loopDelay?.maxMs),
      `${(thread.heapBytes / MIB).toFixed(1)} MiB`,
    ]),
  )
  if (health.host !== undefined) {
    const { meanMs, p99Ms, maxMs } = health.host.loopDelay
    out.line(fill(text.perfHost, { mean: meanMs.toFixed(1), p99: p99Ms.toFixed(1), max: maxMs.toFixed(1) }))
  }
  for (const name of health.silent) out.line(fill(text.perfSilent, { name }))
  out.line('')
  printTable(
    out,
    text.perfCallsHeader,
    health.threads
      .flatMap((thread) => thread.methods)
      .sort((left, right) => right.totalMs - left.totalMs)
      .map((entry) => [
        entry.method,
        String(entry.count),
        milliseconds(entry.wait.p99Ms),
        milliseconds(entry.took.p50Ms),
        milliseconds(entry.took.p99Ms),
        milliseconds(entry.took.maxMs),
      ]),
  )
  out.line('')
  printTable(
    out,
    text.perfPortsHeader,
    health.threads
      .flatMap((thread) => thread.ports)
      .map((entry) => [entry.port, String(entry.messages), `${Math.ceil(entry.bytes / 1024)} KiB`]),
  )
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '' : `${value.toFixed(value < 10 ? 1 : 0)} ms`
}
