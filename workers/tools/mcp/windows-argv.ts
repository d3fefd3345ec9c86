/**
 * Programs on Windows: `npx` is `npx.cmd`, and a script of that kind can only be run by the command interpreter, with every
 * character it gives a meaning to taken from it. Written from documentation; not run on Windows yet.
 */
import { access } from 'node:fs/promises'
import { win32 } from 'node:path'

/** @param exists asked with a whole path. @returns `verbatim`: the arguments are written as Windows wants them and must not be quoted again. */
export async function windowsArgv(
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  folder: string,
  exists: (path: string) => Promise<boolean> = isThere,
): Promise<{ argv: string[]; verbatim: boolean }> {
  const [command = '', ...rest] = argv
  const found = (await findProgram(command, env, folder, exists)) ?? command
  if (!/\.(cmd|bat)$/i.test(found)) return { argv: [found, ...rest], verbatim: false }
  const twice = NPM_SCRIPT.test(found)
  const line = [escapeSigns(found), ...rest.map((word) => quoteForInterpreter(word, twice))].join(' ')
  return { argv: [env['ComSpec'] ?? 'C:\\Windows\\System32\\cmd.exe', '/d', '/s', '/c', `"${line}"`], verbatim: true }
}

async function findProgram(
  command: string,
  env: Readonly<Record<string, string>>,
  folder: string,
  exists: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const endings = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((ending) => ending !== '')
  const named = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()))
  const names = named ? [command] : endings.map((ending) => command + ending.toLowerCase())
  const folders = /[\\/]/.test(command) ? [folder] : (env['PATH'] ?? env['Path'] ?? '').split(';').filter((entry) => entry !== '')
  for (const place of folders)
    for (const name of names) {
      const path = win32.resolve(place, name)
      if (await exists(path)) return path
    }
  return undefined
}

/** A script npm makes for a program passes its arguments to the interpreter a second time. */
const NPM_SCRIPT = /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i

/** Quoted for the program, then every sign of the interpreter escaped. */
function quoteForInterpreter(word: string, twice: boolean): string {
  const quoted = `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`
  const once = escapeSigns(quoted)
  return twice ? escapeSigns(once) : once
}

function escapeSigns(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false
  }
}
