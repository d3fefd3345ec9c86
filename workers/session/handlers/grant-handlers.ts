/** Permanent permissions: shown and taken back. They are given by `session.answer`. */
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function grantHandlers({ services }: HandlerParts): HandlersOf<'grants'> {
  return {
    'grants.list': async (input) => services.storage.ask((storage) => storage.grantList(input)),
    'grants.remove': async (input) => (await services.storage.client()).grantRemove(input),
  }
}
