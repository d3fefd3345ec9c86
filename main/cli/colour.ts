/** Whether escape sequences are wanted on an output (https://no-color.org). */
import type { Output } from './output.ts'

export function wantsColour(output: Output, environment: NodeJS.ProcessEnv): boolean {
  return output.isTerminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb'
}
