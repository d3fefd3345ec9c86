import type { Banner } from '#contracts/session/client-protocol.ts'
import type { FileVerdict } from '#contracts/workspace/agreed-file.ts'
import { AppError } from '#contracts/wire/app-error.ts'
import { createRedactor, secretsOfEnvironment, type Redactor, type Secret } from '#workers/shared/redact.ts'
import { Banners } from './banners.ts'
import { AgreedFiles } from './folders/agreed-files.ts'
import { layoutOf } from './folders/workspace-layout.ts'
import { openForWriting, saveHeads } from './open-workspace.ts'
import { watchMemoryFileSoon } from './memory/watch-at-opening.ts'
import { supportedSqlite } from './sqlite-version.ts'
import type { ConnectionOptions } from './open-database.ts'
import { Profile } from './profile/profile.ts'
import { openForReading } from './recovery/open-for-reading.ts'
import { checkTrust, realFolder } from './resolve-workspace.ts'
import { Traces } from './traces.ts'
import type { Workspace } from './workspace.ts'

export interface WorkspacesOptions {
  readonly profile: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly now?: () => string
  readonly log?: (message: string) => void
  readonly connection?: ConnectionOptions
  /** Another redactor, for the tests that show what it does. */
  readonly redactor?: Redactor
}

export interface OpenRequest {
  readonly path: string
  readonly trust: 'stored' | 'once'
  readonly mode: 'write' | 'read'
  readonly waitMs: number
  readonly language: 'zh' | 'en'
}

export interface OpenAnswer {
  readonly workspace: string
  readonly created: string[]
  readonly readOnly: boolean
  readonly banners: Banner[]
  readonly agreed: FileVerdict[]
  readonly profileVersion: number
}

const HEADS_INTERVAL_MS = 10_000

interface Entry {
  readonly workspace: Workspace
  readonly mode: 'write' | 'read'
  readonly traces: Traces
}

/** All that is open: the profile, and workspaces by real path. */
export class Workspaces {
  readonly now: () => string
  readonly log: (message: string) => void
  readonly connection: ConnectionOptions
  /** What the person agreed to of the files that instruct the model. */
  readonly agreed: AgreedFiles
  readonly #options: WorkspacesOptions
  readonly #profileBanners = new Banners()
  readonly #entries = new Map<string, Entry>()
  /** One opening or closing of a folder at a time. */
  readonly #busy = new Map<string, Promise<unknown>>()
  readonly #headsSavedAt = new WeakMap<Workspace, number>()
  #profile: Profile | undefined
  #secrets: Secret[]
  #redactor: Redactor

