/** The one client of the command host: the tools worker. Whoever does not know the token is cut off. */
import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { CommandReply, CommandRequest, StartRequest } from '#contracts/tools/command-host-protocol.ts'
import { awakeTimeout } from '#contracts/wire/awake-timeout.ts'
import { holdConfinement, type HeldConfinement } from './hold-confinement.ts'
import { createLineReader } from './line-reader.ts'
import { markedEnvironment, RunningCommand, type CommandSurroundings } from './running-command.ts'

/** A command's arguments and environment fit well within this. */
const LINE_LIMIT = 8 * 1024 * 1024
const HELLO_WAIT_MS = 10_000

export interface ConnectionOptions extends Omit<CommandSurroundings, 'send'> {
  readonly token: string
  /** Asked when the right token came; false when another client was there before. */
  claim(): boolean
  /** The client is gone and all its commands are ended. */
  closed(): void
}

export function serveConnection(socket: Socket, options: ConnectionOptions): { killAll(): Promise<void> } {
  const commands = new Map<string, RunningCommand>()
  let welcome = false
  const send = (reply: CommandReply): void => {
    if (!socket.destroyed) socket.write(`${JSON.stringify(reply)}\n`)
  }
  const welcomed = awakeTimeout(() => socket.destroy(), HELLO_WAIT_MS)
  /** Ids of commands that are about to run. */
  const starting = new Map<string, Promise<void>>()
  const killAll = async (): Promise<void> => {
    await Promise.all(starting.values())
    await Promise.all([...commands.values()].map((command) => command.kill(0).then(() => command.leaveGroup())))
  }

  /** Never rejects. */
  const start = async (request: StartRequest): Promise<void> => {
    const { confinement } = request
    let held: HeldConfinement | undefined
    // Whoever asked is gone: nothing is started that nobody would end.
    const wanted = (): boolean => !socket.destroyed
    if (!wanted()) return
    try {
      const env = markedEnvironment(request, options.hostMarker)
      held = confinement === undefined ? undefined : holdConfinement(confinement, options.place)
      const inSandbox = confinement?.commandAt !== undefined
      const sandbox = inSandbox ? await options.place.starter.start(request, env, wanted) : undefined
      if (inSandbox && sandbox === undefined) return void (await held?.release())
      const command = new RunningCommand(request, env, held, sandbox, { ...options, send }, () => commands.delete(request.id))
      commands.set(request.id, command)
    } catch (error) {
      await held?.release()
      // spawn throws for arguments that hold a NUL byte and for a list that is too long.
      const thrown = error as NodeJS.ErrnoException
      send({ type: 'failed', id: request.id, code: thrown.code ?? 'SPAWN_FAILED', message: thrown.message })
    }
  }
  const startOnce = (request: StartRequest): void => {
    const { id } = request
    if (commands.has(id) || starting.has(id))
      return send({ type: 'failed', id, code: 'DUPLICATE_ID', message: `a command with the id ${id} is running` })
    // A command with nothing to wait for is known at once, to whatever is asked of it next.
    starting.set(
      id,
      start(request).finally(() => starting.delete(id)),
    )
  }

  const take = (request: CommandRequest): void => {
    switch (request.type) {
      case 'hello':
        return
      case 'start':
        return startOnce(request)
      case 'write':
        return commands.get(request.id)?.write(request.base64)
      case 'end_input':
        return commands.get(request.id)?.endInput()
      case 'kill':
        return void commands.get(request.id)?.kill(request.graceMs)
      case 'credit':
        return commands.get(request.id)?.credit(request.bytes)
    }
  }

  const onLine = (line: string): void => {
    const request = parseRequest(line)
    if (request === undefined) return void socket.destroy()
    if (welcome) return take(request)
    if (request.type !== 'hello' || !sameToken(request.token, options.token) || !options.claim()) return void socket.destroy()
    welcome = true
    welcomed()
    send({ type: 'welcome', pid: process.pid })
  }

  socket.on(
    'data',
    createLineReader(LINE_LIMIT, onLine, () => socket.destroy()),
  )
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    welcomed()
    if (welcome) void killAll().then(options.closed)
  })
  return { killAll }
}

/** Only the fields that are used are looked at: the schema library would double this small process. */
function parseRequest(line: string): CommandRequest | undefined {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const fields = value as Record<string, unknown>
  const strings = (list: unknown): boolean => Array.isArray(list) && list.every((entry) => typeof entry === 'string')
  const valid: Record<string, () => boolean> = {
    hello: () => typeof fields['token'] === 'string',
    start: () =>
      strings(fields['argv']) &&
      (fields['argv'] as string[]).length > 0 &&
      typeof fields['cwd'] === 'string' &&
      typeof fields['env'] === 'object' &&
      fields['env'] !== null &&
      strings(Object.values(fields['env'])) &&
      isConfinement(fields['confinement']),
    write: () => typeof fields['base64'] === 'string',
    end_input: () => true,
    kill: () => typeof fields['graceMs'] === 'number',
    credit: () => typeof fields['bytes'] === 'number',
  }
  const type = String(fields['type'])
  const fits = Object.hasOwn(valid, type) && valid[type]?.() === true && (type === 'hello' || typeof fields['id'] === 'string')
  return fits ? (value as CommandRequest) : undefined
}

function isConfinement(value: unknown): boolean {
  if (value === undefined) return true
  if (typeof value !== 'object' || value === null) return false
  const { root, standIns, links, unwanted, limits, domains, commandAt } = value as Record<string, unknown>
  const strings = (list: unknown): boolean => Array.isArray(list) && list.every((entry) => typeof entry === 'string')
  return (
    typeof root === 'string' &&
    strings(standIns) &&
    strings(unwanted) &&
    (domains === undefined || strings(domains)) &&
    (commandAt === undefined || (typeof commandAt === 'number' && commandAt > 1)) &&
    Array.isArray(links) &&
    typeof limits === 'object' &&
    limits !== null
  )
}

function sameToken(given: string, expected: string): boolean {
  const left = Buffer.from(given)
  const right = Buffer.from(expected)
  return left.length === right.length && timingSafeEqual(left, right)
}
