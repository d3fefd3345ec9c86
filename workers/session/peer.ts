/** A long-lived connection to another worker that is made on first use and again after the worker died. */
import { toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import { connect, type Connection } from '#contracts/wire/connect.ts'
import type { ServiceClient, ServiceDefinition } from '#contracts/wire/define-service.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import type { WorkerContext } from '#workers/shared/start-worker.ts'

/** Each waits for the worker's restart; one that dies that often will not answer. */
const ATTEMPTS = 3

export class Peer<S extends ServiceDefinition> {
  readonly #context: WorkerContext
  readonly #name: WorkerName
  readonly #service: S
  readonly #greet: (client: ServiceClient<S>) => Promise<unknown>
  /** Held here for its whole life: Comlink drops the calls of a collected proxy. */
  #connection: Promise<Connection<S>> | undefined
  #attempts = 0

  /** @param greet tells a new worker what only its predecessor knew, before anybody else speaks to it. */
  constructor(
    context: WorkerContext,
    name: WorkerName,
    service: S,
    greet: (client: ServiceClient<S>) => Promise<unknown> = () => Promise.resolve(),
  ) {
    this.#context = context
    this.#name = name
    this.#service = service
    this.#greet = greet
  }

  /** Starts the worker if needed. Rejects with AppError when it cannot be started. */
  async client(): Promise<ServiceClient<S>> {
    this.#connection ??= this.#connect()
    return (await this.#connection).client
  }

  /** For calls without an effect: made again when the worker died in between. */
  async ask<T>(call: (client: ServiceClient<S>) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call(await this.client())
      } catch (thrown) {
        if (attempt >= ATTEMPTS || toErrorData(thrown).code !== WireErrorCode.WORKER_LOST) throw thrown
      }
    }
  }

  /** True once somebody asked for it; lets a read-only command avoid starting a worker only to close it. */
  get started(): boolean {
    return this.#connection !== undefined
  }

  async #connect(): Promise<Connection<S>> {
    const mine = ++this.#attempts
    const forget = (): void => {
      if (this.#attempts === mine) this.#connection = undefined
    }
    try {
      const connection = connect(this.#service, await this.#context.peer(this.#name))
      connection.onClose(forget)
      await this.#greet(connection.client)
      return connection
    } catch (error) {
      forget()
      throw error
    }
  }
}
