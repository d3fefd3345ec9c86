/**
 * Names in the workspace's own folder that no command may make: other programs would obey or run what stands in
 * them. Each costs a mount, so names that need a further step of the person to take effect are not here: they are
 * read-only when they exist.
 */

export const SEALED_NAMES: readonly string[] = [
  '.metona',
  '.git',
  '.cursor',
  '.vscode',
  '.idea',
  '.claude',
  '.codex',
  '.github',
  '.husky',
  '.mcp.json',
  '.gitattributes',
  '.gitmodules',
  '.env',
  '.envrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pre-commit-config.yaml',
  '.bashrc',
  'AGENTS.md',
  'CLAUDE.md',
  'SOUL.md',
  'MEMORY.md',
  'USERS.md',
]

/** Names in a repository's `.git` by which it runs or reads something else. */
export const SEALED_GIT_NAMES: readonly string[] = ['config', 'hooks', 'modules', 'config.worktree', 'commondir']

/** In its `info`, where they exist: what git passes over, and how it treats files. */
export const HELD_INFO_NAMES: readonly string[] = ['exclude', 'attributes']

/** Folders of the app's records. */
export const RECORD_FOLDERS: readonly string[] = ['logs', 'traces']
