/** Folders of the machine that a sandboxed command sees empty, and the tool chains in them that it sees after all. */
import { readdir, readFile, realpath } from 'node:fs/promises'
import { delimiter, isAbsolute, join, sep } from 'node:path'

export interface PrivatePlaces {
  /** Seen as empty folders, writable and gone with the command. */
  readonly hidden: string[]
  /** Read-only after all: what is at `source` is seen at `path`, below a hidden folder. */
  readonly visible: { source: string; path: string }[]
  /** Seen, and not writable where root could write them. */
  readonly readOnly: string[]
  /** Single files with keys, seen as nothing. */
  readonly masked: string[]
}

/** Homes, temporary folders, sockets of services, other people's disks. */
const FOREIGN = ['/media', '/mnt']
const HIDDEN = ['/tmp', '/var/tmp', '/run', '/home', '/root', '/var/lib/docker', '/var/spool', ...FOREIGN]
/** Programs count on being able to write there. */
const NEEDED = new Set(['/tmp', '/var/tmp'])
/** Settings of the whole machine. The kernel lets root's id write them without any capability, and namespaces do not change that id. */
const KERNEL_FILES = ['sys', 'sysrq-trigger', 'mtrr', 'irq', 'bus', 'acpi', 'scsi', 'fs', 'driver'].map((name) => `/proc/${name}`)
/** Only root could read these at all. */
const ROOTS_FILES = ['/etc/shadow', '/etc/gshadow', '/etc/shadow-', '/etc/gshadow-', '/etc/sudoers']
const ROOTS_FOLDERS = ['/etc/ssl/private', '/etc/ssh', '/etc/sudoers.d']

/** Where language tools of a user live, relative to the home folder: the parts of them where no tool keeps its credentials. */
const TOOLS = (
  '.nvm .pyenv .rbenv .asdf .volta .bun .deno .rustup .sdkman .fnm .jenv .nodenv .goenv .conda/envs miniconda3 anaconda3 miniforge3 mambaforge go/bin go/pkg go/src .dotnet ' +
  '.cargo/bin .cargo/registry .cargo/git .cargo/env .local/bin .local/lib .local/pipx .local/share/pnpm .local/share/fnm .local/share/mise .local/share/uv/python .local/share/uv/tools ' +
  '.local/share/pipx .npm-global .yarn/bin .linuxbrew .gem/ruby .nix-profile .local/state/nix .config/git/ignore .config/git/attributes'
).split(' ')
/** Needed for the name under a commit; some hold tokens, and such are not shown. */
const GIT_SETTINGS = ['.gitconfig', '.config/git/config']
const MAY_HOLD_TOKENS = /extraheader|token|passw|:\/\/[^\s/"]*@/i
/** Folders of the environment that tools are kept in. */
const TOOL_VARIABLES =
  'JAVA_HOME GOROOT GOPATH PYENV_ROOT NVM_DIR VOLTA_HOME BUN_INSTALL CONDA_PREFIX VIRTUAL_ENV RUSTUP_HOME DOTNET_ROOT'.split(' ')

/**
 * @param environment of the command.
 * @param own folders of the app itself that must not be seen.
 */
export async function findPrivatePlaces(environment: Readonly<Record<string, string>>, own: readonly string[]): Promise<PrivatePlaces> {
  const home = environment['HOME']
  const asRoot = process.getuid?.() === 0
  const hidden = await existing([
    ...(await filled(HIDDEN)),
    ...(home === undefined ? [] : [home]),
    ...own,
    ...(asRoot ? ROOTS_FOLDERS : []),
  ])
  const searched = (environment['PATH'] ?? '').split(delimiter)
  const wanted = [
    ...(home === undefined ? [] : [...TOOLS.map((name) => join(home, name)), ...(await withoutTokens(home))]),
    ...TOOL_VARIABLES.flatMap((name) => environment[name] ?? []),
    ...searched,
  ].filter((path) => isAbsolute(path))
  const visible = new Map<string, string>()
  for (const path of new Set(wanted)) {
    const source = await realpath(path).catch(() => undefined)
    // A tool folder, never a folder that holds a whole home, never a disk of another system.
    if (source === undefined || FOREIGN.some((folder) => isBelow(source, folder))) continue
    if (hidden.some((folder) => folder === source || isBelow(folder, source))) continue
    for (const seen of [source, path]) if (hidden.some((folder) => isBelow(seen, folder))) visible.set(seen, source)
  }
  return {
    hidden,
    visible: [...visible].map(([path, source]) => ({ source, path })),
    readOnly: await existing(asRoot ? KERNEL_FILES : KERNEL_FILES.slice(0, 1)),
    masked: asRoot ? await existing(ROOTS_FILES) : [],
  }
}

async function withoutTokens(home: string): Promise<string[]> {
  const paths = GIT_SETTINGS.map((name) => join(home, name))
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8').catch(() => undefined)))
  return paths.filter((_path, index) => texts[index] !== undefined && !MAY_HOLD_TOKENS.test(texts[index] as string))
}

/** Each mount has its price, and an empty folder hides nothing. */
async function filled(paths: readonly string[]): Promise<string[]> {
  const counts = await Promise.all(paths.map((path) => readdir(path).catch(() => [])))
  return paths.filter((path, index) => NEEDED.has(path) || (counts[index] ?? []).length > 0)
}

/** Those that exist, free of links, each once. */
async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)))
  return [...new Set(found.filter((path): path is string => path !== undefined && path !== sep))]
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}${sep}`)
}
