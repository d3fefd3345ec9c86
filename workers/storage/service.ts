import { threadId } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import type { ServiceHandlers } from '#contracts/wire/define-service.ts'
import type { storageService } from '#contracts/storage/storage-service.ts'
import { McpApprovalSchema } from '#contracts/tools/mcp-server.ts'
import type { WorkspaceFile } from '#contracts/workspace/workspace-file.ts'
import { AppError, toErrorData, WireErrorCode } from '#contracts/wire/app-error.ts'
import { threadHealth } from '#workers/shared/metering/thread-meter.ts'
import { readWorkspaceFile, writeWorkspaceFile } from './folders/workspace-files.ts'
import { makeSampleWorkspace } from './folders/sample-workspace.ts'
import { checkedValue, effectiveConfig, effectiveEntry, effectiveValues, keyOf } from './profile/effective-config.ts'
import { SANDBOX_NETWORK, setAllowedDomain } from './profile/allowed-domains.ts'
import { deleteSession } from './delete-session.ts'
import { lazyMemoryHandlers } from './memory/lazy-memory-handlers.ts'
import { listSessions, readEvents, readPartials } from './queries/read-sessions.ts'
import { readUsage } from './queries/read-usage.ts'
import { searchMessages } from './queries/search-messages.ts'
import { readTokenCounts } from './queries/token-counts.ts'
import { hasServer, listServers, workspaceConfig } from './queries/workspace-records.ts'
import { realFolder } from './resolve-workspace.ts'
import { rebuild } from './recovery/rebuild.ts'
import { verify } from './recovery/verify.ts'
import type { Workspaces } from './workspaces.ts'

export type StorageHandlers = ServiceHandlers<typeof storageService>

