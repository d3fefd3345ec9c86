/** What holds commands back on this machine. */
import type { HandlerParts, HandlersOf } from './create-handlers.ts'

export function sandboxHandlers({ services }: HandlerParts): HandlersOf<'sandbox'> {
  return { 'sandbox.read': () => services.tools.ask((tools) => tools.sandboxState({})) }
}
