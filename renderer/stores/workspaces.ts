/** Which folders are open, which were, and the question of trust. */
import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import * as z from 'zod'
import { useConnectionStore } from './connection.ts'
import { recall, remember } from './local-state.ts'
import { usePageStateStore } from './page-state.ts'
import { toProblem, type Problem } from './to-problem.ts'

export interface OpenWorkspace {
  readonly path: string
  readonly readOnly: boolean
}

/** A folder the person must decide about before anything of it is read. */
export interface TrustQuestion {
  readonly path: string
  /** Names of files in it that would influence an agent, as far as the host told. */
  readonly found: readonly string[]
  /** Names of what opening it would make. */
  readonly creates: readonly string[]
  /** `/`, the home folder or a network folder: trusting it is unusual. */
  readonly unusual: boolean
}

const FactsSchema = z.object({
  found: z.array(z.string()).default([]),
  creates: z.array(z.string()).default([]),
  special: z.string().optional(),
})

const PathsSchema = z.array(z.string())
/** Where the open folders are kept. */
const OPEN = 'workspaces'

export const useWorkspacesStore = defineStore('workspaces', () => {
  const connection = useConnectionStore()
  const page = usePageStateStore()
  const open = shallowRef<readonly OpenWorkspace[]>([])
  const recent = shallowRef<readonly { path: string; openedAt: string; trusted: boolean }[]>([])
  const current = ref<string | undefined>(recall('workspace', z.string()))
  const question = shallowRef<TrustQuestion>()
  const problem = shallowRef<Problem>()
  /** Files made from templates when a folder was first opened; announced once. */
  const created = shallowRef<{ workspace: string; files: readonly string[] }>()
  const restored = ref(false)
  const opening = ref(false)

  connection.onReady(restore)

  /** Takes up the folders of the last visit. One that cannot be opened is left out; opening it by hand says why. */
  async function restore(): Promise<void> {
    try {
      recent.value = (await connection.call('workspace.recent', {})).workspaces
    } catch (error) {
      problem.value = toProblem(error)
    }
    const remembered = await rememberedPaths()
    const trusted = recent.value.filter((entry) => entry.trusted).map((entry) => entry.path)
    const wanted = new Set([...open.value.map((entry) => entry.path), ...remembered, ...trusted.slice(0, 1)])
    for (const path of wanted) {
      try {
        const answer = await connection.call('workspace.open', { path, waitMs: 0 })
        put({ path: answer.workspace, readOnly: answer.readOnly })
      } catch {
        // A folder of the last visit that is gone, no longer trusted or in use elsewhere is simply not open.
        open.value = open.value.filter((entry) => entry.path !== path)
      }
    }
    if (current.value !== undefined && !open.value.some((entry) => entry.path === current.value)) select(open.value[0]?.path)
    else if (current.value === undefined) select(open.value[0]?.path)
    restored.value = true
  }

  async function rememberedPaths(): Promise<readonly string[]> {
    try {
      return PathsSchema.parse(JSON.parse((await page.read(OPEN)).get('') ?? '[]'))
    } catch {
      // Where they cannot be read, the newest trusted folder is opened all the same.
      return []
    }
  }

  function keepPaths(): void {
    page.write(OPEN, JSON.stringify(open.value.map((entry) => entry.path)))
  }

  /** Opens a folder for work. An untrusted one turns into `question`; any other failure into `problem`. */
  async function openFolder(path: string): Promise<boolean> {
    return attempt(path, async () => {
      const answer = await connection.call('workspace.open', { path })
      return { path: answer.workspace, readOnly: answer.readOnly, files: answer.created }
    })
  }

  /** The person's answer to `question`: keeps the trust in the profile, then opens. */
  async function trustAndOpen(): Promise<boolean> {
    const asked = question.value
    if (asked === undefined) return false
    return attempt(asked.path, async () => {
      await connection.call('trust.add', { path: asked.path })
      const answer = await connection.call('workspace.open', { path: asked.path })
      return { path: answer.workspace, readOnly: answer.readOnly, files: answer.created }
    })
  }

  /** Looks only: no lock, nothing runs, no session can start. */
  async function openReadOnly(): Promise<boolean> {
    const asked = question.value
    if (asked === undefined) return false
    return attempt(asked.path, async () => {
      const answer = await connection.call('workspace.open', { path: asked.path, mode: 'read' })
      return { path: answer.workspace, readOnly: answer.readOnly, files: answer.created }
    })
  }

  /** The demonstration's folder, made by the host where it is missing. */
  async function openSample(language: 'zh' | 'en'): Promise<string | undefined> {
    let path: string | undefined
    const done = await attempt('', async () => {
      path = (await connection.call('workspace.sample', { language })).path
      const answer = await connection.call('workspace.open', { path })
      path = answer.workspace
      return { path: answer.workspace, readOnly: answer.readOnly, files: [] }
    })
    return done ? path : undefined
  }

  async function attempt(path: string, run: () => Promise<OpenWorkspace & { files: readonly string[] }>): Promise<boolean> {
    opening.value = true
    problem.value = undefined
    try {
      const opened = await run()
      put({ path: opened.path, readOnly: opened.readOnly })
      question.value = undefined
      if (opened.files.length > 0) created.value = { workspace: opened.path, files: opened.files }
      select(opened.path)
      return true
    } catch (error) {
      const failure = toProblem(error)
      if (failure.code === 'UNTRUSTED' || failure.code === 'NEEDS_STORED_TRUST') {
        const { found, creates, special } = FactsSchema.safeParse(failure.details).data ?? { found: [], creates: [] }
        // The real path, as the host resolved it: that is what would be trusted.
        const real = String(failure.params?.['path'] ?? path)
        question.value = { path: real, found, creates, unusual: failure.code === 'NEEDS_STORED_TRUST' || special !== undefined }
      } else problem.value = failure
      return false
    } finally {
      opening.value = false
    }
  }

  function put(workspace: OpenWorkspace): void {
    const known = open.value.some((entry) => entry.path === workspace.path)
    open.value = known ? open.value.map((entry) => (entry.path === workspace.path ? workspace : entry)) : [...open.value, workspace]
    keepPaths()
  }

  async function close(path: string): Promise<void> {
    await connection.call('workspace.close', { workspace: path })
    open.value = open.value.filter((entry) => entry.path !== path)
    keepPaths()
    if (current.value === path) select(open.value[0]?.path)
  }

  function select(path: string | undefined): void {
    current.value = path
    if (path !== undefined) remember('workspace', path)
  }

  function dismiss(): void {
    question.value = undefined
    problem.value = undefined
  }

  const currentWorkspace = computed(() => open.value.find((entry) => entry.path === current.value))
  return {
    open,
    recent,
    current,
    currentWorkspace,
    question,
    problem,
    created,
    restored,
    opening,
    openFolder,
    trustAndOpen,
    openReadOnly,
    openSample,
    close,
    select,
    dismiss,
  }
})
