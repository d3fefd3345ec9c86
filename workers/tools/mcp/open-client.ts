/** Makes one connection: a process or an address, the handshake, and what the other side may ask of us. */
import { pathToFileURL } from 'node:url'
import { basename } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
  CreateMessageRequestSchema,
  type CreateMessageRequest,
  type CreateMessageResult,
  type ElicitRequest,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import type { McpOptions } from '#contracts/tools/mcp-server.ts'
import { createGuardedFetch, type GuardedFetch } from './guarded-fetch.ts'
import { fillReferences } from './launch.ts'
import { isSameFiles, launchFiles } from './launch-files.ts'
import { McpFailure } from './mcp-failure.ts'
import type { McpSurroundings } from './mcp-surroundings.ts'
import { MessageGuard, ownFailure } from './message-guard.ts'
import { serverProcess } from './server-process.ts'
import type { ServerLog } from './server-log.ts'
import { StdioTransport } from './stdio-transport.ts'

export interface OpenedClient {
  readonly client: Client
  readonly pid: number | undefined
  /** Why it is over, once it is. */
  failure(): McpFailure | undefined
  close(): Promise<void>
}

export interface OpenOptions {
  readonly entry: McpServerEntry
  readonly options: McpOptions
  readonly workspace: string
  /** As they were when the person agreed. */
  readonly files: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  readonly surroundings: McpSurroundings
  readonly log: ServerLog
  readonly signal: AbortSignal
  /** Lists changed; called as often as the server says so. */
  changed(): void
  elicit(request: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>
  sample(request: CreateMessageRequest['params'], signal: AbortSignal): Promise<CreateMessageResult>
  /** The connection ended by itself. */
  lost(): void
}

/** @throws McpFailure */
export async function openClient(options: OpenOptions): Promise<OpenedClient> {
  const { entry } = options
  if (entry.transport === 'stdio') return handshake(options, await openProcess(options))
  if (entry.transport === 'sse') return handshake(options, await openAddress(options, 'sse'))
  try {
    return await handshake(options, await openAddress(options, 'streamable_http'))
  } catch (error) {
    if (!(error instanceof NotStreamable)) throw error
    options.log.add('app', 'the address does not take streamable HTTP; trying SSE')
    return handshake(options, await openAddress(options, 'sse'))
  }
}

/** The server answered the first request as one does that knows only the older transport. */
class NotStreamable extends Error {}

interface Opened {
  readonly transport: Transport
  readonly guard: MessageGuard
  readonly streamable: boolean
  pid(): number | undefined
  failure(): McpFailure | undefined
  close(): Promise<void>
}

async function openProcess({ entry, secrets, workspace, files, surroundings, log, options }: OpenOptions): Promise<Opened> {
  if (surroundings.checkApproval && !isSameFiles(await launchFiles(entry, workspace), files))
    throw new McpFailure(
      'NOT_APPROVED',
      'A file that its command names is not what the user approved. It was not started. The user can look at the change and approve it under MCP servers.',
    )
  const guard = new MessageGuard()
  const start = await serverProcess({ entry, secrets, workspace, surroundings, sandbox: options.sandbox })
  const transport = new StdioTransport(surroundings.commands, start, guard, log)
  return {
    transport,
    guard,
    streamable: false,
    pid: () => transport.pid,
    failure: () => transport.failure,
    close: () => transport.close(),
  }
}

async function openAddress({ entry, secrets, surroundings }: OpenOptions, kind: 'sse' | 'streamable_http'): Promise<Opened> {
  const url = new URL(entry.url ?? '')
  const guard = new MessageGuard()
  const drop = (id: string | number, failure: McpFailure | undefined): void => {
    if (!guard.pending.has(id)) return
    const message = failure?.message ?? 'The connection was closed before the answer came.'
    transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32000, message, ...(failure === undefined ? {} : ownFailure(failure)) } })
  }
  const guarded: GuardedFetch = await createGuardedFetch({
    url,
    proxyFor: (target) => surroundings.proxyFor(target),
    // Later than the messages of the stream: they are read by others.
    streamEnded: (id, resumable, failure) => {
      if (!resumable) setTimeout(() => drop(id, failure), 100)
    },
  })
  const headers = fillReferences(entry.headers ?? {}, secrets, surroundings.environment)
  const http = { fetch: guarded.fetch, requestInit: { headers } }
  const made = kind === 'sse' ? new SSEClientTransport(url, http) : new StreamableHTTPClientTransport(url, http)
  const transport = made as Transport
  return {
    transport,
    guard,
    streamable: kind === 'streamable_http',
    pid: () => undefined,
    failure: () => undefined,
    close: async () => {
      if (made instanceof StreamableHTTPClientTransport && made.sessionId !== undefined)
        // Politeness: a server that does not take it ends the session by itself some day.
        await Promise.race([made.terminateSession().catch(ignore), new Promise((resolve) => setTimeout(resolve, 500))])
      await made.close()
      await guarded.close()
    },
  }
}

