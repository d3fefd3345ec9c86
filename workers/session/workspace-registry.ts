/** Workspaces that are open, and a storage worker that has them open too, also after it was replaced. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Banner } from '#contracts/session/client-protocol.ts'
import type { storageService } from '#contracts/storage/storage-service.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import type { Services } from './services.ts'
import type { StorageAccess } from './session-store.ts'

type StorageClient = ServiceClient<typeof storageService>

const ASK_FOR_MS = 30_000
const PAUSE_MS = 50

export interface OpenWorkspace {
  readonly path: string
  readonly trust: 'stored' | 'once'
  readonly mode: 'write' | 'read'
  readonly readOnly: boolean
  readonly created: string[]
}

export class WorkspaceRegistry implements StorageAccess {
  readonly #services: Services
  readonly #onBanners: (banners: Banner[]) => void
  readonly #open = new Map<string, OpenWorkspace>()
  /** The storage client that was last told about each workspace. */
  readonly #toldTo = new Map<string, StorageClient>()

  constructor(services: Services, onBanners: (banners: Banner[]) => void) {
    this.#services = services
    this.#onBanners = onBanners
  }

  get paths(): string[] {
    return [...this.#open.keys()]
  }

  /** @throws AppError WORKSPACE_NOT_OPEN, WORKSPACE_READ_ONLY */
  requireWritable(workspace: string): void {
    const open = this.find(workspace)
    if (open === undefined)
      throw new AppError({ code: 'WORKSPACE_NOT_OPEN', message: `${workspace} is not open`, params: { path: workspace } })
    if (open.readOnly || open.mode === 'read')
      throw new AppError({ code: 'WORKSPACE_READ_ONLY', message: `${workspace} is open for reading only`, params: { path: workspace } })
  }

  find(path: string): OpenWorkspace | undefined {
    return this.#open.get(path)
  }

  /** Rejects with the codes of `workspace.open`. Opening for writing what was open for reading upgrades it. */
  async openWorkspace(input: {
    path: string
    trust: 'stored' | 'once'
    mode: 'write' | 'read'
    waitMs: number
    language: 'zh' | 'en'
  }): Promise<OpenWorkspace> {
    const storage = await this.#services.storage.client()
    const answer = await storage.openWorkspace(input)
    const before = this.#open.get(answer.workspace)
    const opened: OpenWorkspace = {
      path: answer.workspace,
      // A folder trusted for this run stays so, whoever else opens it.
      trust: before?.trust ?? input.trust,
      mode: before?.mode === 'write' ? 'write' : input.mode,
      readOnly: answer.readOnly,
      created: answer.created,
    }
    this.#open.set(answer.workspace, opened)
    this.#services.agreements.opened(answer.workspace, answer.agreed, answer.profileVersion)
    this.#toldTo.set(answer.workspace, storage)
    this.#onBanners(answer.banners)
    return opened
  }

  /** Rejects when the workspace is not open here, or storage cannot take it. */
  async open(workspace: string): Promise<StorageClient> {
    const storage = await this.#services.storage.client()
    if (this.#toldTo.get(workspace) === storage) return storage
    const known = this.#open.get(workspace)
    if (known !== undefined) {
      await storage.openWorkspace({ path: workspace, trust: known.trust, mode: known.mode, waitMs: 10_000 })
      this.#toldTo.set(workspace, storage)
    }
    return storage
  }

  /** For calls without an effect: made again when storage died in between. */
  async ask<T>(workspace: string, call: (storage: StorageClient) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + ASK_FOR_MS
    for (;;) {
      try {
        return await call(await this.open(workspace))
      } catch (thrown) {
        if (toErrorData(thrown).code !== WireErrorCode.WORKER_LOST || performance.now() > giveUpAt) throw thrown
        await sleep(PAUSE_MS)
      }
    }
  }

  /** What holds in a workspace now. */
  async configValues(workspace: string): Promise<Record<string, unknown>> {
    const { values, profileVersion } = await this.ask(workspace, (storage) => storage.configValues({ workspace }))
    this.#services.agreements.profileIs(profileVersion)
    return values
  }

  async close(workspace: string): Promise<void> {
    this.#open.delete(workspace)
    if (this.#toldTo.delete(workspace)) await (await this.#services.storage.client()).closeWorkspace({ workspace })
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.paths.map((path) => this.close(path)))
  }
}
