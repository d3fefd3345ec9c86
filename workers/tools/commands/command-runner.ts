/** The tools worker's end of the command host: one connection, made when first needed, made anew when lost. */
import { connect as connectSocket, type Socket } from 'node:net'
import type { NetworkRefusal } from '#contracts/tools/allowed-domains.ts'
import { AppError, WireErrorCode } from '#contracts/wire/app-error.ts'
import {
  CommandReplySchema,
  type CommandReply,
  type CommandRequest,
  type Confinement,
  type Limit,
} from '#contracts/tools/command-host-protocol.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'

export interface CommandStart {
  /** Marks every process of the command (`METONA_CALL`). */
  readonly callId: string
  readonly argv: readonly string[]
  readonly cwd: string
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs?: number
  readonly stdin?: boolean
  /** Set when `argv` is a sandbox around the command. */
  readonly confinement?: Confinement
  /** Windows: the arguments are quoted already. */
  readonly verbatim?: boolean
  /** Give back the bytes with `credit` once they are taken in; 1 MiB may be on its way. */
  onOutput(stream: 'stdout' | 'stderr', bytes: Buffer): void
  /** It wanted a connection that was not allowed. */
  onRefused?(refusal: NetworkRefusal): void
}

export type CommandExit =
  | {
      readonly kind: 'exit'
      readonly exitCode: number | null
      readonly signal: string | null
      readonly timedOut: boolean
      readonly found: number
      readonly killed: number
      readonly survivors: number[]
      /** The limit of the sandbox it went over. */
      readonly exceeded?: Limit
      /** Protected links it had replaced, put back. */
      readonly restored?: string[]
    }
  /** The command host is gone, and with it the command. */
  | { readonly kind: 'lost'; readonly message: string }

export interface CommandHandle {
  readonly pid: number
  /** Never rejects. */
  readonly exit: Promise<CommandExit>
  credit(bytes: number): void
  write(bytes: Uint8Array): void
  endInput(): void
  /** Ends the whole tree; `exit` tells what was found. */
  kill(graceMs: number): void
}

export interface CommandRunner {
  /** Starts and joins the command host, so that the first command need not wait. */
  warm(): Promise<void>
  /** Rejects with the system's code (`ENOENT`, `EACCES` …) when the program cannot be started. */
  start(command: CommandStart): Promise<CommandHandle>
  close(): void
}

interface Pending {
  readonly start: CommandStart
  started(pid: number): void
  failed(error: AppError): void
  exited(exit: CommandExit): void
}

interface Link {
  readonly socket: Socket
  readonly pending: Map<string, Pending>
}

/** Code of a start whose fate is not known. */
export const COMMAND_LOST = 'COMMAND_LOST'
const HELLO_DEADLINE_MS = 5_000

/** @param locate asks for a running command host; called again after the connection was lost. */
export function createCommandRunner(locate: () => Promise<{ socketPath: string; token: string }>): CommandRunner {
  let link: Promise<Link> | undefined
  let counter = 0

  const join = (): Promise<Link> => {
    link ??= openLink(locate, () => {
      link = undefined
    }).catch((error: unknown) => {
      link = undefined
      throw error
    })
    return link
  }

  return {
    warm: async () => void (await join()),
    close: () => void link?.then((open) => open.socket.destroy()).catch(ignoreLateFailure),
    start: async (command) => {
      const { socket, pending } = await join()
      const id = `${command.callId}#${++counter}`
      const send = (request: CommandRequest): void => void (socket.destroyed || socket.write(`${JSON.stringify(request)}\n`))
      return new Promise<CommandHandle>((resolve, reject) => {
        let exited: (exit: CommandExit) => void = () => {}
        const exit = new Promise<CommandExit>((settle) => {
          exited = settle
        })
        // A command that runs keeps the thread alive; a connection that waits for the next one does not.
        socket.ref()
        const release = (): void => void (pending.size === 0 && !socket.destroyed && socket.unref())
        pending.set(id, {
          start: command,
          exited: (how) => {
            release()
            exited(how)
          },
          failed: (error) => {
            release()
            reject(error)
          },
          started: (pid) =>
            resolve({
              pid,
              exit,
              credit: (bytes) => send({ type: 'credit', id, bytes }),
              write: (bytes) => send({ type: 'write', id, base64: Buffer.from(bytes).toString('base64') }),
              endInput: () => send({ type: 'end_input', id }),
              kill: (graceMs) => send({ type: 'kill', id, graceMs }),
            }),
        })
        send({
          type: 'start',
          id,
          argv: [...command.argv],
          cwd: command.cwd,
          env: { ...command.env, METONA_CALL: command.callId },
          stdin: command.stdin ?? false,
          ...(command.confinement === undefined ? {} : { confinement: command.confinement }),
          ...(command.verbatim === true ? { verbatim: true } : {}),
          ...(command.timeoutMs === undefined ? {} : { timeoutMs: command.timeoutMs }),
        })
      })
    },
  }
}

