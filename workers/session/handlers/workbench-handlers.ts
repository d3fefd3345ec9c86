/** The four files of a workspace, what was used, and what the page keeps. */
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function workbenchHandlers({ services, workspaces }: HandlerParts): HandlersOf<'workspaceFiles' | 'usage' | 'page'> {
  return {
    'workspaceFiles.read': async (input) => (await services.storage.client()).readWorkspaceFile(input),
    'workspaceFiles.changes': async (input) => services.storage.ask((storage) => storage.changedFiles(input)),
    'workspaceFiles.answer': async (input) => {
      await (await services.storage.client()).answerFile(input)
      services.agreements.answered()
      return {}
    },
    'workspaceFiles.write': async (input) => {
      const file = await (await services.storage.client()).writeWorkspaceFile(input)
      services.agreements.answered()
      return file
    },
    'page.read': async (input) => (await services.storage.client()).pageStateRead(input),
    'page.write': async (input) => (await services.storage.client()).pageStateWrite(input),
    'usage.read': async ({ workspace, ...query }) => {
      const paths = workspace === undefined ? workspaces.paths : [workspace]
      const found = await Promise.all(
        paths.map((path) => workspaces.ask(path, (storage) => storage.readUsage({ workspace: path, ...query }))),
      )
      return {
        entries: found
          .flatMap(({ entries }) => entries)
          .toSorted((left, right) => (left.day < right.day ? 1 : left.day > right.day ? -1 : 0)),
      }
    },
  }
}
