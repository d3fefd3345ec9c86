/** Stands between a transport and the protocol: what a hostile or broken server may send, and how much of it. */
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { McpFailure } from './mcp-failure.ts'

/** Bytes of one message. */
export const MESSAGE_LIMIT = 16 * 1024 * 1024
const DEPTH_LIMIT = 500
/** Messages nobody asked for: so many at once, and so many a second after that. */
const BURST = 1_000
const PER_SECOND = 100
/** Beyond the allowance they are dropped; a server that goes on and on is ended. */
const DROPPED_LIMIT = 20_000
/** Lines that are no messages, without a good one in between. */
const GARBAGE_LIMIT = 1_000

export class MessageGuard {
  readonly #now: () => number
  #allowance = BURST
  #last: number
  #dropped = 0
  #garbage = 0
  /** Ids of our requests that are not answered. */
  readonly pending = new Set<string | number>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#last = now()
  }

  sent(message: JSONRPCMessage): void {
    if ('method' in message && 'id' in message) this.pending.add(message.id)
  }

  /** @returns whether the message goes on. @throws McpFailure FLOOD */
  take(message: JSONRPCMessage): boolean {
    this.#garbage = 0
    if (!('method' in message)) {
      // An answer to nothing, or a second answer, is nobody's.
      const { id } = message
      return id !== undefined && this.pending.delete(id)
    }
    const now = this.#now()
    this.#allowance = Math.min(BURST, this.#allowance + ((now - this.#last) / 1000) * PER_SECOND)
    this.#last = now
    if (this.#allowance >= 1) {
      this.#allowance -= 1
      return true
    }
    this.#dropped += 1
    if (this.#dropped > DROPPED_LIMIT) throw new McpFailure('FLOOD', `It sent more than ${DROPPED_LIMIT} messages that nobody asked for.`)
    return false
  }

  /** @throws McpFailure GARBAGE */
  garbage(): void {
    this.#garbage += 1
    if (this.#garbage > GARBAGE_LIMIT)
      throw new McpFailure('GARBAGE', `It wrote more than ${GARBAGE_LIMIT} lines that are no messages. Is it an MCP server?`)
  }
}

/** Marks an error made on this side, so that whoever gets it knows its name. */
export function ownFailure({ code }: McpFailure): { data: { metona: string } } {
  return { data: { metona: code } }
}

/** Without recursion: the value comes from outside. */
export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEPTH_LIMIT) return true
    level = level.flatMap((entry) => (typeof entry === 'object' && entry !== null ? Object.values(entry) : []))
  }
  return false
}
