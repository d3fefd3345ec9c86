/** Opening, closing and trusting folders. */
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function workspaceHandlers({ services, workspaces, manager }: HandlerParts): HandlersOf<'workspace' | 'trust'> {
  const storage = () => services.storage.client()
  return {
    'workspace.open': async (input) => {
      const opening = workspaces.openWorkspace({ ...input, language: 'en' })
      if (input.mode === 'write') {
        // A session is about to start: have the threads up by the time the folder is.
        services.pool.warm('')
        void services.llm.client().catch((error: unknown) => services.context.log('error', `llm: ${String(error)}`))
      }
      const opened = await opening
      if (opened.mode === 'write' && !opened.readOnly) await manager.recover(opened.path)
      await manager.announce(opened.path, 'opened')
      return { workspace: opened.path, created: opened.created, readOnly: opened.readOnly }
    },
    'workspace.close': async ({ workspace }) => {
      await manager.closeWorkspace(workspace)
      try {
        await manager.announce(workspace, 'closed')
      } finally {
        await services.mcp.close(workspace).finally(() => workspaces.close(workspace))
      }
      return {}
    },
    'workspace.recent': async () => (await storage()).recentWorkspaces({}),
    'workspace.sample': async (input) => (await storage()).createSample(input),
    'trust.add': async (input) => {
      const entry = await (await storage()).trustAdd(input)
      services.agreements.answered()
      return entry
    },
    'trust.remove': async (input) => {
      const answer = await (await storage()).trustRemove(input)
      services.agreements.answered()
      await services.mcp.approvalsRemoved()
      return answer
    },
    'trust.list': async () => (await storage()).trustList({}),
  }
}
