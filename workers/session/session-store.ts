/** Writing a session's events: in order, several in one commit while one is on its way, repeated after a storage death. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { storageService } from '#contracts/storage/storage-service.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'

type StorageClient = ServiceClient<typeof storageService>

export interface StorageAccess {
  /** A client whose storage worker has the workspace open. */
  open(workspace: string): Promise<StorageClient>
  /** For calls without an effect: made again when storage died in between. */
  ask<T>(workspace: string, call: (storage: StorageClient) => Promise<T>): Promise<T>
}

/** How long a commit is repeated while storage cannot be had, in milliseconds. */
const RETRY_FOR_MS = 60_000
/** Between two repeats: from the first to the longest, milliseconds. */
const PAUSE_MS = 20
const LONGEST_PAUSE_MS = 1_000

interface Waiting {
  readonly events: SessionEvent[]
  resolve(): void
  reject(error: AppError): void
}

export class SessionStore {
  readonly #access: StorageAccess
  readonly #workspace: string
  #waiting: Waiting[] = []
  #writing = false
  #failure: AppError | undefined

  constructor(access: StorageAccess, workspace: string) {
    this.#access = access
    this.#workspace = workspace
  }

  /** Set once a commit was given up; every later one fails alike, because its predecessor is missing. */
  get failure(): AppError | undefined {
    return this.#failure
  }

  /** As `StorageAccess.ask`, of this session's workspace. */
  ask<T>(call: (storage: StorageClient) => Promise<T>): Promise<T> {
    return this.#access.ask(this.#workspace, call)
  }

  /** Resolves when `events` are durable. Rejects with AppError when they cannot be. */
  append(events: SessionEvent[]): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ events, resolve, reject })
      if (!this.#writing) void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#writing = true
    // What the same turn of the event loop still adds goes into the same commit.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        await this.#append(batch.flatMap((entry) => entry.events))
        for (const entry of batch) entry.resolve()
      } catch (thrown) {
        this.#failure = thrown instanceof AppError ? thrown : new AppError(toErrorData(thrown))
        for (const entry of [...batch, ...this.#waiting]) entry.reject(this.#failure)
        this.#waiting = []
      }
    }
    this.#writing = false
  }

  /** An event id makes a repeat harmless, so an unanswered commit is simply sent again. */
  async #append(events: SessionEvent[]): Promise<void> {
    let giveUpAt = performance.now() + RETRY_FOR_MS
    for (let pause = PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const storage = await this.#access.open(this.#workspace)
        await storage.appendEvents({ workspace: this.#workspace, events })
        return
      } catch (thrown) {
        const { code, retryable } = toErrorData(thrown)
        // Storage is there and waits for a full disk or a held database: so do we, as long as it takes.
        if (code === WireErrorCode.CALL_TIMEOUT || code === 'STORAGE_BACKLOG') giveUpAt = performance.now() + RETRY_FOR_MS
        if (retryable !== true || performance.now() > giveUpAt) throw thrown
        await sleep(pause)
      }
    }
  }
}
