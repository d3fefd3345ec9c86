/** A long-lived connection to another worker that is made on first use and again after the worker died. */
import { connect, type Connection } from '#contracts/wire/connect.ts'
import type { ServiceClient, ServiceDefinition } from '#contracts/wire/define-service.ts'
import type { WorkerName } from '#contracts/wire/worker-lifecycle.ts'
import type { WorkerContext } from '#workers/shared/start-worker.ts'

export class Peer<S extends ServiceDefinition> {
  readonly #context: WorkerContext
  readonly #name: WorkerName
  readonly #service: S
  /** Held here for its whole life: Comlink drops the calls of a collected proxy. */
  #connection: Promise<Connection<S>> | undefined

  constructor(context: WorkerContext, name: WorkerName, service: S) {
    this.#context = context
    this.#name = name
    this.#service = service
  }

  /** Starts the worker if needed. Rejects with AppError when it cannot be started. */
  async client(): Promise<ServiceClient<S>> {
    this.#connection ??= this.#connect()
    return (await this.#connection).client
  }

  /** True once somebody asked for it; lets a read-only command avoid starting a worker only to close it. */
  get started(): boolean {
    return this.#connection !== undefined
  }

  async #connect(): Promise<Connection<S>> {
    try {
      const connection = connect(this.#service, await this.#context.peer(this.#name))
      connection.onClose(() => {
        this.#connection = undefined
      })
      return connection
    } catch (error) {
      this.#connection = undefined
      throw error
    }
  }
}
