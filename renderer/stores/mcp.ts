/** MCP servers of the folder in front: entries, approvals, live state. Looked at again and again while a page shows them. */
import type { McpServerInput } from '#contracts/session/mcp-commands.ts'
import type { McpLogLine, McpOptions, McpPermission, McpServerView } from '#contracts/tools/mcp-server.ts'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'
import { useWorkspacesStore } from './workspaces.ts'

/** Milliseconds between two looks while the page is open. */
const LOOK_MS = 1_000
const LOG_LINES = 1_000

export const useMcpStore = defineStore('mcp', () => {
  const connection = useConnectionStore()
  const workspaces = useWorkspacesStore()
  const servers = shallowRef<readonly McpServerView[]>()
  const problem = shallowRef<Problem>()
  /** What the last action on a server said, by its id. */
  const refusals = shallowRef<Readonly<Record<string, Problem>>>({})
  const busy = shallowRef<ReadonlySet<string>>(new Set())
  const logs = shallowRef<Readonly<Record<string, readonly McpLogLine[]>>>({})
  const watched = ref(0)
  const workspace = computed(() => workspaces.current)
  let timer: ReturnType<typeof setInterval> | undefined

  connection.onReady(async () => {
    if (watched.value > 0) await load()
  })
  watch(workspace, () => {
    servers.value = undefined
    logs.value = {}
    refusals.value = {}
    if (watched.value > 0) void load()
  })

  /** Looks until `unwatch`. */
  function watchServers(): void {
    watched.value += 1
    timer ??= setInterval(() => {
      if (connection.isOpen && connection.visible) void load()
    }, LOOK_MS)
    void load()
  }

  function unwatch(): void {
    watched.value -= 1
    if (watched.value > 0) return
    clearInterval(timer)
    timer = undefined
  }

  async function load(): Promise<void> {
    const path = workspace.value
    if (path === undefined) return
    try {
      const found = (await connection.call('mcp.list', { workspace: path })).servers
      if (path !== workspace.value) return
      if (JSON.stringify(found) !== JSON.stringify(servers.value)) servers.value = found
      problem.value = undefined
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  /** @returns whether it was done; what stood in the way is in `refusals`. */
  async function act(id: string, work: (path: string) => Promise<unknown>): Promise<boolean> {
    const path = workspace.value
    if (path === undefined || busy.value.has(id)) return false
    busy.value = new Set([...busy.value, id])
    refuse(id, undefined)
    try {
      await work(path)
      return true
    } catch (error) {
      refuse(id, toProblem(error))
      return false
    } finally {
      busy.value = new Set([...busy.value].filter((other) => other !== id))
      await load()
    }
  }

  function refuse(id: string, what: Problem | undefined): void {
    const { [id]: _before, ...others } = refusals.value
    refusals.value = what === undefined ? others : { ...others, [id]: what }
  }

  const add = (server: McpServerInput): Promise<boolean> => act('add', (path) => connection.call('mcp.add', { workspace: path, server }))

  /** @returns what was added and what could not be; undefined where nothing of it could be read. */
  async function importServers(
    json: string,
  ): Promise<{ added: number; problems: readonly { name: string; reason: string }[] } | undefined> {
    let outcome: { added: number; problems: { name: string; reason: string }[] } | undefined
    await act('add', async (path) => {
      const { added, problems } = await connection.call('mcp.import', { workspace: path, json })
      outcome = { added: added.length, problems }
    })
    return outcome
  }

  const on =
    <A extends unknown[]>(work: (path: string, id: string, ...rest: A) => Promise<unknown>) =>
    (id: string, ...rest: A): Promise<boolean> =>
      act(id, (path) => work(path, id, ...rest))
  const remove = on((path, id) => connection.call('mcp.remove', { workspace: path, id }))
  const enable = on((path, id, enabled: boolean) => connection.call('mcp.enable', { workspace: path, id, enabled }))
  const revoke = on((path, id) => connection.call('mcp.revoke', { workspace: path, id }))
  const test = on((path, id) => connection.call('mcp.test', { workspace: path, id }))
  const setTool = on((path, id, tool: string, permission: McpPermission) =>
    connection.call('mcp.setTool', { workspace: path, id, tool, permission }),
  )
  const setOptions = on((path, id, options: Partial<McpOptions>) => connection.call('mcp.setOptions', { workspace: path, id, options }))
  /** Agrees to what is shown: what it starts, or with `tools` what it offers. */
  const approve = (server: McpServerView, tools: boolean): Promise<boolean> =>
    act(server.entry.id, (path) =>
      connection.call('mcp.approve', {
        workspace: path,
        id: server.entry.id,
        launchHash: server.launchHash,
        ...(tools && server.toolsHash !== undefined ? { toolsHash: server.toolsHash } : {}),
      }),
    )

  async function readLog(id: string): Promise<void> {
    const path = workspace.value
    if (path === undefined) return
    const before = logs.value[id] ?? []
    try {
      const { lines } = await connection.call('mcp.log', { workspace: path, id, after: before.at(-1)?.number ?? 0 })
      if (lines.length > 0) logs.value = { ...logs.value, [id]: [...before, ...lines].slice(-LOG_LINES) }
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  return {
    servers,
    problem,
    refusals,
    busy,
    logs,
    workspace,
    watchServers,
    unwatch,
    load,
    add,
    importServers,
    remove,
    enable,
    revoke,
    test,
    setTool,
    setOptions,
    approve,
    readLog,
  }
})
