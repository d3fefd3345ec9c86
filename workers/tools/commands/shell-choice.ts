/** Which shell runs a command's text, and how. Never a login or interactive one: no file of the user or the project is run first. */
import { access, constants } from 'node:fs/promises'

export interface ShellChoice {
  /** For the model: which language the command is in. */
  readonly name: 'bash' | 'sh' | 'powershell' | 'cmd'
  /** `marker` is put where the shell ignores it, so that the process list shows whose command it is. */
  argv(command: string, marker: string): string[]
}

let chosen: Promise<ShellChoice> | undefined

export function chooseShell(): Promise<ShellChoice> {
  chosen ??= process.platform === 'win32' ? chooseWindows() : chooseUnix()
  return chosen
}

async function chooseUnix(): Promise<ShellChoice> {
  for (const path of ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash', '/opt/homebrew/bin/bash']) {
    // `--rcfile` is read by interactive shells only.
    if (await isExecutable(path))
      return { name: 'bash', argv: (command, marker) => [path, '--noprofile', '--norc', '--rcfile', marker, '-c', command] }
  }
  return { name: 'sh', argv: (command, marker) => ['/bin/sh', '-c', command, 'sh', marker] }
}

/** Written from documentation; not run on Windows yet. */
async function chooseWindows(): Promise<ShellChoice> {
  const root = process.env['SystemRoot'] ?? 'C:\\Windows'
  const powershell = `${root}\\System32\\WindowsPowerShell\\v1.0\\powershell.exe`
  if (await isExecutable(powershell)) {
    // Encoded: no quoting rule of the command line can change the text.
    return {
      name: 'powershell',
      argv: (command) => [
        powershell,
        '-NoLogo',
        '-NoProfile',
        '-NonInteractive',
        '-EncodedCommand',
        Buffer.from(`${command}\nexit $LASTEXITCODE`, 'utf16le').toString('base64'),
      ],
    }
  }
  return { name: 'cmd', argv: (command) => [`${root}\\System32\\cmd.exe`, '/d', '/s', '/c', `"${command}"`] }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
