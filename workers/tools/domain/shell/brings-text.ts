/**
 * Whether a command's output may hold words of strangers: it names a program that fetches, or an address. Looked for among
 * all words, wherever they stand, so a harmless mention counts too; nothing is asked because of it alone. What a build, a
 * test or a script fetches by itself is not seen here. Counting every command instead would turn each one that the person
 * allowed for good into a question as soon as a secret was read, and questions that always come are not read.
 */
const FETCHERS = new Set(
  (
    'curl wget wget2 aria2c http https xh httpie lynx w3m links elinks ftp lftp sftp scp rsync ssh telnet nc ncat netcat socat openssl dig host nslookup whois ' +
    'gh glab hub npx pnpx bunx uvx pipx skopeo aws gcloud az kubectl psql mysql redis-cli mongosh sqlcmd yt-dlp'
  ).split(' '),
)
/** Programs that fetch with some of their words. */
const FETCHING_WORDS: Readonly<Record<string, RegExp>> = {
  git: /^(clone|fetch|pull|ls-remote|submodule|remote)$/,
  svn: /^(checkout|co|update|up|log|cat)$/,
  docker: /^(pull|run|logs|build|search)$/,
  podman: /^(pull|run|logs|build|search)$/,
}
const PACKAGE_MANAGER =
  /^(npm|pnpm|yarn|bun|pip\d?|uv|poetry|cargo|go|gem|bundle|composer|mvn|gradle|dotnet|apt|apt-get|brew|dnf|yum|apk|pacman)$/
const PACKAGE_WORD =
  /^(i|install|ci|add|get|update|upgrade|view|info|show|search|audit|outdated|publish|exec|dlx|x|create|download|restore)$/
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/|\/dev\/(tcp|udp)\//i

export function bringsText(line: string): boolean {
  if (ADDRESS.test(line)) return true
  const words = line.replaceAll('\\', '').split(/[\s;&|<>()"'`{}$]+/)
  const names = words.map((word) => word.slice(word.lastIndexOf('/') + 1))
  return names.some((name) => {
    if (FETCHERS.has(name)) return true
    if (PACKAGE_MANAGER.test(name)) return words.some((word) => PACKAGE_WORD.test(word))
    const fetching = Object.hasOwn(FETCHING_WORDS, name) ? FETCHING_WORDS[name] : undefined
    return fetching !== undefined && words.some((word) => fetching.test(word))
  })
}
