/** Opens a page of ours in the person's browser, where there is one. */
import { spawn } from 'node:child_process'

/** @returns false when this system has no way to open one, or it failed at once. */
export async function openBrowser(
  url: string,
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const command = browserCommand(environment, platform)
  if (command === undefined) return false
  return new Promise((resolve) => {
    const child = spawn(command[0], [...command.slice(1), url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

function browserCommand(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open']
  // `start` is a word of cmd; its first quoted argument would be a window title.
  if (platform === 'win32') return ['cmd.exe', '/d', '/s', '/c', 'start', '""']
  return environment['DISPLAY'] === undefined && environment['WAYLAND_DISPLAY'] === undefined ? undefined : ['xdg-open']
}
