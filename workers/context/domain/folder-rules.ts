/** Which folders' AGENTS.md apply to a file that was touched. */
import type { MetonaMessage } from '#contracts/metona/metona-request.ts'

const MOST_DEPTH = 8
/** Other people's packages and hidden folders do not give orders. */
const FOREIGN = /^(\.|node_modules$|vendor$|third_party$|bower_components$|site-packages$)/

/**
 * Folders from the outermost to the innermost, the root left out (its file is in the system prompt).
 * @param path as a tool was given it: relative to the workspace, or absolute inside it.
 */
export function foldersOf(path: string, workspace: string): string[] {
  const slashed = path.replaceAll('\\', '/')
  const root = workspace.replaceAll('\\', '/').replace(/\/+$/, '')
  const relative = slashed.startsWith(`${root}/`) ? slashed.slice(root.length + 1) : slashed
  if (relative.startsWith('/') || /^[a-zA-Z]:/.test(relative)) return []
  const steps: string[] = []
  for (const step of relative.split('/')) {
    if (step === '' || step === '.') continue
    if (step === '..' || FOREIGN.test(step)) return []
    steps.push(step)
  }
  // The last step is a file, or a folder that a listing was asked of; either way its own AGENTS.md may exist.
  return steps.slice(0, MOST_DEPTH).map((_, index) => steps.slice(0, index + 1).join('/'))
}

/** Paths that the call behind this result named. */
export function pathsOfResult(result: MetonaMessage, history: readonly MetonaMessage[], at: number): string[] {
  const id = result.toolResult?.toolCallId
  if (id === undefined || result.toolResult?.success !== true) return []
  for (let index = at - 1; index >= 0 && index > at - 64; index--) {
    const call = history[index]?.toolCalls?.find((entry) => entry.id === id)
    if (call === undefined) continue
    return [call.args['file_path'], call.args['path']].filter((path) => typeof path === 'string')
  }
  return []
}
