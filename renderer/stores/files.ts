/** Files a person names in a message: found by a few letters, or brought along. */
import type { FoundFiles } from '#contracts/tools/workspace-files.ts'
import { defineStore } from 'pinia'
import { useConnectionStore } from './connection.ts'

export const useFilesStore = defineStore('files', () => {
  const connection = useConnectionStore()

  const find = (workspace: string, query: string, limit: number, signal: AbortSignal): Promise<FoundFiles> =>
    connection.call('files.find', { workspace, query, limit }, { signal })

  /** Writes a file into the folder; resolves with its path there. */
  async function keep(workspace: string, name: string, base64: string): Promise<string> {
    return (await connection.call('files.keep', { workspace, name, base64 })).path
  }

  return { find, keep }
})
