/** The sandbox of macOS. Written from its documentation and from profiles of other programs; not run on a Mac yet. */
import { realpath } from 'node:fs/promises'
import { RECORD_FOLDERS, SEALED_GIT_NAMES, SEALED_NAMES } from './sealed-names.ts'

/** The last rule that fits counts. Names are denied whether they exist or not. */
export async function seatbeltArguments(
  program: string,
  workspace: string,
  env: Readonly<Record<string, string>>,
  own: readonly string[],
  argv: readonly string[],
): Promise<string[]> {
  const temporary = await realpath(env['TMPDIR'] ?? '/tmp').catch(() => '/private/tmp')
  const home = env['HOME']
  const keys =
    home === undefined ? [] : ['.ssh', '.gnupg', '.aws', '.kube', '.docker', 'Library/Keychains'].map((name) => `${home}/${name}`)
  const names = [...SEALED_NAMES.filter((name) => name !== '.git'), ...RECORD_FOLDERS]
  const profile = [
    '(version 1)',
    '(allow default)',
    '(deny network*)',
    '(allow network* (local unix) (remote unix))',
    '(deny file-write*)',
    `(allow file-write* (subpath ${quoted(workspace)}) (subpath ${quoted(temporary)}) (literal "/dev/null") (literal "/dev/zero") (regex #"^/dev/tty"))`,
    ...[...keys, ...own].map((path) => `(deny file-read* file-write* (subpath ${quoted(path)}))`),
    ...names.map((name) => `(deny file-write* (subpath ${quoted(`${workspace}/${name}`)}))`),
    ...SEALED_GIT_NAMES.map((name) => `(deny file-write* (subpath ${quoted(`${workspace}/.git/${name}`)}))`),
    `(deny file-write-unlink (literal ${quoted(`${workspace}/.git`)}))`,
  ]
  return [program, '-p', profile.join('\n'), ...argv]
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
