/** Memories, as a person sees and changes them. */
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function memoryHandlers({ workspaces }: HandlerParts): HandlersOf<'memory'> {
  return {
    'memory.list': async (input) => (await workspaces.open(input.workspace)).memoryList(input),
    'memory.add': async (input) => (await workspaces.open(input.workspace)).memoryAdd(input),
    'memory.update': async (input) => (await workspaces.open(input.workspace)).memoryUpdate(input),
    'memory.delete': async (input) => (await workspaces.open(input.workspace)).memoryDelete(input),
    'memory.search': async (input) => (await workspaces.open(input.workspace)).memorySearch(input),
    'memory.recalls': async (input) => (await workspaces.open(input.workspace)).memoryRecalls(input),
    'memory.file': async (input) => (await workspaces.open(input.workspace)).memoryFileRead(input),
    'memory.changeFile': async (input) => (await workspaces.open(input.workspace)).memoryFileChange(input),
  }
}
