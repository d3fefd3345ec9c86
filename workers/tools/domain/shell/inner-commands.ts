/**
 * What a program starts that was given to it on its command line: a shell its string, `env`, `timeout` and the like the
 * words behind their options, `xargs` and `find -exec` those and more. A rule about a program is meant wherever that
 * program stands. What an interpreter, a script, `make` or a package's own command starts is not on the line and is not
 * looked for: it would make every command one that cannot be told.
 */
export interface InnerCommands {
  readonly commands: readonly (readonly string[])[]
  /** Text that a shell reads. */
  readonly lines: readonly string[]
  /** Words may come to the commands that are not on the line. */
  readonly open: boolean
  /** It starts something that is not on the line, or in a way that is not known here. */
  readonly hidden: boolean
}

interface WrapperOptions {
  /** Letters of short options that take a value, joined or as the next word. */
  readonly values?: string
  /** Long options that take a value as the next word; with `=` every option may. */
  readonly longValues?: readonly string[]
  /** With these it starts something else, or in another way. */
  readonly unknown?: RegExp
  /** Words before the command that are not options. */
  readonly operands?: number
  /** `NAME=value` words come before the command. */
  readonly assignments?: boolean
  readonly open?: boolean
  /** The words are put together and read by a shell. */
  readonly joined?: boolean
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'ash', 'zsh', 'ksh', 'mksh', 'rbash'])
const WRAPPERS: Readonly<Record<string, WrapperOptions>> = {
  env: { values: 'uC', longValues: ['--unset', '--chdir'], unknown: /^-[^-]*S|^--split/, assignments: true },
  timeout: { values: 'ks', longValues: ['--kill-after', '--signal'], operands: 1 },
  nice: { values: 'n', longValues: ['--adjustment'] },
  nohup: {},
  setsid: {},
  stdbuf: { values: 'ioe', longValues: ['--input', '--output', '--error'] },
  ionice: { values: 'cn', longValues: ['--class', '--classdata'], unknown: /^-[^-]*[pPu]|^--(pid|pgid|uid)/ },
  time: { values: 'fo', longValues: ['--format', '--output'] },
  command: {},
  builtin: {},
  exec: { values: 'a' },
  sudo: { values: 'ughpCrtTUDR', unknown: /^-[^-]*[sieKkl]|^--(shell|login|edit)/, assignments: true },
  doas: { values: 'uC', unknown: /^-[^-]*s/ },
  busybox: {},
  toybox: {},
  xargs: {
    values: 'ILnPsdEa',
    longValues: ['--max-args', '--max-procs', '--max-chars', '--delimiter', '--arg-file', '--replace'],
    open: true,
  },
  watch: { values: 'nq', longValues: ['--interval', '--equexit'], joined: true },
  eval: { joined: true },
}
/** They start other programs in ways of their own. */
const UNKNOWN = new Set(
  (
    'csh tcsh fish pwsh powershell cmd parallel unshare nsenter chroot bwrap firejail su runuser pkexec script flock taskset chrt setpriv ' +
    'systemd-run start-stop-daemon expect entr at batch strace ltrace gdb valgrind perf unbuffer setarch numactl prlimit choom capsh ' +
    'faketime xvfb-run fakeroot proot ssh screen tmux'
  ).split(' '),
)
const NONE: InnerCommands = { commands: [], lines: [], open: false, hidden: false }
const HIDDEN: InnerCommands = { ...NONE, hidden: true }

export function innerCommands(argv: readonly string[]): InnerCommands {
  const [program = '', ...words] = argv
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (SHELLS.has(name)) return ofShell(words)
  if (name === 'find' || name === 'fd' || name === 'fdfind') return ofFind(words)
  if (name === 'trap') return words.length === 0 || words[0]?.startsWith('-') === true ? NONE : { ...NONE, lines: words.slice(0, 1) }
  if (name === 'git')
    return words.some((word) => /^(-c|--config-env(=.*)?|--exec(=.*)?|-x|foreach|filter-branch|bisect)$/.test(word)) ? HIDDEN : NONE
  if (UNKNOWN.has(name)) return HIDDEN
  const options = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
  if (options === undefined) return NONE
  // `command -v` and `-V` only look.
  if (name === 'command' && /^-[vV]/.test(words[0] ?? '')) return NONE
  const inner = behindOptions(words, options)
  if (inner === undefined) return HIDDEN
  if (inner.length === 0) return NONE
  if (options.joined === true) return { ...NONE, lines: [inner.join(' ')] }
  return { ...NONE, commands: [inner], open: options.open === true }
}

/** @returns undefined where it cannot be told. */
function behindOptions(words: readonly string[], options: WrapperOptions): string[] | undefined {
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--') {
      at++
      break
    }
    if (!word.startsWith('-') || word === '-') break
    if (options.unknown?.test(word) === true) return undefined
    if (word.startsWith('--')) {
      if (options.longValues?.includes(word) === true) at++
      continue
    }
    const valueAt = [...word].findIndex((letter, index) => index > 0 && options.values?.includes(letter) === true)
    if (valueAt === word.length - 1) at++
  }
  let rest = words.slice(at)
  if (options.assignments === true) while (/^[A-Za-z_]\w*=/.test(rest[0] ?? '')) rest = rest.slice(1)
  return rest.slice(options.operands ?? 0)
}

function ofShell(words: readonly string[]): InnerCommands {
  let takesString = false
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--' || word === '-') {
      at++
      break
    }
    if (!/^[-+]/.test(word)) break
    if (word.startsWith('--')) {
      if (word === '--version' || word === '--help') return NONE
      if (word === '--rcfile' || word === '--init-file') at++
      continue
    }
    if (word.startsWith('-') && word.includes('c')) takesString = true
    // Then it reads what comes in, which is not on the line.
    if (word.startsWith('-') && word.includes('s')) return HIDDEN
    if (/[oO]$/.test(word)) at++
  }
  const first = words[at]
  if (first === undefined) return HIDDEN
  return takesString ? { ...NONE, lines: [first] } : NONE
}

function ofFind(words: readonly string[]): InnerCommands {
  const commands: string[][] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (/^-(exec|execdir|ok|okdir)$/.test(word)) {
      const end = words.findIndex(
        (other, index) => index > at && (other === ';' || other === '\\;' || (other === '+' && words[index - 1] === '{}')),
      )
      commands.push(words.slice(at + 1, end < 0 ? undefined : end))
      if (end >= 0) at = end
    } else if (/^(-x|-X|--exec|--exec-batch)$/.test(word)) {
      commands.push(words.slice(at + 1))
      break
    }
  }
  return { ...NONE, commands: commands.filter((command) => command.length > 0), open: commands.length > 0 }
}

/** Variables from which programs take what they start, or code they run. */
const CODE_VARIABLES =
  /(?:^|[^\w$])(?:GIT_(?:CONFIG\w*|SSH|SSH_COMMAND|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND|EXEC_PATH)|SSH_ASKPASS|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|BASH_ENV|ENV|PROMPT_COMMAND|PS4|LD_\w+|DYLD_\w+|NODE_OPTIONS|PYTHON(?:PATH|STARTUP)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|MAKEFLAGS)=/

/** Whether a line sets one of them, in whatever way: what it says may be started, and no word of a command shows it. */
export function namesCodeInVariable(line: string): boolean {
  return CODE_VARIABLES.test(line)
}
