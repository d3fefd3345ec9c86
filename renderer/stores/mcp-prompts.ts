/** Prompts of the MCP servers of a folder: asked for when a person begins a command, kept until they begin the next one. */
import type { McpPrompt, McpPromptText } from '#contracts/tools/mcp-prompt.ts'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { useConnectionStore } from './connection.ts'

/** Milliseconds a list is good for while letters are typed. */
const FRESH_MS = 5_000

export const useMcpPromptsStore = defineStore('mcp-prompts', () => {
  const connection = useConnectionStore()
  const prompts = shallowRef<readonly McpPrompt[]>([])
  let of: string | undefined
  let askedAt = -Infinity
  let asking: Promise<void> | undefined

  /** Never rejects: without a list the person types a message like any other. */
  async function load(workspace: string): Promise<void> {
    if (of !== workspace) prompts.value = []
    else if (asking !== undefined) return asking
    else if (performance.now() - askedAt < FRESH_MS) return undefined
    of = workspace
    asking = connection
      .call('mcp.prompts', { workspace })
      .then(
        (found) => {
          if (of !== workspace) return
          prompts.value = found.prompts
        },
        () => undefined,
      )
      .finally(() => {
        if (of !== workspace) return
        asking = undefined
        // After a failure as well: it would fail again at the next letter.
        askedAt = performance.now()
      })
    return asking
  }

  const find = (workspace: string | undefined, word: string): McpPrompt | undefined =>
    of === workspace ? prompts.value.find((prompt) => prompt.word === word) : undefined

  const fill = (
    workspace: string,
    { server, name }: McpPrompt,
    given: Record<string, string>,
    signal: AbortSignal,
  ): Promise<McpPromptText> => connection.call('mcp.getPrompt', { workspace, id: server.id, prompt: name, arguments: given }, { signal })

  /** Empty where there is nothing to suggest. */
  async function complete(
    workspace: string,
    { server, name }: McpPrompt,
    argument: string,
    given: Record<string, string>,
  ): Promise<readonly string[]> {
    const { [argument]: value = '', ...others } = given
    try {
      return (await connection.call('mcp.complete', { workspace, id: server.id, prompt: name, argument, value, arguments: others })).values
    } catch {
      // A help that is not to be had; the field takes whatever is typed.
      return []
    }
  }

  return { prompts, load, find, fill, complete }
})
