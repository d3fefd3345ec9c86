/** Writing a session's events: in order, several in one commit while one is on its way, repeated after a storage death. */
import type { SessionEvent } from '#contracts/session/session-event.ts'
import type { storageService } from '#contracts/storage/storage-service.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'

export interface StorageAccess {
  /** A client whose storage worker has the workspace open. */
  open(workspace: string): Promise<ServiceClient<typeof storageService>>
}

/** How long a commit is repeated while storage is being restarted, in milliseconds. */
const RETRY_FOR_MS = 60_000

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
    const giveUpAt = performance.now() + RETRY_FOR_MS
    for (;;) {
      try {
        const storage = await this.#access.open(this.#workspace)
        await storage.appendEvents({ workspace: this.#workspace, events })
        return
      } catch (thrown) {
        const { code } = toErrorData(thrown)
        const repeatable = code === WireErrorCode.WORKER_LOST || code === WireErrorCode.CALL_TIMEOUT
        if (!repeatable || performance.now() > giveUpAt) throw thrown
      }
    }
  }
}
