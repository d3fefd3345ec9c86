/** Names that decide what other programs do, or hold secrets: writing or reading them is refused or asked. */

import type { ApprovalReasonCode } from '#contracts/tools/approval-reasons.ts'

/** A refusal's reason is for the model. */
export type Protection =
  | { readonly level: 'refuse'; readonly reason: string }
  | { readonly level: 'ask'; readonly code: ApprovalReasonCode }

/** Pattern over the folded path, segments joined by `/`. The first that fits counts. */
type Rule = Protection & { readonly pattern: RegExp }

const WRITE_RULES: readonly Rule[] = [
  { pattern: /(^|\/)(\.metona|metona~\d)(\/|$)/, level: 'refuse', reason: 'it belongs to the app itself' },
  { pattern: /(^|\/)(\.git|git~\d)(\/|$)/, level: 'refuse', reason: 'it is inside .git, where files run programs; use git commands' },
  { pattern: /^logs\/(session_s_[^/]*|workspace)\.jsonl$/, level: 'refuse', reason: 'it is a log the app keeps' },
  { pattern: /^traces\/trace_s_[^/]*\.json$/, level: 'refuse', reason: 'it is a trace the app keeps' },
  { pattern: /(^|\/)(agents|claude|gemini|soul|memory|users)\.md$/, level: 'ask', code: 'instructs_agents' },
  {
    pattern: /(^|\/)(\.mcp\.json|\.cursor|\.vscode|\.idea|\.claude|\.codex|\.zed|\.windsurf|\.continue)(\/|$)|\.code-workspace$/,
    level: 'ask',
    code: 'configures_programs',
  },
  { pattern: /(^|\/)\.git(attributes|modules)$/, level: 'ask', code: 'changes_git' },
  { pattern: /(^|\/)\.env[^/]*$|(^|\/)\.envrc$/, level: 'ask', code: 'may_hold_secrets' },
  {
    pattern: /(^|\/)(\.npmrc|\.yarnrc[^/]*|\.pnpmfile\.cjs|\.pypirc|pip\.conf|\.netrc|\.curlrc|\.wgetrc|\.ripgreprc)$/,
    level: 'ask',
    code: 'package_sources',
  },
  { pattern: /(^|\/)package\.json$/, level: 'ask', code: 'package_scripts' },
  {
    pattern:
      /(^|\/)(\.github\/(workflows|actions)|\.gitlab-ci\.yml|\.circleci|\.husky|\.pre-commit-config\.yaml|jenkinsfile|azure-pipelines\.yml)(\/|$)/,
    level: 'ask',
    code: 'runs_in_ci',
  },
  {
    pattern: /(^|\/)\.(bash[^/]*|zsh[^/]*|zprofile|zlogin|profile|inputrc|login|cshrc|kshrc|tmux\.conf|vimrc|exrc|gdbinit|lldbinit)$/,
    level: 'ask',
    code: 'runs_at_start',
  },
  { pattern: /(^|\/)(\.ssh|\.gnupg|\.aws|\.kube|\.docker)(\/|$)/, level: 'ask', code: 'holds_credentials' },
]

const READ_RULES: readonly Rule[] = [
  {
    pattern: /(^|\/)\.env(\.(?!example$|sample$|template$|dist$|defaults$)[^/]*)?$|(^|\/)\.envrc$/,
    level: 'ask',
    code: 'may_hold_secrets',
  },
  {
    pattern:
      /(^|\/)(\.ssh|\.gnupg|\.aws|\.kube)(\/|$)|(^|\/)id_(rsa|dsa|ecdsa|ed25519)[^/.]*$|\.(pem|p12|pfx|keystore|jks|kdbx)$|(^|\/)(\.netrc|\.pypirc|\.git-credentials)$/,
    level: 'ask',
    code: 'holds_credentials',
  },
]

/** `segments` are the names below the workspace, in order. */
export function protectionOf(segments: readonly string[], use: 'read' | 'write'): Protection | undefined {
  const folded = segments.map(foldName).join('/')
  return (use === 'write' ? WRITE_RULES : READ_RULES).find((candidate) => candidate.pattern.test(folded))
}

/**
 * One spelling for all that some file system takes for the same name: case, compatibility and
 * composed forms, trailing dots and spaces, characters that file systems ignore.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/[\u00ad\u034f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u206a-\u206f\ufe00-\ufe0f\ufeff]/gu, '')
    .replace(/:.*$/, '')
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[. ]+$/, (tail, at: number) => (at === 0 ? tail : ''))
}
