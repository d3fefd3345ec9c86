/**
 * One of the four files of a folder while it is edited. What is typed is never lost: a file that was changed on disk
 * meanwhile is shown beside it, and the person chooses; leaving the page keeps the draft.
 */
import { WorkspaceFileSchema, type WorkspaceFile, type WorkspaceFileName } from '#contracts/workspace/workspace-file.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export interface EditedFile {
  readonly workspace: string
  readonly name: WorkspaceFileName
  /** As last read or written. */
  readonly stored: WorkspaceFile
  readonly text: string
  /** What is on disk now, where that is neither what was read nor what is typed. */
  readonly foreign?: WorkspaceFile
  readonly saving: boolean
  readonly savedAt?: number
  readonly problem?: Problem
}

const keyOf = (workspace: string, name: string): string => `${workspace}\n${name}`

export const useWorkspaceFilesStore = defineStore('workspace-files', () => {
  const connection = useConnectionStore()
  const files = shallowRef<ReadonlyMap<string, EditedFile>>(new Map())
  const problems = shallowRef<ReadonlyMap<string, Problem>>(new Map())

  const find = (workspace: string, name: WorkspaceFileName): EditedFile | undefined => files.value.get(keyOf(workspace, name))
  const problemOf = (workspace: string, name: WorkspaceFileName): Problem | undefined => problems.value.get(keyOf(workspace, name))
  const put = (file: EditedFile): void => void (files.value = new Map(files.value).set(keyOf(file.workspace, file.name), file))
  const isChanged = (file: EditedFile): boolean => file.text !== file.stored.content

  /** Reads the file; one with a draft keeps it and is told apart from what is on disk now. */
  async function open(workspace: string, name: WorkspaceFileName): Promise<void> {
    const key = keyOf(workspace, name)
    try {
      const now = await connection.call('workspaceFiles.read', { workspace, name })
      const before = find(workspace, name)
      problems.value = new Map([...problems.value].filter(([other]) => other !== key))
      if (before === undefined || !isChanged(before)) put({ workspace, name, stored: now, text: now.content, saving: false })
      else if (now.hash !== before.stored.hash) put({ ...before, foreign: now })
    } catch (error) {
      problems.value = new Map(problems.value).set(key, toProblem(error))
    }
  }

  function type(file: EditedFile, text: string): void {
    const { savedAt: _savedAt, ...rest } = find(file.workspace, file.name) ?? file
    put({ ...rest, text })
  }

  async function save(workspace: string, name: WorkspaceFileName): Promise<void> {
    const file = find(workspace, name)
    if (file === undefined || file.saving) return
    const { problem: _problem, ...clean } = file
    put({ ...clean, saving: true })
    const written = file.text
    try {
      const stored = await connection.call('workspaceFiles.write', { workspace, name, content: written, basedOn: file.stored.hash })
      const { foreign: _foreign, ...now } = find(workspace, name) ?? clean
      put({ ...now, stored, saving: false, savedAt: Date.now() })
    } catch (error) {
      const problem = toProblem(error)
      const now = find(workspace, name) ?? clean
      const foreign = problem.code === 'FILE_CHANGED' ? WorkspaceFileSchema.safeParse(problem.details).data : undefined
      put({ ...now, saving: false, ...(foreign === undefined ? { problem } : { foreign }) })
    }
  }

  /** The person's answer to a foreign change: with `mine` the next save goes over what was seen, else it replaces the draft. */
  function settle(file: EditedFile, keep: 'mine' | 'theirs'): void {
    const { foreign, ...rest } = file
    if (foreign === undefined) return
    put({ ...rest, stored: foreign, text: keep === 'mine' ? file.text : foreign.content })
  }

  return { files, find, problemOf, isChanged, open, type, save, settle }
})
