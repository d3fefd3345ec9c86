/** Files that speak to the model and are not as the person agreed, per folder. Looked at when asked, and whenever the app says that some changed. */
import type { ChangedFile } from '#contracts/workspace/agreed-file.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'
import { toProblem, type Problem } from './to-problem.ts'

export const useChangedFilesStore = defineStore('changed-files', () => {
  const connection = useConnectionStore()
  const byFolder = shallowRef<ReadonlyMap<string, readonly ChangedFile[]>>(new Map())
  const problem = shallowRef<Problem>()
  const busy = shallowRef<string>()

  const of = (workspace: string): readonly ChangedFile[] => byFolder.value.get(workspace) ?? []

  async function load(workspace: string): Promise<void> {
    problem.value = undefined
    try {
      const { files } = await connection.call('workspaceFiles.changes', { workspace })
      byFolder.value = new Map(byFolder.value).set(workspace, files)
    } catch (error) {
      problem.value = toProblem(error)
    }
  }

  /** One that changed again since it was shown is shown anew. */
  async function answer(workspace: string, { name, hash }: ChangedFile, decision: 'take' | 'keep'): Promise<void> {
    busy.value = name
    let failure: Problem | undefined
    try {
      await connection.call('workspaceFiles.answer', { workspace, name, hash, decision })
    } catch (error) {
      failure = toProblem(error)
    }
    await load(workspace)
    problem.value ??= failure
    busy.value = undefined
  }

  return { problem, busy, of, load, answer }
})