async function handshake(options: OpenOptions, opened: Opened): Promise<OpenedClient> {
  const { surroundings, log, signal } = options
  const { transport, guard } = opened
  const client = new Client(
    { name: 'metona', title: 'Metona Desktop', version: surroundings.agentVersion },
    {
      capabilities: {
        roots: {},
        elicitation: { form: { applyDefaults: true }, ...(options.options.urlElicitation ? { url: {} } : {}) },
        ...(options.options.sampling ? { sampling: {} } : {}),
      },
    },
  )
  let failure: McpFailure | undefined
  let ready = false
  const close = async (): Promise<void> => {
    ready = false
    await opened.close()
    await client.close()
  }
  serve(client, options)
  client.onerror = (error) => {
    log.add('app', error.message.slice(0, 500))
    if (error.message.startsWith('Maximum reconnection attempts'))
      endBecause(new McpFailure('LOST', 'The connection was lost and could not be taken up again.'))
  }
  client.onclose = () => {
    if (!ready) return
    ready = false
    options.lost()
  }
  const endBecause = (why: McpFailure): void => {
    failure ??= why
    void client.close()
  }
  try {
    const { handshakeMs } = surroundings.limits
    // The older transport waits for its first event without a limit of its own.
    await within(handshakeMs, signal, client.connect(guardedTransport(transport, guard, endBecause), { timeout: handshakeMs, signal }))
  } catch (error) {
    await opened.close()
    if (opened.streamable && error instanceof StreamableHTTPError && [400, 404, 405].includes(error.code ?? 0)) throw new NotStreamable()
    throw failure ?? opened.failure() ?? explainHandshake(error)
  }
  ready = true
  return { client, pid: opened.pid(), failure: () => failure ?? opened.failure(), close }
}

/** HTTP transports know nothing of the guard; a process looks after that itself, where its bytes come in. */
function guardedTransport(transport: Transport, guard: MessageGuard, fail: (why: McpFailure) => void): Transport {
  if (transport instanceof StdioTransport) return transport
  const { start, send } = transport
  transport.send = (message, sendOptions) => {
    guard.sent(message)
    return send.call(transport, message, sendOptions)
  }
  transport.start = () => {
    const pass = transport.onmessage
    transport.onmessage = (message, extra) => {
      try {
        if (guard.take(message)) pass?.(message, extra)
      } catch (error) {
        if (!(error instanceof McpFailure)) throw error
        fail(error)
      }
    }
    return start.call(transport)
  }
  return transport
}

async function within<T>(milliseconds: number, signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => undefined
  const limit = new Promise<never>((_resolve, reject) => {
    const over = (): void => reject(new McpFailure('TIMEOUT', 'It did not answer in time.'))
    const timer = setTimeout(over, milliseconds)
    signal.addEventListener('abort', over, { once: true })
    stop = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
    }
  })
  // Whichever comes second has nobody to tell.
  work.catch(ignore)
  try {
    return await Promise.race([work, limit])
  } finally {
    stop()
  }
}

function serve(client: Client, { workspace, log, changed, elicit, sample, options }: OpenOptions): void {
  client.setRequestHandler(ListRootsRequestSchema, () => ({
    roots: [{ uri: pathToFileURL(workspace).href, name: basename(workspace) }],
  }))
  client.setRequestHandler(ElicitRequestSchema, (request, { signal }) => elicit(request.params, signal))
  if (options.sampling) client.setRequestHandler(CreateMessageRequestSchema, (request, { signal }) => sample(request.params, signal))
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    const text = typeof params.data === 'string' ? params.data : JSON.stringify(params.data)
    log.add('server', `${params.level}${params.logger === undefined ? '' : ` ${params.logger}`}: ${text}`)
  })
  for (const schema of [ToolListChangedNotificationSchema, ResourceListChangedNotificationSchema, PromptListChangedNotificationSchema])
    client.setNotificationHandler(schema, () => changed())
}

/** What the SDK or the network says, as a failure with a name. */
export function explainHandshake(error: unknown): McpFailure {
  let cause: unknown = error
  for (let depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    if (cause instanceof McpFailure) return cause
    cause = cause.cause
  }
  const message = error instanceof Error ? error.message : String(error)
  const own = error instanceof McpError ? (error.data as { metona?: unknown } | undefined)?.metona : undefined
  if (own === 'TOO_BIG') return new McpFailure('TOO_BIG', message)
  if (error instanceof McpError && error.code === -32001) return new McpFailure('TIMEOUT', 'It did not answer in time.')
  if (error instanceof McpError && error.code === -32000) return new McpFailure('LOST', 'The connection was closed.')
  if (error instanceof StreamableHTTPError || /\b(401|403)\b/.test(message)) {
    const code = error instanceof StreamableHTTPError ? error.code : Number(/\b(401|403)\b/.exec(message)?.[1])
    if (code === 401 || code === 403)
      return new McpFailure(
        'NEEDS_LOGIN',
        `The server wants a login (${code}). Give its token as a header; signing in through a browser is not built.`,
      )
    return new McpFailure('BAD_PROTOCOL', `The server answered ${code ?? 'no'}: ${message.slice(0, 300)}`)
  }
  if (/fetch failed|ECONNREFUSED|ENOTFOUND|SSE error/i.test(message))
    return new McpFailure('UNREACHABLE', `The server cannot be reached: ${message.slice(0, 300)}`)
  return new McpFailure('BAD_PROTOCOL', `The server does not speak the protocol as expected: ${message.slice(0, 500)}`)
}

function ignore(): void {}
