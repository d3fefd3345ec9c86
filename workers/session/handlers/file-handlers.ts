/** Files a person names. Only of folders that are open for writing: those are trusted. */
import { AppError } from '#contracts/wire/app-error.ts'
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function fileHandlers({ services, workspaces }: HandlerParts): HandlersOf<'files'> {
  const requireTrusted = (workspace: string): void => {
    const open = workspaces.find(workspace)
    if (open === undefined)
      throw new AppError({ code: 'WORKSPACE_NOT_OPEN', message: `${workspace} is not open`, params: { path: workspace } })
    if (open.mode !== 'write')
      throw new AppError({ code: 'WORKSPACE_READ_ONLY', message: `${workspace} is open for reading only`, params: { path: workspace } })
  }
  return {
    'files.find': async (input, { signal }) => {
      requireTrusted(input.workspace)
      return services.tools.ask((tools) => tools.findPaths(input, { signal }))
    },
    'files.keep': async (input) => {
      requireTrusted(input.workspace)
      return (await services.tools.client()).keepFile(input)
    },
  }
}