async function openLink(locate: () => Promise<{ socketPath: string; token: string }>, lost: () => void): Promise<Link> {
  const { socketPath, token } = await locate()
  const pending = new Map<string, Pending>()
  const socket = connectSocket(socketPath)
  socket.unref()
  return new Promise((resolve, reject) => {
    let welcome = false
    const answered = awakeTimeout(() => socket.destroy(new Error(`no welcome within ${HELLO_DEADLINE_MS} ms`)), HELLO_DEADLINE_MS)
    let problem = 'the connection was closed'
    socket.on('error', (error) => {
      problem = error.message
    })
    socket.on('close', () => {
      answered()
      lost()
      const message = `The command host is gone (${problem}); the commands it ran were ended with it.`
      if (!welcome) reject(new AppError({ code: WireErrorCode.WORKER_LOST, message, retryable: true }))
      const lostCalls = [...pending.values()]
      pending.clear()
      for (const call of lostCalls) {
        // It was asked for and not confirmed: whether it began is not known.
        call.failed(new AppError({ code: COMMAND_LOST, message }))
        call.exited({ kind: 'lost', message })
      }
    })
    let rest: Buffer[] = []
    socket.on('data', (chunk) => {
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end)]).toString('utf8')
        rest = []
        from = end + 1
        const reply = CommandReplySchema.safeParse(JSON.parse(line))
        if (!reply.success) return void socket.destroy(new Error('it sent something that is no reply'))
        if (reply.data.type === 'welcome') {
          welcome = true
          answered()
          resolve({ socket, pending })
        } else dispatch(reply.data, pending)
      }
      if (from < chunk.length) rest.push(chunk.subarray(from))
    })
    socket.write(`${JSON.stringify({ type: 'hello', token } satisfies CommandRequest)}\n`)
  })
}

function dispatch(reply: Exclude<CommandReply, { type: 'welcome' }>, pending: Map<string, Pending>): void {
  const call = pending.get(reply.id)
  if (call === undefined) return
  switch (reply.type) {
    case 'started':
      return call.started(reply.pid)
    case 'output':
      return call.start.onOutput(reply.stream, Buffer.from(reply.base64, 'base64'))
    case 'refused':
      return call.start.onRefused?.(reply.refusal)
    case 'failed':
      pending.delete(reply.id)
      return call.failed(new AppError({ code: reply.code, message: reply.message }))
    case 'exit': {
      pending.delete(reply.id)
      const { type: _type, id: _id, exceeded, restored, ...exit } = reply
      return call.exited({
        kind: 'exit',
        ...exit,
        ...(exceeded === undefined ? {} : { exceeded }),
        ...(restored === undefined ? {} : { restored }),
      })
    }
  }
}

/** A connection that never came about needs no closing; whoever waited for it was told. */
function ignoreLateFailure(): void {}
