/** Which commands may be allowed once and for all: exactly as they stand, and never what can run anything else. */

/** Shells, interpreters, runners of other programs and packages, what deletes, and git, whose configuration runs programs. */
const NEVER = new Set(
  (
    'sh bash dash zsh ksh csh tcsh fish ash busybox pwsh powershell cmd python python2 python3 pypy node nodejs deno bun bunx tsx ts-node ruby irb perl php lua luajit tclsh wish awk gawk mawk nawk sed R Rscript julia ghci scala groovy jshell ' +
    'env xargs parallel nohup setsid timeout watch nice ionice stdbuf time chroot unshare nsenter bwrap sudo su doas pkexec runuser ssh scp sftp rsync socat nc ncat telnet ' +
    'npx pnpx bunx uvx pipx corepack eval exec source . command builtin trap alias unalias export set find fd rm rmdir unlink shred dd mkfs truncate mv chmod chown chgrp ln mount umount kill pkill killall ' +
    'git hg svn gh curl wget vim vi nvim emacs nano less more man ed ex gdb lldb strace ltrace crontab at batch systemctl launchctl docker podman kubectl tmux screen make cmake ninja'
  ).split(' '),
)

/** Program words that are part of a package manager but run what the packages or the network bring. */
const RUNNER_WORDS = new Set([
  'exec',
  'dlx',
  'x',
  'create',
  'init',
  'install',
  'i',
  'add',
  'ci',
  'publish',
  'login',
  'config',
  'set',
  'link',
  'upgrade',
  'update',
])

export function mayBeGranted(argv: readonly string[]): boolean {
  const [program = '', ...words] = argv
  if (
    program.includes('/') ||
    !/^[A-Za-z0-9_.+-]+$/.test(program) ||
    NEVER.has(program) ||
    /^(python|ruby|perl|php|lua|node|pip)[\d.]*$/.test(program)
  )
    return false
  if (/^(npm|pnpm|yarn|bun|cargo|go|gem|uv|poetry|dotnet|mvn|gradle)$/.test(program)) return !words.some((word) => RUNNER_WORDS.has(word))
  return true
}