  constructor(options: WorkspacesOptions) {
    this.#options = options
    this.now = options.now ?? (() => new Date().toISOString())
    this.log = (message) => options.log?.(this.#redactor.text(message))
    this.connection = options.connection ?? {}
    this.#secrets = secretsOfEnvironment(options.environment)
    this.#redactor = options.redactor ?? createRedactor(this.#secrets)
    this.agreed = new AgreedFiles({
      stored: () => this.profile.agreements,
      banners: (path) => this.find(path)?.banners,
      clean: (text) => this.#redactor.text(text),
    })
    supportedSqlite()
  }

  get profile(): Profile {
    this.#profile ??= new Profile(this.#options.profile, this.#profileBanners, this.now)
    return this.#profile
  }

  get redactor(): Redactor {
    return this.#redactor
  }

  addSecrets(secrets: readonly Secret[]): void {
    if (this.#options.redactor !== undefined) return
    this.#secrets = [...this.#secrets, ...secrets]
    this.#redactor = createRedactor(this.#secrets)
  }

  /** The open workspace; `NOT_OPEN` otherwise. */
  get(path: string): Workspace {
    return this.#entry(path).workspace
  }

  tracesOf(path: string): Traces {
    return this.#entry(path).traces
  }

  find(path: string): Workspace | undefined {
    return this.#entries.get(path)?.workspace
  }

  open(request: OpenRequest): Promise<OpenAnswer> {
    const root = realFolder(request.path)
    if (request.mode === 'write') checkTrust(root, request.trust, this.profile)
    return this.exclusively(root, async () => {
      const present = this.#entries.get(root)
      // Read-only for a fault that may be over: asked to write again, it is opened afresh.
      const again = present?.mode === 'write' && present.workspace.readOnly && request.mode === 'write'
      if (again) await present.workspace.dispose()
      else if (present !== undefined && (present.mode === 'write' || request.mode === 'read')) return this.#answer(root, [])
      const created = await this.#openFresh(root, request)
      if (present !== undefined && !again) await present.workspace.dispose()
      return this.#answer(root, created)
    })
  }

  async close(path: string): Promise<void> {
    await this.exclusively(path, async () => {
      const entry = this.#entries.get(path)
      if (entry === undefined) return
      await entry.workspace.queue.drain(5000)
      entry.workspace.queue.abandon(
        new AppError({ code: 'STORAGE_CLOSED', message: `${path} was closed before the disk took this`, retryable: true }),
      )
      this.#entries.delete(path)
      this.agreed.closed(path)
      await entry.workspace.dispose()
    })
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((path) => this.close(path)))
    this.#profile?.close()
    this.#profile = undefined
  }

  /** Runs `work` when nothing else opens, closes or rebuilds this folder. */
  async exclusively<T>(path: string, work: () => Promise<T>): Promise<T> {
    while (this.#busy.has(path)) await this.#busy.get(path)
    const run = work()
    const settled = run.then(
      () => undefined,
      // The caller of `exclusively` gets the error; those behind only wait.
      () => undefined,
    )
    this.#busy.set(path, settled)
    try {
      return await run
    } finally {
      this.#busy.delete(path)
    }
  }

  /** The profile is another file with its own sync: often enough is enough. */
  saveHeadsNowAndThen(workspace: Workspace): void {
    const now = performance.now()
    if (now - (this.#headsSavedAt.get(workspace) ?? -Infinity) < HEADS_INTERVAL_MS) return
    this.#headsSavedAt.set(workspace, now)
    saveHeads(workspace, this.profile)
  }

  banners(): Banner[] {
    return [...this.#profileBanners.list(), ...[...this.#entries.values()].flatMap((entry) => entry.workspace.banners.list())]
  }

  health(): { queued: number; commits: number; sqlite: string } {
    let queued = 0
    let commits = 0
    for (const { workspace } of this.#entries.values()) {
      queued += workspace.queue.length
      commits += workspace.queue.commits
    }
    return { queued, commits, sqlite: supportedSqlite() }
  }

  async #openFresh(root: string, request: OpenRequest): Promise<string[]> {
    if (request.mode === 'read') {
      this.#entries.set(root, {
        workspace: await openForReading(layoutOf(root), this.profile, this.now),
        mode: 'read',
        traces: new Traces(layoutOf(root).traces),
      })
      return []
    }
    const opened = await openForWriting({
      root,
      profile: this.profile,
      waitMs: request.waitMs,
      language: request.language,
      now: this.now,
      log: this.log,
      connection: this.connection,
    })
    this.#entries.set(root, { workspace: opened.workspace, mode: 'write', traces: new Traces(opened.workspace.layout.traces) })
    this.profile.opened(root)
    await this.agreed.opened(root, request.trust, opened.created)
    watchMemoryFileSoon(this, opened.workspace)
    return opened.created
  }

  #answer(root: string, created: string[]): OpenAnswer {
    const { workspace } = this.#entry(root)
    return {
      workspace: root,
      created,
      readOnly: workspace.readOnly,
      banners: [...this.#profileBanners.list(), ...workspace.banners.list()],
      agreed: this.agreed.verdicts(root),
      profileVersion: this.profile.version,
    }
  }

  #entry(path: string): Entry {
    const entry = this.#entries.get(path)
    if (entry === undefined) throw new AppError({ code: 'NOT_OPEN', message: `${path} is not open`, params: { path } })
    return entry
  }
}
