/** The environment of a command: an allowlist of the app's own, and settings under which nothing can wait for an answer. */
import { delimiter, isAbsolute } from 'node:path'

/** Names that are passed on when set. Keys, tokens and loader variables are not among them and never pass. */
const PASSED = new Set(
  (
    'HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR TEMP TMP XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR ' +
    'SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA ProgramData ProgramFiles NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE ' +
    'JAVA_HOME GOPATH GOROOT GOBIN CARGO_HOME RUSTUP_HOME PYENV_ROOT NVM_DIR VOLTA_HOME PNPM_HOME BUN_INSTALL CONDA_PREFIX VIRTUAL_ENV ANDROID_HOME DOTNET_ROOT ' +
    'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy SSL_CERT_FILE SSL_CERT_DIR SSH_AUTH_SOCK'
  ).split(' '),
)

const FIXED: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  SYSTEMD_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  // An editor that opens would wait for ever; one that fails says so.
  EDITOR: 'false',
  VISUAL: 'false',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  DEBIAN_FRONTEND: 'noninteractive',
  PIP_NO_INPUT: '1',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
  HOMEBREW_NO_AUTO_UPDATE: '1',
  PYTHONIOENCODING: 'utf-8',
}

/**
 * @param source the app's environment.
 * @param searchPath the PATH to use, as the user's login shell has it.
 * @param workspace programs inside it, and relative entries, are taken out of PATH: a file of the project must not stand in for a system program.
 */
export function commandEnvironment(
  source: Readonly<Record<string, string | undefined>>,
  searchPath: string,
  workspace: string,
): Record<string, string> {
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(source)) {
    if (value !== undefined && (PASSED.has(name) || name.startsWith('LC_'))) environment[name] = value
  }
  if (process.platform !== 'win32' && environment['LANG'] === undefined && environment['LC_ALL'] === undefined)
    environment['LANG'] = 'C.UTF-8'
  return { ...environment, ...FIXED, PATH: safeSearchPath(searchPath, workspace) }
}

export function safeSearchPath(searchPath: string, workspace: string): string {
  const entries = searchPath
    .split(delimiter)
    .filter(
      (entry) => isAbsolute(entry) && entry !== workspace && !entry.startsWith(`${workspace}/`) && !entry.startsWith(`${workspace}\\`),
    )
  return [...new Set(entries)].join(delimiter) || (process.platform === 'win32' ? 'C:\\Windows\\System32' : '/usr/local/bin:/usr/bin:/bin')
}