/** The handlers of the storage service over the open workspaces. Every error that leaves has its text redacted. */
export function storageHandlers(workspaces: Workspaces): StorageHandlers {
  const profile = () => workspaces.profile
  const read = <T>(workspace: string, work: (database: Database) => T): Promise<T> => workspaces.get(workspace).read(work)
  const stored = async (workspace: string | undefined): Promise<Map<string, string>> =>
    workspace === undefined ? new Map() : read(workspace, workspaceConfig)
  const clean = <T>(value: T): T => workspaces.redactor.value(value)

  /** Configuration is used as it is written, so a secret in it is refused instead of being blanked out. */
  const refuseSecrets = (value: unknown, what: string): void => {
    if (clean(value) === value) return
    throw new AppError({
      code: 'SECRET_IN_CONFIG',
      message: `${what} contains a key or token; keep it in the environment or the secret store and refer to it by name`,
      params: { what },
    })
  }

  const handlers: StorageHandlers = {
    openWorkspace: (input) => workspaces.open(input),
    createSample: ({ language }) => ({ path: profile().trust(makeSampleWorkspace(language)).path }),
    closeWorkspace: async ({ workspace }) => {
      await workspaces.close(workspace)
      return {}
    },
    banners: () => ({ banners: workspaces.banners() }),

    appendEvents: ({ workspace, events }, { signal }) => workspaces.get(workspace).appendEvents(clean(events), signal),
    savePartial: async ({ workspace, partial }, { signal }) => {
      await workspaces.get(workspace).savePartial(clean(partial), signal)
      return {}
    },
    clearPartial: async ({ workspace, sessionId }, { signal }) => {
      await workspaces.get(workspace).clearPartial(sessionId, signal)
      return {}
    },
    readPartials: async ({ workspace, sessionId }) => ({
      partials: await read(workspace, (database) => readPartials(database, sessionId)),
    }),
    readEvents: async ({ workspace, sessionId, fromSeq, limit }) => ({
      events: await read(workspace, (database) => readEvents(database, sessionId, fromSeq, limit)),
    }),
    listSessions: async ({ workspace }) => ({ sessions: await read(workspace, (database) => listSessions(database, workspace)) }),
    unfinishedSessions: async ({ workspace }) => ({ sessionIds: await workspaces.get(workspace).unfinished() }),
    searchMessages: async ({ workspace, query, limit }) => ({
      hits: await read(workspace, (database) => searchMessages(database, query, Math.min(Math.max(limit, 0), 1000))),
    }),
    readUsage: async ({ workspace, ...query }) => ({ entries: await read(workspace, (database) => readUsage(database, workspace, query)) }),
    readWorkspaceFile: ({ workspace, name }) => readWorkspaceFile(workspaces.get(workspace).layout.root, name),
    writeWorkspaceFile: async ({ workspace, name, content, basedOn }) => {
      const open = workspaces.get(workspace)
      if (open.readOnly)
        throw new AppError({ code: 'WORKSPACE_READ_ONLY', message: `${workspace} is open for reading only`, params: { path: workspace } })
      const write = (): WorkspaceFile => {
        const written = writeWorkspaceFile(open.layout.root, name, content, basedOn)
        workspaces.agreed.saved(open.layout.root, name, content)
        return written
      }
      if (name !== 'MEMORY.md') return write()
      const { memoryFileOf } = await import('./memory/memory-files.ts')
      return memoryFileOf(workspaces, open).exclusively(write)
    },
    judgeFiles: ({ workspace, files }) => ({ verdicts: workspaces.agreed.judge(workspaces.get(workspace).layout.root, files) }),
    changedFiles: async ({ workspace }) => {
      const path = realFolderOr(workspace)
      return { files: profile().isTrusted(path) || workspaces.find(path) !== undefined ? await workspaces.agreed.changes(path) : [] }
    },
    answerFile: (answer) => {
      workspaces.agreed.answer({ ...answer, workspace: realFolderOr(answer.workspace) })
      return {}
    },
    agreeToWritten: ({ workspace, ...written }) => {
      workspaces.agreed.approved(workspaces.get(workspace).layout.root, written)
      return {}
    },
    deleteSession: async ({ workspace, sessionId }, { signal }) => {
      await deleteSession(workspaces.get(workspace), workspaces.tracesOf(workspace), profile(), sessionId, signal)
      return {}
    },
    writeTrace: async ({ workspace, name, json }) => {
      const open = workspaces.get(workspace)
      const quota = effectiveEntry('logging.traceQuotaMiB', profile().config(), await read(workspace, workspaceConfig)).value
      if (!open.readOnly)
        await workspaces
          .tracesOf(workspace)
          .write(name, workspaces.redactor.text(json), (typeof quota === 'number' ? quota : 200) * 1024 * 1024)
      return {}
    },
    readTraces: async ({ workspace, sessionId, limit }) => ({ traces: await workspaces.tracesOf(workspace).read(sessionId, limit) }),
    syncLog: async ({ workspace, sessionId }) => {
      const open = workspaces.get(workspace)
      await open.keeper.sync(sessionId)
      if (!open.readOnly) workspaces.saveHeadsNowAndThen(open)
      return {}
    },

    saveTokenCounts: async ({ workspace, sessionId, counts }, { signal }) => {
      await workspaces.get(workspace).saveTokenCounts(sessionId, counts, signal)
      return {}
    },
    readTokenCounts: async ({ workspace, sessionId }) => ({
      counts: await read(workspace, (database) => readTokenCounts(database, sessionId)),
    }),
    saveModelAccount: ({ account }) => {
      profile().saveModelAccount(account)
      return {}
    },
    listModelAccounts: () => ({ accounts: profile().modelAccounts() }),

    configList: async ({ workspace }) => ({ entries: effectiveConfig(profile().config(), await stored(workspace)) }),
    configValues: async ({ workspace }) => ({
      values: effectiveValues(profile().config(), await stored(workspace)),
      profileVersion: profile().version,
    }),
    configSet: async ({ workspace, key, value }, { signal }) => {
      refuseSecrets(value, key)
      const text = checkedValue(key, value, profile().config(), workspace !== undefined)
      const { category } = keyOf(key)
      if (workspace === undefined) profile().setConfig(key, text, category)
      else await workspaces.get(workspace).record({ event: 'config_set', key, value: text, category }, signal)
      return effectiveEntry(key, profile().config(), await stored(workspace))
    },
    configSetDomain: (input) => {
      const changed = setAllowedDomain(profile(), input)
      return { changed, entry: effectiveEntry(SANDBOX_NETWORK, profile().config(), new Map()) }
    },
    trustAdd: async ({ path }) => {
      const root = realFolder(path)
      const known = profile().isTrusted(root)
      const entry = profile().trust(root)
      // Once trusted, what changed since is answered file by file, as it was shown: others may have come that nobody saw.
      if (!known) await workspaces.agreed.agreeToAll(entry.path)
      return entry
    },
    trustRemove: ({ path }) => ({ removed: profile().distrust(path) || profile().distrust(realFolderOr(path)) }),
    trustList: () => ({ entries: profile().trusted() }),
    grantAdd: (key) => {
      refuseSecrets(key.prefix, 'the command')
      return profile().grant({ ...key, workspace: realFolder(key.workspace) })
    },
    grantCovers: (key) => ({ covered: profile().isGranted({ ...key, workspace: realFolder(key.workspace) }) }),
    grantList: ({ workspace }) => ({ grants: profile().grants(workspace === undefined ? undefined : realFolderOr(workspace)) }),
    grantRemove: ({ id }) => ({ removed: profile().revoke(id) }),
    pageStateRead: ({ prefix }) => ({ entries: profile().pageState.read(prefix) }),
    pageStateWrite: ({ key, value }) => {
      profile().pageState.write(key, value)
      return {}
    },
    recentWorkspaces: () => ({
      workspaces: profile()
        .recent()
        .map((recent) => ({ ...recent, trusted: profile().isTrusted(recent.path) })),
    }),

    setSecrets: ({ secrets }) => {
      workspaces.addSecrets(secrets)
      return {}
    },
    providerSettingsList: () => ({ providers: profile().providers() }),
    providerSettingsSet: ({ provider, baseUrl }) => {
      refuseSecrets(baseUrl, 'the base URL')
      profile().setProvider(provider, baseUrl)
      return {}
    },
    keyPlaces: () => ({ places: profile().keyPlaces() }),
    keyPlaceSet: ({ provider, place }) => {
      profile().setKeyPlace(provider, place)
      return {}
    },
    mcpList: async ({ workspace }) => {
      const { servers, unreadable } = await read(workspace, listServers)
      const ids = unreadable.join(', ')
      const { banners } = workspaces.get(workspace)
      if (ids === '') banners.clear('MCP_UNREADABLE')
      else banners.set('warning', 'MCP_UNREADABLE', `MCP entries that cannot be read are left out: ${ids}`, { ids })
      return { servers }
    },
    mcpSet: async ({ workspace, server }, { signal }) => {
      refuseSecrets(server, `the MCP entry ${server.name}`)
      if ((await read(workspace, listServers)).servers.some((other) => other.name === server.name && other.id !== server.id)) {
        throw new AppError({
          code: 'NAME_TAKEN',
          message: `there is another MCP entry named ${server.name}`,
          params: { name: server.name },
        })
      }
      await workspaces.get(workspace).record({ event: 'mcp_set', server }, signal)
      return {}
    },
    mcpRemove: async ({ workspace, id }, { signal }) => {
      if (!(await read(workspace, (database) => hasServer(database, id)))) return { removed: false }
      await workspaces.get(workspace).record({ event: 'mcp_removed', id }, signal)
      return { removed: true }
    },
    mcpApprovals: ({ workspace }) => ({
      approvals: profile()
        .mcpApprovals(workspace)
        .map((text) => McpApprovalSchema.safeParse(JSON.parse(text)))
        // One that another version wrote and this one cannot read counts as not given.
        .flatMap((parsed) => (parsed.success ? [parsed.data] : [])),
    }),
    mcpApprovalSet: ({ workspace, approval }) => {
      profile().setMcpApproval(workspace, approval.serverId, JSON.stringify(approval))
      return {}
    },
    mcpApprovalRemove: ({ workspace, id }) => ({ removed: profile().removeMcpApproval(workspace, id) }),

    ...lazyMemoryHandlers(workspaces),

    verify: ({ path }) => verify(workspaces, realFolder(path)),
    rebuild: ({ path }) => rebuild(workspaces, realFolder(path)),
    health: () => ({ threadId, ...workspaces.health(), thread: threadHealth() }),
  }
  return redactedErrors(handlers, workspaces)
}

function realFolderOr(path: string): string {
  try {
    return realFolder(path)
  } catch (error) {
    // A folder that is gone can still be struck off the list, under the name it had.
    if (error instanceof AppError) return path
    throw error
  }
}

function redactedErrors(handlers: StorageHandlers, workspaces: Workspaces): StorageHandlers {
  type AnyHandler = (input: unknown, context: unknown) => unknown
  const wrap =
    (handler: AnyHandler): AnyHandler =>
    async (input, context) => {
      try {
        return await handler(input, context)
      } catch (thrown) {
        const data = workspaces.redactor.value(toErrorData(thrown))
        throw new AppError(data.code === WireErrorCode.INTERNAL ? { ...data, message: `storage: ${data.message}` } : data)
      }
    }
  return Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [name, wrap(handler as AnyHandler)]),
  ) as unknown as StorageHandlers
}
