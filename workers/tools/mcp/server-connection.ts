/**
 * One server of one workspace: connects when it is needed, says how it is, comes back after it died, and is asked by all
 * sessions of the workspace. Nothing here decides whether it may run; who calls has checked that.
 */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { CreateMessageRequest, CreateMessageResult, ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import type { McpServerEntry } from '#contracts/tools/mcp-entry.ts'
import type { McpOptions, McpState } from '#contracts/tools/mcp-server.ts'
import { visibleText } from '#workers/shared/visible-text.ts'
import { listCatalog } from './list-catalog.ts'
import { McpFailure } from './mcp-failure.ts'
import type { McpSurroundings } from './mcp-surroundings.ts'
import { explainHandshake, openClient, type OpenedClient } from './open-client.ts'
import { hashOfTools, reviewTools, type ReviewedTool } from './review-tools.ts'
import { ServerLog } from './server-log.ts'

export interface ConnectionStart {
  readonly entry: McpServerEntry
  readonly options: McpOptions
  readonly workspace: string
  /** As they were when the person agreed. */
  readonly files: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
  readonly surroundings: McpSurroundings
  elicit(request: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult>
  sample(request: CreateMessageRequest['params'], signal: AbortSignal): Promise<CreateMessageResult>
}

export interface Catalog {
  readonly tools: readonly ReviewedTool[]
  readonly toolsHash: string
  readonly offers: { readonly resources: boolean; readonly prompts: boolean }
}

/** Pauses before it is started again by itself, milliseconds. After the last one it is left until somebody needs it. */
const PAUSES = [500, 2_000, 8_000]
/** A server that ran so long is not one that dies at once. */
const STABLE_MS = 30_000
/** After so many deaths in a row it is not even tried for a while: each call says at once why. */
const BREAKER = 5
const BREAKER_MS = 60_000
/** "The list has changed" is looked at this often at most. */
const LOOK_MS = 1_000
const INSTRUCTIONS_LIMIT = 4_000

export class ServerConnection {
  readonly log: ServerLog
  state: McpState = 'off'
  failure: McpFailure | undefined
  retryAt: number | undefined
  catalog: Catalog | undefined
  server: { name: string; version: string; instructions: string } | undefined
  readonly start: ConnectionStart
  #opened: OpenedClient | undefined
  #opening: Promise<void> | undefined
  #abort = new AbortController()
  #retry: NodeJS.Timeout | undefined
  #look: NodeJS.Timeout | undefined
  #deaths = 0
  #readySince = 0
  #closed = false

  constructor(start: ConnectionStart) {
    this.start = start
    this.log = new ServerLog(() => start.surroundings.redactor())
  }

  get pid(): number | undefined {
    return this.#opened?.pid
  }

  /** Ready when it resolves. Everyone who waits shares one attempt. @throws McpFailure */
  ensure(): Promise<void> {
    if (this.#closed) return Promise.reject(new McpFailure('OFF', 'The server was switched off.'))
    if (this.state === 'ready') return Promise.resolve()
    if (this.#opening === undefined && this.#deaths >= BREAKER && this.retryAt !== undefined && Date.now() < this.retryAt) {
      const seconds = Math.ceil((this.retryAt - Date.now()) / 1000)
      const why = this.failure ?? new McpFailure('ENDED', 'The server ended.')
      return Promise.reject(
        new McpFailure(why.code, `${why.message} It failed ${this.#deaths} times in a row and is left alone for ${seconds} s.`),
      )
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Starts it beside whatever goes on, unless it just failed. */
  connectLater(): void {
    if (this.state !== 'off' && !(this.state === 'failed' && Date.now() >= (this.retryAt ?? 0))) return
    this.ensure().catch(ignoreShown)
  }

  /** The person wants it tried now, whatever happened before. */
  async again(): Promise<void> {
    this.#deaths = 0
    this.retryAt = undefined
    if (this.state === 'ready') await this.#drop()
    await this.ensure()
  }

  /** The client of a server that is ready. @throws McpFailure */
  async client(): Promise<Client> {
    await this.ensure()
    if (this.#opened === undefined) throw this.failure ?? new McpFailure('ENDED', 'The server ended.')
    return this.#opened.client
  }

  /** Begins anew: what it said about its session, or its process, is no longer true. */
  async reconnect(): Promise<void> {
    await this.#drop()
    await this.ensure()
  }

  /** Why the connection that was there is over, when it is. */
  endedBecause(): McpFailure | undefined {
    return this.#opened === undefined ? this.failure : undefined
  }

  /** For good. Resolves when nothing of it is left. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    clearTimeout(this.#look)
    this.#abort.abort()
    await this.#opening?.catch(ignoreShown)
    await this.#drop()
    this.state = 'off'
  }

  async #open(): Promise<void> {
    clearTimeout(this.#retry)
    this.#enter('connecting')
    this.log.add('app', 'connecting')
    this.#abort = new AbortController()
    const { signal } = this.#abort
    let opened: OpenedClient | undefined
    try {
      opened = await openClient({
        ...this.start,
        log: this.log,
        signal,
        changed: () => this.#lookLater(),
        lost: () => this.#lost(),
      })
      this.#opened = opened
      this.catalog = await this.#list(opened.client, signal)
      const info = opened.client.getServerVersion()
      this.server = {
        name: visibleText(info?.name ?? '', false).slice(0, 100),
        version: visibleText(info?.version ?? '', false).slice(0, 100),
        instructions: visibleText(opened.client.getInstructions() ?? '').slice(0, INSTRUCTIONS_LIMIT),
      }
      if (this.#opened !== opened) throw this.failure ?? new McpFailure('ENDED', 'The server ended.')
      this.failure = undefined
      this.#readySince = performance.now()
      this.#enter('ready')
      this.log.add('app', `ready: ${this.catalog.tools.length} tools`)
    } catch (error) {
      const failure = opened?.failure() ?? (error instanceof McpFailure ? error : explainHandshake(error))
      this.#opened = undefined
      await opened?.close()
      this.#fail(failure)
      throw failure
    }
  }

  async #list(client: Client, signal: AbortSignal): Promise<Catalog> {
    const capabilities = client.getServerCapabilities() ?? {}
    const options = { signal, timeout: this.start.surroundings.limits.listMs }
    const listed = capabilities.tools === undefined ? [] : await listCatalog(client, 'tools/list', options)
    const tools = reviewTools(this.start.entry.name, listed)
    return {
      tools,
      toolsHash: hashOfTools(tools),
      offers: { resources: capabilities.resources !== undefined, prompts: capabilities.prompts !== undefined },
    }
  }

  /** The server says that a list changed; looked at after a moment, once for all that was said meanwhile. */
  #lookLater(): void {
    this.#look ??= setTimeout(() => {
      this.#look = undefined
      const opened = this.#opened
      if (opened === undefined || this.state !== 'ready') return
      this.#list(opened.client, this.#abort.signal).then(
        (catalog) => {
          if (this.#opened !== opened) return
          if (catalog.toolsHash !== this.catalog?.toolsHash) this.log.add('app', 'the tools have changed')
          this.catalog = catalog
        },
        (error: unknown) =>
          this.log.add('app', `the tools could not be listed again: ${error instanceof Error ? error.message : String(error)}`),
      )
    }, LOOK_MS)
  }

  /** It ended by itself. */
  #lost(): void {
    const opened = this.#opened
    if (opened === undefined) return
    this.#opened = undefined
    const failure = opened.failure() ?? new McpFailure('LOST', 'The connection was closed by the server.')
    void opened.close()
    if (this.state !== 'ready') return void (this.failure = failure)
    if (performance.now() - this.#readySince > STABLE_MS) this.#deaths = 0
    this.#fail(failure)
    const pause = PAUSES[this.#deaths - 1]
    if (this.#closed || pause === undefined) return
    this.retryAt = Date.now() + pause
    this.#enter('restarting')
    this.log.add('app', `starting again in ${pause / 1000} s`)
    this.#retry = setTimeout(() => void this.ensure().catch(ignoreShown), pause)
    this.#retry.unref()
  }

  #fail(failure: McpFailure): void {
    this.#deaths += 1
    this.failure = failure
    this.retryAt = Date.now() + (this.#deaths >= BREAKER ? BREAKER_MS : (PAUSES[Math.min(this.#deaths, PAUSES.length) - 1] ?? 0))
    this.#enter(this.#closed ? 'off' : 'failed')
    this.log.add('app', `${failure.code}: ${failure.message}`)
  }

  async #drop(): Promise<void> {
    clearTimeout(this.#retry)
    const opened = this.#opened
    this.#opened = undefined
    if (this.state === 'ready') this.#enter('off')
    await opened?.close()
  }

  #enter(state: McpState): void {
    this.state = state
    if (state === 'connecting' || state === 'ready') this.retryAt = undefined
  }
}

/** Its state and its log tell it to whoever looks. */
function ignoreShown(): void {}
