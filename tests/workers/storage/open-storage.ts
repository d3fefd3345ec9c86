/** A storage worker's inside, in the test's own thread, on real files in a folder of its own. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Banner } from '#contracts/session/client-protocol.ts'
import type { SessionEvent } from '#contracts/session/session-event.ts'
import { storageService } from '#contracts/storage/storage-service.ts'
import type { ServiceClient } from '#contracts/wire/define-service.ts'
import { storageHandlers } from '#workers/storage/service.ts'
import { Workspaces, type WorkspacesOptions } from '#workers/storage/workspaces.ts'

export interface TestStorage {
  readonly base: string
  readonly profile: string
  readonly folder: string
  readonly workspaces: Workspaces
  /** The service as its callers see it, without threads between. */
  readonly service: ServiceClient<typeof storageService>
  /** Opens `folder` for writing with trust for this run. */
  open(): Promise<{ workspace: string; created: string[]; readOnly: boolean; banners: Banner[] }>
  append(events: readonly SessionEvent[]): Promise<{ lastSeq: number }>
  close(): Promise<void>
  /** Another storage over the same folders, as after a restart. */
  again(options?: Partial<WorkspacesOptions>): TestStorage
}

/** A fresh base folder with `profile` and `workspace` (with a space and Chinese in its path, as people have them). */
export function newBase(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'metona-storage-')))
}

export function openStorage(base = newBase(), options: Partial<WorkspacesOptions> = {}): TestStorage {
  const profile = join(base, 'profile')
  const folder = join(base, 'work space 工作')
  mkdirSync(folder, { recursive: true })
  const workspaces = new Workspaces({ profile, environment: {}, ...options })
  const service = withSignal(storageHandlers(workspaces))
  return {
    base,
    profile,
    folder,
    workspaces,
    service,
    open: () => service.openWorkspace({ path: folder, trust: 'once', mode: 'write', waitMs: 0 }),
    append: (events) => service.appendEvents({ workspace: folder, events: [...events] }),
    close: () => workspaces.closeAll(),
    again: (other = {}) => openStorage(base, { ...options, ...other }),
  }
}

export function removeBase(base: string): void {
  rmSync(base, { recursive: true, force: true })
}

type Handlers = ReturnType<typeof storageHandlers>

function withSignal(handlers: Handlers): ServiceClient<typeof storageService> {
  const calls = Object.entries(handlers).map(([name, handler]) => [
    name,
    async (input: unknown, options: { signal?: AbortSignal } = {}) =>
      // Parsed as `expose` does, so that defaults and the order of fields are those of the real service.
      (handler as (input: unknown, context: unknown) => unknown)(storageService.methods[name as keyof Handlers].input.parse(input), {
        signal: options.signal ?? new AbortController().signal,
      }),
  ])
  return Object.fromEntries(calls) as ServiceClient<typeof storageService>
}

/** Lines of a session's log as they stand on the disk. */
export function logLines(folder: string, sessionId: string): string[] {
  const name = logName(folder, sessionId)
  return name === undefined
    ? []
    : readFileSync(join(folder, 'logs', name), 'utf8')
        .split('\n')
        .slice(0, -1)
}

export function logName(folder: string, sessionId: string): string | undefined {
  return readdirSync(join(folder, 'logs')).find((name) => name.startsWith(`session_${sessionId}_`))
}

/** The value, which the test knows to be there. */
export function must<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('the test expected a value here')
  return value
}
