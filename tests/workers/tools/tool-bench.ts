/** The real tools on a real folder, with a real command host, without the worker thread around them. */
import { mkdtemp, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import type { MetonaToolCall } from '#contracts/metona/metona-tool.ts'
import type { ToolPlace } from '#contracts/tools/tools-service.ts'
import type { PreparedCall } from '#contracts/tools/prepared-call.ts'
import type { ToolLive } from '#contracts/tools/tool-live.ts'
import type { Port } from '#contracts/wire/port.ts'
import { launchCommandHost, type LaunchedCommandHost } from '#main/command-host/launch.ts'
import { catalog } from '#workers/tools/catalog/index.ts'
import { createToolServices } from '#workers/tools/create-services.ts'
import { createToolsHandlers } from '#workers/tools/service.ts'
import type { ToolServices } from '#workers/tools/tool-services.ts'

type Handlers = ReturnType<typeof createToolsHandlers>
export type RunAnswer = Awaited<ReturnType<Handlers['run']>>

export interface ToolBench {
  readonly workspace: string
  /** A folder beside the workspace, for what must not be reached. */
  readonly outside: string
  readonly profile: string
  readonly handlers: Handlers
  readonly services: ToolServices
  host(): LaunchedCommandHost | undefined
  file(name: string, content: string | Uint8Array): Promise<string>
  prepare(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<PreparedCall>
  /** Prepares and runs, as an approval would; a call refused at preparation gives that result. */
  call(name: string, args: Record<string, unknown>, options?: CallOptions): Promise<RunAnswer & { live: ToolLive[] }>
  close(): Promise<void>
}

export interface CallOptions {
  readonly sessionId?: string
  readonly callId?: string
  readonly signal?: AbortSignal
  readonly onLive?: (message: ToolLive) => void
  /** Names the person allows, when it is prepared and when it runs. */
  readonly domains?: readonly string[]
  readonly domainsAtRun?: readonly string[]
}

/** @param sandbox as a session has it. */
export async function createToolBench(sandbox: 'auto' | 'off' = 'off'): Promise<ToolBench> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'metona-tools-')))
  const workspace = join(base, 'ws')
  const outside = join(base, 'ws-evil')
  const profile = join(base, 'profile')
  await Promise.all([mkdir(workspace), mkdir(outside), mkdir(profile)])
  let host: LaunchedCommandHost | undefined
  const services = createToolServices({
    profile,
    commandHost: async () => {
      host = await launchCommandHost({
        entry: new URL('../../../main/command-host/entry.ts', import.meta.url).pathname,
        execPath: process.execPath,
      })
      return host
    },
  })
  const handlers = createToolsHandlers(catalog, services)
  let counter = 0

  const makeCall = (name: string, args: Record<string, unknown>, options: CallOptions): { place: ToolPlace; call: MetonaToolCall } => ({
    place: {
      workspace,
      sessionId: options.sessionId ?? 's_test000001',
      sandbox,
      ...(options.domains === undefined ? {} : { domains: [...options.domains] }),
    },
    call: { id: options.callId ?? `tc_${(counter++).toString(36).padStart(10, '0')}`, name, args, iteration: 1, timestamp: 1 },
  })
  const never: AbortSignal = new AbortController().signal

  return {
    workspace,
    outside,
    profile,
    handlers,
    services,
    host: () => host,
    file: async (name, content) => {
      const path = join(workspace, name)
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, content)
      return path
    },
    prepare: async (name, args, options = {}) =>
      handlers.prepare(makeCall(name, args, options), { signal: never }) as Promise<PreparedCall>,
    call: async (name, args, options = {}) => {
      const { place, call } = makeCall(name, args, options)
      const signal = options.signal ?? never
      const prepared = (await handlers.prepare({ place, call }, { signal })) as PreparedCall
      if (!prepared.ok) return { result: prepared.result, outcome: 'error', live: [] }
      const channel = new MessageChannel()
      const live: ToolLive[] = []
      const closed = new Promise<void>((resolve) => channel.port1.once('close', resolve))
      channel.port1.on('message', (message: ToolLive) => {
        live.push(message)
        options.onLive?.(message)
      })
      const { domainsAtRun } = options
      const atRun = domainsAtRun === undefined ? place : { ...place, domains: [...domainsAtRun] }
      const answer = await handlers.run(
        { place: atRun, call, argumentsHash: prepared.argumentsHash, port: channel.port2 as unknown as Port },
        { signal },
      )
      await closed
      return { ...answer, live }
    },
    close: async () => {
      services.commands.close()
      await services.pool.close()
      await host?.stop()
      await rm(base, { recursive: true, force: true })
    },
  }
}
