/**
 * A shell of one megabyte that outlives the command host for a moment: when the host is gone (even by
 * SIGKILL) its end of the pipe closes, and the guard kills every process that carries the host's marker
 * or is in a group it was told of, then removes the socket's folder and what stood in for protected names. What a killed
 * command may have made under an unwanted name is moved to `.metona/set-aside`, never deleted: it may be the person's.
 */
import { spawn } from 'node:child_process'

export interface OrphanGuard {
  groupStarted(group: number): void
  groupEnded(group: number): void
  /** Stand-ins may be in this folder from now on, and these paths below it must not exist while the command runs. */
  commandHeld(folder: string, unwanted: readonly string[]): void
  /** Its command is over: what is at these paths from now on is none of ours. */
  commandReleased(unwanted: readonly string[]): void
}

const SCRIPT = `
trap '' TERM INT HUP
groups=' '
token=$1 place=$2 stamp=$3
set --
while IFS= read -r line; do
  id=\${line#?}
  case $line in
    +*) groups="$groups$id " ;;
    -*) groups="\${groups%%" $id "*} \${groups#*" $id "}" ;;
    /* | !*) set -- "$@" "$line" ;;
    =*) for kept in "$@"; do shift; [ "$kept" = "!$id" ] || set -- "$@" "$kept"; done ;;
  esac
done
for id in $groups; do kill -9 -- "-$id" 2>/dev/null; done
[ -d /proc/self ] && for round in 1 2 3 4 5 6 7 8; do
  found=$(grep -lF "$token" /proc/[0-9]*/environ 2>/dev/null)
  [ -z "$found" ] && break
  for file in $found; do id=\${file#/proc/}; kill -9 "\${id%/environ}" 2>/dev/null; done
done
rm -rf -- "$place"
for root in "$@"; do
  case $root in !*) continue ;; esac
  for name in "$root"/* "$root"/.[!.]* "$root"/.git/*; do
    [ -d "$name" ] && [ ! -L "$name" ] && [ "$(stat -c %Y -- "$name" 2>/dev/null)" = "$stamp" ] && rmdir -- "$name" 2>/dev/null
  done
done
for unwanted in "$@"; do
  case $unwanted in !*) path=\${unwanted#?} ;; *) continue ;; esac
  [ -e "$path" ] || [ -L "$path" ] || continue
  for root in "$@"; do case $root in !*) continue ;; esac; case $path in "$root"/*) home=$root ;; esac; done
  aside=$home/.metona/set-aside
  [ ! -L "$home/.metona" ] && mkdir -p -- "$aside" 2>/dev/null && mv -- "$path" "$aside/\${path##*/}-$stamp-$$" 2>/dev/null || mv -- "$path" "$path-set-aside-$stamp-$$"
done
`

/** `marker` is `NAME=value` in the environment of every process to be ended; `folder` is removed at the end, and stand-ins of that `stamp`. */
export function startOrphanGuard(marker: string, folder: string, stamp: number): OrphanGuard {
  if (process.platform === 'win32')
    return { groupStarted: () => {}, groupEnded: () => {}, commandHeld: () => {}, commandReleased: () => {} }
  const folders = new Set<string>()
  /** Commands at a time for which a path must not exist. */
  const holders = new Map<string, number>()
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'metona-guard', marker, folder, String(stamp)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
  })
  guard.on('error', reportMissing)
  guard.stdin.on('error', reportMissing)
  guard.unref()
  return {
    groupStarted: (group) => void guard.stdin.write(`+${group}\n`),
    groupEnded: (group) => void guard.stdin.write(`-${group}\n`),
    commandHeld: (folder, unwanted) => {
      if (!folders.has(folder)) guard.stdin.write(`${folder}\n`)
      folders.add(folder)
      for (const path of unwanted) {
        const before = holders.get(path) ?? 0
        if (before === 0) guard.stdin.write(`!${path}\n`)
        holders.set(path, before + 1)
      }
    },
    commandReleased: (unwanted) => {
      for (const path of unwanted) {
        const left = (holders.get(path) ?? 1) - 1
        if (left > 0) {
          holders.set(path, left)
          continue
        }
        holders.delete(path)
        guard.stdin.write(`=${path}\n`)
      }
    },
  }
}

function reportMissing(error: Error): void {
  process.stderr.write(
    `metona command host: no orphan guard (${error.message}); commands end with this process only when it ends in order\n`,
  )
}
