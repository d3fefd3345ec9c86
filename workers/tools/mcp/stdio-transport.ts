/** A server as a process of the command host: messages are lines on its stdin and stdout, stderr goes to its log. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { Confinement } from '#contracts/tools/command-host-protocol.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import type { CommandExit, CommandHandle, CommandRunner } from '../commands/command-runner.ts'
import { McpFailure } from './mcp-failure.ts'
import { isTooDeep, MESSAGE_LIMIT, ownFailure, type MessageGuard } from './message-guard.ts'
import type { ServerLog } from './server-log.ts'

export interface StdioStart {
  readonly callId: string
  readonly argv: readonly string[]
  readonly verbatim: boolean
  readonly confinement?: Confinement
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** The command host takes lines of 8 MiB, in base64. */
const PIECE = 1024 * 1024
const SEND_LIMIT = 8 * 1024 * 1024
/** Output is taken in at this pace at most, so that a flood leaves the thread to others. */
const FREE_BYTES = 8 * 1024 * 1024
const BYTES_PER_MS = 16 * 1024
/** A server told to end by the end of its input has this long before it is asked, then made to. */
const GOODBYE_MS = 400
const KILL_GRACE_MS = 1_000
const GONE_MS = 6_000

export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T) => void
  /** Why it ended by itself; undefined while it runs or when it was closed. */
  failure: McpFailure | undefined
  readonly #commands: CommandRunner
  readonly #start: StdioStart
  readonly #guard: MessageGuard
  readonly #log: ServerLog
  #handle: CommandHandle | undefined
  #closing = false
  #gone: Promise<void> | undefined
  #parts: Buffer[] = []
  #size = 0
  #skipping = false
  #free = FREE_BYTES
  #owed = 0
  #timer: NodeJS.Timeout | undefined

  constructor(commands: CommandRunner, start: StdioStart, guard: MessageGuard, log: ServerLog) {
    this.#commands = commands
    this.#start = start
    this.#guard = guard
    this.#log = log
  }

  get pid(): number | undefined {
    return this.#handle?.pid
  }

  async start(): Promise<void> {
    try {
      this.#handle = await this.#commands.start({
        ...this.#start,
        stdin: true,
        onOutput: (stream, bytes) => {
          if (stream === 'stderr') this.#log.stderr(bytes)
          else this.#read(bytes)
          this.#pay(bytes.length)
        },
      })
    } catch (error) {
      throw explainStart(error, this.#start.argv[0] ?? '')
    }
    void this.#handle.exit.then((exit) => this.#ended(exit))
    // Closed while it was being started.
    if (this.#closing) await this.#end()
  }

  send(message: JSONRPCMessage): Promise<void> {
    const handle = this.#handle
    if (handle === undefined || this.#closing) return Promise.reject(new McpFailure('ENDED', 'The server is not running.'))
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
    if (bytes.length > SEND_LIMIT)
      return Promise.reject(new McpFailure('TOO_BIG', `The message has ${bytes.length} bytes; at most ${SEND_LIMIT} are sent.`))
    this.#guard.sent(message)
    for (let at = 0; at < bytes.length; at += PIECE) handle.write(bytes.subarray(at, at + PIECE))
    return Promise.resolve()
  }

  /** Resolves when no process of it is left, or when that cannot be had. Calling it again shares the first attempt. */
  close(): Promise<void> {
    this.#gone ??= this.#end()
    return this.#gone
  }

  async #end(): Promise<void> {
    this.#closing = true
    const handle = this.#handle
    if (handle === undefined) return this.onclose?.()
    handle.endInput()
    const goodbye = setTimeout(() => handle.kill(KILL_GRACE_MS), GOODBYE_MS)
    let late: NodeJS.Timeout | undefined
    await Promise.race([
      handle.exit,
      new Promise<void>((resolve) => {
        late = setTimeout(resolve, GONE_MS)
      }),
    ])
    clearTimeout(goodbye)
    clearTimeout(late)
  }

  #read(chunk: Buffer): void {
    let from = 0
    while (from < chunk.length && this.failure === undefined) {
      const end = chunk.indexOf(10, from)
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end)
      this.#size += piece.length
      if (this.#size > MESSAGE_LIMIT) this.#skip()
      else if (!this.#skipping) this.#parts.push(piece)
      if (end < 0) return
      if (!this.#skipping) this.#line(Buffer.concat(this.#parts).toString('utf8').trim())
      this.#parts = []
      this.#size = 0
      this.#skipping = false
      from = end + 1
    }
  }

  /** The rest of an overlong line is passed over; whichever call it answers gets no better answer. */
  #skip(): void {
    if (this.#skipping) return
    this.#skipping = true
    const limit = `${MESSAGE_LIMIT / 1024 / 1024} MiB`
    this.#log.add('app', `a message of more than ${limit} was dropped`)
    const head = Buffer.concat(this.#parts).subarray(0, 400).toString('latin1')
    this.#parts = []
    const failure = new McpFailure('TOO_BIG', `The answer is larger than ${limit} and was dropped.`)
    const named = /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+),"(?:result|error)"/.exec(head)?.[1]
    for (const id of named === undefined ? [...this.#guard.pending] : [Number(named)])
      if (this.#guard.pending.delete(id))
        this.onmessage?.({ jsonrpc: '2.0', id, error: { code: -32603, message: failure.message, ...ownFailure(failure) } })
  }

  #line(text: string): void {
    if (text === '') return
    try {
      const value: unknown = JSON.parse(text)
      const message = isTooDeep(value) ? undefined : JSONRPCMessageSchema.safeParse(value).data
      if (message === undefined) this.#garbage(text)
      else if (this.#guard.take(message)) this.onmessage?.(message)
    } catch (error) {
      if (error instanceof McpFailure) this.#fail(error)
      else if (error instanceof SyntaxError || error instanceof RangeError) this.#garbage(text)
      else throw error
    }
  }

  #garbage(text: string): void {
    this.#log.add('app', `not a message: ${text.slice(0, 200)}`)
    try {
      this.#guard.garbage()
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error
      this.#fail(error)
    }
  }

  #fail(failure: McpFailure): void {
    this.failure ??= failure
    this.#handle?.kill(KILL_GRACE_MS)
  }

  #pay(bytes: number): void {
    this.#owed += bytes
    this.#free -= bytes
    if (this.#free > 0) return this.#settle()
    this.#timer ??= setTimeout(() => this.#settle(), Math.min(200, Math.max(1, this.#owed / BYTES_PER_MS)))
  }

  #settle(): void {
    this.#timer = undefined
    this.#handle?.credit(this.#owed)
    this.#owed = 0
  }

  #ended(exit: CommandExit): void {
    clearTimeout(this.#timer)
    this.#log.endOfStderr()
    if (!this.#closing) this.failure ??= explainExit(exit)
    this.#log.add('app', this.#closing ? 'ended' : (this.failure?.message ?? 'ended'))
    if (exit.kind === 'exit' && exit.survivors.length > 0) this.#log.add('app', `still alive: ${exit.survivors.join(', ')}`)
    this.onclose?.()
  }
}

function explainExit(exit: CommandExit): McpFailure {
  if (exit.kind === 'lost') return new McpFailure('LOST', exit.message)
  const how = exit.signal === null ? `with exit code ${exit.exitCode}` : `by ${exit.signal}`
  return new McpFailure('ENDED', `The server ended ${how}.`)
}

function explainStart(error: unknown, program: string): unknown {
  if (!(error instanceof AppError)) return error
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new McpFailure('NOT_FOUND', `${program} was not found. Is it installed, and in PATH?`)
  if (error.code === 'EACCES') return new McpFailure('NOT_FOUND', `${program} may not be run: it is no program, or not yours to run.`)
  return new McpFailure('START_FAILED', `${program} could not be started: ${error.message}`)
}
