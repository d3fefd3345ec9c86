import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { WORKSPACE_FILES } from '#contracts/workspace/workspace-file.ts'

/** What a person should know before trusting a folder. Names only: nothing in it is opened. */
export interface TrustFacts {
  /** Files that would influence an agent, or hold secrets. */
  readonly found: string[]
  /** What opening it would make. */
  readonly creates: string[]
  /** `/`, the home folder or a network folder. */
  readonly special?: string
}

/** @param special as `specialFolder` calls it. */
export function trustFacts(root: string, special: string | undefined): TrustFacts {
  const isThere = (name: string): boolean => lstatSync(join(root, name), { throwIfNoEntry: false }) !== undefined
  return {
    found: [...WORKSPACE_FILES, '.metona/agent.db', ...secretFiles(root)].filter(isThere),
    creates: [...WORKSPACE_FILES, '.metona/', 'logs/', 'traces/'].filter((name) => !isThere(name)),
    ...(special === undefined ? {} : { special }),
  }
}

/** `.env` and its kin. A folder whose names cannot be listed has none to tell. */
function secretFiles(root: string): string[] {
  try {
    return readdirSync(root)
      .filter((name) => /^\.env(\.|$)/.test(name))
      .slice(0, 5)
  } catch {
    return []
  }
}
